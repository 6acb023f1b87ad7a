package web

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"regexp"
	"syscall"
	"testing"
)

// plainHandlers know nothing of fields.
var plainHandlers = map[string]http.HandlerFunc{
	"short": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "short") },
	"long": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "20000")
		_, _ = w.Write(bodyOf(1, 20_000))
	},
	"silent": func(http.ResponseWriter, *http.Request) {},
	"304": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Etag", `"abc"`)
		w.WriteHeader(http.StatusNotModified)
	},
	"streaming": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		control := http.NewResponseController(w)
		for i := range 5 {
			_, _ = w.Write(bodyOf(i, i*3000))
			_ = control.Flush()
		}
		w.Header().Set("X-Sum", "30000")
	},
	"hinting": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.WriteString(w, "after the hint")
	},
	"hijacking": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Never-Sent", "1")
		own, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer own.Close()
		_, _ = io.WriteString(own, "HTTP/1.1 200 of its own\r\n\r\nline one\r\n\r\n")
		_, _ = buffered.WriteString("line two\n")
		_ = buffered.Flush()
	},
	"hijacking after the head": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
		own, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer own.Close()
		_, _ = io.WriteString(own, "HTTP/1.1 another protocol\r\n")
	},
	"panicking": func(http.ResponseWriter, *http.Request) { panic("on purpose") },
	"panicking after the head": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		panic("on purpose")
	},
	"panicking after a flush": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bodyOf(0, 10_000))
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, "lost")
		panic("on purpose")
	},
	"aborting": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bodyOf(0, 5000))
		panic(http.ErrAbortHandler)
	},
	"echoing": func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) },
}

// differs is what differs between any two answers.
var differs = regexp.MustCompile(`(?m)^(Date|X-Request-Id): .*\r\n`)

// raw is all that is sent on a connection. One that is cut while the client sends may
// end in a reset.
func raw(t *testing.T, address, requests string) string {
	t.Helper()
	w := connect(t, address)
	w.send(t, requests)
	all, err := io.ReadAll(w.conn)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%q: %v", requests, err)
	}
	_ = w.conn.Close()
	return differs.ReplaceAllString(string(all), "$1\r\n")
}

// A handler that does not ask for package wire is served by net/http, byte by byte.
func TestUnaskedAnswersAreNetHTTPs(t *testing.T) {
	t.Parallel()
	var requests []string
	for _, version := range []string{"1.1", "1.0"} {
		for _, method := range []string{"GET", "HEAD"} {
			for _, last := range []string{"", "Connection: keep-alive\r\n"} {
				head := fmt.Sprintf("%s / HTTP/%s\r\nHost: test\r\n", method, version)
				requests = append(requests, head+last+"\r\n"+head+"Connection: close\r\n\r\n")
			}
		}
		requests = append(requests,
			fmt.Sprintf("POST / HTTP/%s\r\nHost: test\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc", version))
	}
	const post = "POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
	requests = append(requests,
		post+"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		post+"Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
		"nonsense\r\n\r\n")

	for name, h := range plainHandlers {
		for layer, wrap := range map[string]func(http.HandlerFunc) http.Handler{
			"bare":     func(h http.HandlerFunc) http.Handler { return h },
			"observed": observing,
		} {
			t.Run(name+", "+layer, func(t *testing.T) {
				t.Parallel()
				address := serve(t, NewServer(ServerOptions{Handler: wrap(h), Wire: true}))
				reference := listen(t)
				server := &http.Server{Handler: wrap(h), ErrorLog: log.New(io.Discard, "", 0)}
				go func() { _ = server.Serve(reference) }()
				t.Cleanup(func() { _ = server.Close() })
				for _, text := range requests {
					got, want := raw(t, address, text), raw(t, reference.Addr().String(), text)
					if got != want {
						t.Errorf("%q is answered\n%.300q, by net/http alone\n%.300q", text, got, want)
					}
				}
			})
		}
	}
}
