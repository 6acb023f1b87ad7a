package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/palmares-hq/palmares/internal/mail/mailbox"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page.html").Parse(pageHTML))

const (
	pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'"
	// mailPolicy applies to the content of a mail: nothing runs, nothing is fetched.
	mailPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'self'"
)

func handler(box *mailbox.Server) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Refresh", "2")
		show(w, pageData{List: box.Messages("")})
	})
	mux.HandleFunc("GET /mail/{number}", func(w http.ResponseWriter, r *http.Request) {
		if m, ok := find(box, r); ok {
			show(w, pageData{Mail: &m, Pieces: pieces(m.Text)})
			return
		}
		http.NotFound(w, r)
	})
	mux.HandleFunc("GET /mail/{number}/html", func(w http.ResponseWriter, r *http.Request) {
		m, ok := find(box, r)
		if !ok || m.HTML == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", mailPolicy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, m.HTML) // the browser may have gone
	})
	mux.HandleFunc("GET /mails", func(w http.ResponseWriter, r *http.Request) { mails(w, r, box) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer") // links of mails hold tokens
		h.Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	})
}

// mails writes the mails to an address as JSON, the oldest first, for scripts: those after a number, or all.
func mails(w http.ResponseWriter, r *http.Request, box *mailbox.Server) {
	to := r.FormValue("to")
	after, err := strconv.Atoi(cmp.Or(r.FormValue("after"), "0"))
	if to == "" || err != nil {
		http.Error(w, "whose mails? /mails?to=ADDRESS&after=NUMBER", http.StatusBadRequest)
		return
	}
	type mail struct {
		Number  int      `json:"number"`
		Subject string   `json:"subject"`
		Text    string   `json:"text"`
		HTML    string   `json:"html"`
		Links   []string `json:"links"`
	}
	found := []mail{}
	for _, m := range slices.Backward(box.Messages(to)) {
		if m.Number > after {
			found = append(found, mail{m.Number, m.Subject, m.Text, m.HTML, m.Links})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found) // the script may have gone
}

func find(box *mailbox.Server, r *http.Request) (mailbox.Message, bool) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return mailbox.Message{}, false
	}
	for _, m := range box.Messages("") {
		if m.Number == number {
			return m, true
		}
	}
	return mailbox.Message{}, false
}

type pageData struct {
	List   []mailbox.Message
	Mail   *mailbox.Message // nil on the list
	Pieces []piece          // the text of Mail, split at its links
}

// A piece is a part of a text: a link, or what is between links.
type piece struct {
	Text string
	Link bool
}

func pieces(text string) (all []piece) {
	end := 0
	for _, at := range mailbox.FindLinks(text) {
		all = append(all, piece{Text: text[end:at[0]]}, piece{Text: text[at[0]:at[1]], Link: true})
		end = at[1]
	}
	return append(all, piece{Text: text[end:]})
}

func show(w http.ResponseWriter, data pageData) {
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", pagePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = b.WriteTo(w) // the browser may have gone
}
