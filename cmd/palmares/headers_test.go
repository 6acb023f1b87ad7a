package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// binaryWithoutWire is the program without package web/wire: all its headers are written by net/http.
var binaryWithoutWire = sync.OnceValues(func() (string, error) {
	return buildProgram(filepath.Join(binaryDir, "palmares-nowire"), "-tags", "nowire")
})

// A rawRequest is what is sent over a connection, as it is.
type rawRequest struct {
	method, path, body string
	header             map[string]string
	whole              string // instead of all of these
}

func (r rawRequest) String() string {
	if r.whole != "" {
		return fmt.Sprintf("%.60q", r.whole)
	}
	return fmt.Sprintf("%s %s %v %.80s", r.method, r.path, r.header, r.body)
}

func (r rawRequest) with(name, value string) rawRequest {
	r.header = maps.Clone(r.header)
	if r.header == nil {
		r.header = make(map[string]string)
	}
	r.header[name] = value
	return r
}

// A rawAnswer is what came back: its header lines in order, those that differ from answer to answer without their value.
type rawAnswer struct {
	status string
	lines  []string
	etag   string
	body   []byte
}

var varies = []string{"date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "set-cookie"}

// ofOneAnswer reports whether the body of a page is another each time, or on each node: it has the token of a form, or
// what this node has measured.
func ofOneAnswer(path string) bool {
	return slices.ContainsFunc([]address.Page{address.Account, address.Status}, func(p address.Page) bool {
		return strings.HasPrefix(path, p.French) || strings.HasPrefix(path, p.English)
	})
}

// send sends a request over a connection of its own, from an address that no other request comes from.
func (r rawRequest) send(t *testing.T, base, from string) rawAnswer {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	must(t, err)
	defer conn.Close()
	must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	text := r.whole
	if text == "" {
		var b strings.Builder
		fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost:8080\r\nConnection: close\r\nX-Forwarded-For: %s\r\n", r.method, r.path, from)
		for name, value := range r.header {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
		if r.body != "" || r.method == http.MethodPost {
			fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.body))
		}
		text = b.String() + "\r\n" + r.body
	}
	_, err = io.WriteString(conn, text)
	must(t, err)
	all, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) { // the rest of a body that was not wanted
		t.Fatal(err)
	}
	head, body, found := bytes.Cut(all, []byte("\r\n\r\n"))
	if !found {
		t.Fatalf("%v: no header in %.200q", r, all)
	}
	lines := strings.Split(string(head), "\r\n")
	a := rawAnswer{status: lines[0], body: body}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		if a.etag == "" && name == "Etag" {
			a.etag = value
		}
		if lower := strings.ToLower(name); slices.Contains(varies, lower) || ofOneAnswer(r.path) && (lower == "etag" || lower == "content-length") {
			value = ""
		}
		a.lines = append(a.lines, name+": "+value)
	}
	slices.Sort(a.lines) // net/http sorts, and wire does not
	return a
}

// sound checks what is true of every answer.
func (a rawAnswer) sound(t *testing.T, r rawRequest) {
	t.Helper()
	count := make(map[string]int)
	for _, line := range a.lines {
		name, _, _ := strings.Cut(line, ": ")
		count[strings.ToLower(name)]++
	}
	for name, n := range count {
		if n > 1 && !slices.Contains([]string{"link", "vary", "set-cookie", "www-authenticate"}, name) {
			t.Errorf("%v: %s %d times in %q", r, name, n, a.lines)
		}
	}
	if bodied := len(a.body) > 0; bodied && count["content-type"] != 1 {
		t.Errorf("%v: a body with %d Content-Type in %q", r, count["content-type"], a.lines)
	}
}

// A node sends the header lines that it would send by net/http alone, whatever is asked of it: package wire, which every
// node of an operator has beneath it and few tests do, neither adds one nor repeats one.
func TestHeaders_AreThoseOfNetHTTP(t *testing.T) {
	testkit.Night(t) // it links the program once more, and asks some ten thousand times
	t.Parallel()
	plainBinary, err := binaryWithoutWire()
	must(t, err)
	db, redis, mail := pgtest.Migrated(t), redistest.NewServer(t), testkit.NewMailbox(t)
	fake := stripetest.New(t, stripefake.Options{})
	palmares(t, database(db), "publish", exampleCatalog)
	keys := map[string]string{"free": newKey(t, db, "ada@example.org", "developer"), "pro": newKey(t, db, "bob@example.org", "pro")}
	settings := append(sells(fake), "PALMARES_REDIS_URL="+redis.URL(), "PALMARES_TRUSTED_PROXIES=127.0.0.1",
		"PALMARES_SMTP_URL="+mail.URL, "PALMARES_MAIL_FROM=noreply@palmares.test")
	wired := serve(t, db, settings...)
	plain := serving(startCommand(t, commandOf(t, plainBinary, onFreePorts(db, settings...), "serve")))
	wired.ready()
	plain.ready()
	for _, n := range []*server{wired, plain} { // the page of downloads shows the sizes of those that are made
		page := testkit.Get(t, n.public+"/donnees").Body
		for _, file := range regexp.MustCompile(`/api/v1/export/[a-z.-]+`).FindAllString(page, -1) {
			testkit.EventuallyGet(t, n.public+file, testkit.Response.OK)
		}
	}
	cookie := signedIn(t, wired, db, "ada@example.org")

	asked, statuses := 0, make(map[string]int)
	ask := func(r rawRequest) rawAnswer {
		asked++
		from := fmt.Sprintf("100.64.%d.%d", asked>>8, asked&255)
		got, want := r.send(t, wired.public, from), r.send(t, plain.public, from)
		got.sound(t, r)
		want.sound(t, r)
		if got.status != want.status || !slices.Equal(got.lines, want.lines) {
			t.Errorf("%v:\n got %s %q\nwant %s %q", r, got.status, got.lines, want.status, want.lines)
		}
		statuses[strings.Fields(got.status)[1]]++
		return got
	}
	var found []string // paths that are there
	for _, path := range publicPaths() {
		got := ask(rawRequest{method: http.MethodGet, path: path})
		if strings.Contains(got.status, " 404 ") && !strings.Contains(path, nobody) && placed(path) {
			continue // an item of another kind
		}
		if strings.Contains(got.status, " 200 ") {
			found = append(found, path)
			if !ofOneAnswer(path) {
				ask(rawRequest{method: http.MethodGet, path: path}.with("If-None-Match", got.etag))
			}
			ask(rawRequest{method: http.MethodGet, path: path}.with("If-None-Match", "*"))
		}
		for _, method := range []string{http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodDelete} {
			ask(rawRequest{method: method, path: path})
		}
		for _, encoding := range []string{"gzip", "zstd", "identity;q=0"} {
			ask(rawRequest{method: http.MethodGet, path: path}.with("Accept-Encoding", encoding))
		}
		for _, value := range []string{"Bearer " + keys["free"], "Bearer " + keys["pro"], "Bearer plm_none", "Basic eDp5"} {
			if strings.HasPrefix(path, "/api") {
				ask(rawRequest{method: http.MethodGet, path: path}.with("Authorization", value))
				ask(rawRequest{method: http.MethodHead, path: path}.with("Authorization", value))
			}
		}
		if ofOneAnswer(path) {
			ask(rawRequest{method: http.MethodGet, path: path}.with("Cookie", cookie))
			ask(rawRequest{method: http.MethodPost, path: path, body: "action=nothing"}.with("Cookie", cookie).
				with("Content-Type", "application/x-www-form-urlencoded"))
		}
	}
	for _, page := range address.All() { // or the test does not test them
		if address.LanguageOf(page.French) == locale.French && !strings.HasPrefix(page.French, address.Account.French) &&
			!slices.ContainsFunc(found, func(path string) bool { return matches(page.French, path) }) {
			t.Errorf("%s was never there", page.French)
		}
	}
	for _, message := range messages() {
		for _, header := range []map[string]string{
			{"MCP-Protocol-Version": "2025-11-25"},
			{"MCP-Protocol-Version": "2025-11-25", "Authorization": "Bearer " + keys["pro"]},
			{"MCP-Protocol-Version": "2025-11-25", "Authorization": "Bearer plm_none"},
			{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"},
			{"MCP-Protocol-Version": "1999"},
			{},
		} {
			header["Accept"], header["Content-Type"] = "application/json, text/event-stream", "application/json"
			ask(rawRequest{method: http.MethodPost, path: mcp.Path, body: message, header: header})
		}
	}
	overQuota := func(r rawRequest) {
		for _, n := range []*server{wired, plain} {
			for range 100 {
				rawRequest{method: http.MethodGet, path: "/api/v1/tools/tournevis"}.send(t, n.public, "198.51.100.7")
			}
			a := r.send(t, n.public, "198.51.100.7")
			a.sound(t, r)
			if !strings.Contains(a.status, " 429 ") {
				t.Errorf("%v: %s after a hundred requests", r, a.status)
			}
		}
	}
	overQuota(rawRequest{method: http.MethodGet, path: "/api/v1/tools"})
	overQuota(rawRequest{method: http.MethodHead, path: "/api/v1/tools"})
	overQuota(rawRequest{method: http.MethodPost, path: mcp.Path, body: messages()[0], header: map[string]string{
		"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
	}})
	for _, whole := range []string{
		"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET /api/v1 HTTP/1.0\r\n\r\n", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "nonsense\r\n\r\n",
		"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 70<<10) + "\r\n\r\n",
		"POST /stripe/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
		"POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2000000\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"BREW /api/v1/tools HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"POST /signaler/tournevis HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9\r\nSec-Fetch-Site: cross-site\r\n\r\nfield=why",
	} {
		ask(rawRequest{whole: whole})
	}
	t.Logf("%d requests of each: %v", asked, statuses)
	for _, status := range []string{"200", "204", "303", "304", "308", "400", "401", "403", "404", "405", "413"} {
		if statuses[status] == 0 {
			t.Errorf("nothing was answered with %s", status)
		}
	}
}

// signedIn returns the cookie of a session.
func signedIn(t *testing.T, n *server, db, email string) string {
	t.Helper()
	b := testkit.NewBrowser(t, n.public)
	link, _ := palmares(t, onFreePorts(db, "PALMARES_BASE_URL=http://localhost:8080"), "account", "login-link", email)
	path, token, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(link), "http://localhost:8080"), "?jeton=")
	b.Get(path + "?jeton=" + token)
	if a := b.Submit(path, "enter", map[string]string{"link": token}); a.Status != http.StatusSeeOther {
		t.Fatalf("signing in: %v", a)
	}
	var cookies []string
	for name, value := range b.Cookies {
		cookies = append(cookies, name+"="+value)
	}
	return strings.Join(cookies, "; ")
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// matches reports whether a path is one of a pattern.
func matches(pattern, path string) bool {
	parts := placeholder.Split(pattern, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	path, _, _ = strings.Cut(path, "?")
	return regexp.MustCompile(`^` + strings.Join(parts, `[^/]+`) + `$`).MatchString(path)
}

// nobody is an item that does not exist.
const nobody = "personne"

// placed reports whether a path has an item in the place of a placeholder.
func placed(path string) bool {
	return slices.ContainsFunc(items, func(i string) bool { return strings.Contains(path, i) })
}

var items = []string{"tournevis", "tournevis-ou-rabotine", "code", "demarrage", "quick-start", "list-tools", "sitemap-1", "tools.csv", nobody}

// publicPaths lists every path of the site, the account pages, the API and the documents, with items of the example catalog
// in their places, and with one that does not exist.
func publicPaths() []string {
	patterns := []string{
		"/api", "/api/v1/", "/api/v1/nothing", "/api/v1/tools?limit=0", "/api/v1/tools?q=tournevis", "/api/v1/tools?page=2&limit=5",
		"/api/v1/findings?slugs=tournevis", "/api/v1/changes?after=1", "/api/v1/tools/dictafolle", "/nulle-part", "/static/nothing.css", "/outils/",
		"/en", "/suivi?outils=tournevis", "/recherche?q=tournevis", "/favicon.ico", "/docs/api/appel/list-tools?send=1",
	}
	for _, page := range address.All() {
		patterns = append(patterns, page.French)
		if page.English != "" {
			patterns = append(patterns, page.English)
		}
	}
	contract, _ := api.Contract()
	for _, line := range regexp.MustCompile(`(?m)^  (/api\S*):$`).FindAllStringSubmatch(string(contract), -1) {
		patterns = append(patterns, line[1])
	}
	patterns = append(patterns, mcp.DocumentPaths()...)
	patterns = append(patterns, mcp.Path, mcp.Path+"/nothing")
	var paths []string
	for _, pattern := range patterns {
		if !placeholder.MatchString(pattern) {
			paths = append(paths, pattern)
			continue
		}
		for _, item := range items {
			paths = append(paths, placeholder.ReplaceAllString(pattern, item))
		}
	}
	return paths
}

// messages lists messages for agents: a call of each tool, all methods, and what is none.
func messages() []string {
	all := []string{
		"", "[]", "{}", "null", "no JSON", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"` + strings.Repeat("x", 80<<10) + `"}}}`,
	}
	for _, method := range []string{"ping", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover", "subscriptions/listen", "nothing"} {
		all = append(all, `{"jsonrpc":"2.0","id":1,"method":`+strconv.Quote(method)+`}`)
	}
	for _, name := range append(mcp.Names(), "nothing") {
		for _, arguments := range []string{`{}`, `{"slug":"tournevis"}`, `{"q":"code"}`, `{"slug":"personne"}`} {
			all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments))
		}
	}
	slices.Reverse(all)
	return all
}
