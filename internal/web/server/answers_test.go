package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/palmares-hq/palmares/internal/web"
)

const requestID = "X-Request-Id"

// serveReference serves h by net/http alone: fields go into the header map there.
func serveReference(t *testing.T, h http.Handler) (address string) {
	t.Helper()
	l := listen(t)
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

// bodyOf makes bodies that look like headers, and differ.
func bodyOf(number, size int) []byte {
	const text = "\r\n\r\nHTTP/1.1 200 OK\r\nX: "
	from := number % len(text)
	return bytes.Repeat([]byte(text), size/len(text)+2)[from : from+size]
}

var typicalFields = []web.Field{
	web.NewField("Vary", "Authorization"), web.NewField("Etag", `"abc"`), web.NewField("X-Empty", ""),
}

// answering gives the answer that is asked for, in the way of the API.
func answering(w http.ResponseWriter, r *http.Request) {
	var number, status, size, header int
	_, _ = fmt.Sscanf(r.URL.Path, "/%d/%d/%d/%d", &number, &status, &size, &header)
	if header > 0 { // one that does not fit into net/http's buffer
		w.Header().Set("X-Large", strings.Repeat("x", header))
	}
	web.SetFields(w, typicalFields...)
	web.SetField(w, "X-Number", strconv.Itoa(number))
	if status == http.StatusNotModified {
		w.WriteHeader(status)
		return
	}
	body, h := bodyOf(number, size), w.Header()
	h.Set("Content-Type", "text/plain")
	if r.URL.RawQuery == "pieces" {
		w.WriteHeader(status)
		for piece := range slices.Chunk(body, 1500) {
			_, _ = w.Write(piece)
			_, _ = io.WriteString(w, "and")
		}
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(body)
		return
	}
	h.Set("Content-Length", strconv.Itoa(size))
	if r.URL.RawQuery == "plain" {
		w.WriteHeader(status)
		_, _ = w.Write(body)
		return
	}
	web.WriteComplete(w, r, status, body)
}

var sizes = []int{0, 1, 2047, 2048, 4095, 4096, 4097, 25_000, 1_000_000}

// expect checks what answering answers.
func expect(t *testing.T, got reply, method string, number, status, size int) {
	t.Helper()
	want := string(bodyOf(number, size))
	if method == "HEAD" || status == http.StatusNotModified {
		want = ""
	}
	if got.status != status || got.body != want || len(got.header[requestID]) != 1 ||
		!reflect.DeepEqual(got.header["X-Number"], []string{strconv.Itoa(number)}) ||
		!reflect.DeepEqual(got.header["Etag"], []string{`"abc"`}) {
		t.Errorf("request %d, %s %d of %d bytes: answered %d with %v and %d bytes",
			number, method, status, size, got.status, got.header, len(got.body))
	}
}

// echoing answers with the body of the request.
func echoing(w http.ResponseWriter, r *http.Request) {
	web.SetField(w, "X-Field", "set before the body is read")
	in := map[string]io.Reader{"/": r.Body, "/bytes": iotest.OneByteReader(r.Body), "/unread": strings.NewReader("left")}[r.URL.Path]
	body, err := io.ReadAll(in)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	web.WriteComplete(w, r, http.StatusOK, body)
}

type unwrapping struct{ http.ResponseWriter }

func (u unwrapping) Unwrap() http.ResponseWriter { return u.ResponseWriter }

type hiding struct{ http.ResponseWriter }

// A step is what a client sends, and the methods of the requests whose answers it then awaits.
type step struct {
	text    string
	methods []string
}

func one(method, path, rest string) step {
	return step{method + " " + path + " HTTP/1.1\r\nHost: test\r\n" + rest, []string{method}}
}

// A handler that uses fields answers what it answers under net/http alone, in everything that a
// client can see.
func TestAnswers_AreThoseOfNetHTTP(t *testing.T) {
	t.Parallel()
	plain := one("GET", "/", "\r\n")
	for _, tt := range []struct {
		name          string
		handler       http.HandlerFunc
		conversations [][]step
	}{
		{"every kind of request", answering, everyKind()},
		{"sizes around those of buffers", answering, [][]step{aroundBuffers()}},
		{"bodies of requests", echoing, [][]step{requestBodies()}},
		{"nothing but fields", func(w http.ResponseWriter, _ *http.Request) { web.SetFields(w, typicalFields...) }, [][]step{{plain, plain}}},
		{"through a wrapper", func(w http.ResponseWriter, r *http.Request) { answering(unwrapping{w}, r) }, everyKind()[:1]},
		{"through a writer that hides", func(w http.ResponseWriter, r *http.Request) { answering(hiding{w}, r) }, everyKind()[:1]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := observed(tt.handler)
			address, reference := serve(t, Options{Handler: h, Wire: true}), serveReference(t, h)
			for _, steps := range tt.conversations {
				compare(t, address, reference, steps)
			}
		})
	}
}

// compare has the same conversation with two servers.
func compare(t *testing.T, address, reference string, steps []step) {
	t.Helper()
	a, b := connect(t, address), connect(t, reference)
	defer a.conn.Close()
	defer b.conn.Close()
	for _, s := range steps {
		a.send(t, s.text)
		b.send(t, s.text)
		for _, method := range s.methods {
			got, want := a.receive(t, method), b.receive(t, method)
			for _, name := range []string{"Date", requestID} { // differ between any two
				if n := len(want.header[name]); len(got.header[name]) != n || n != 1 && want.status >= http.StatusOK {
					t.Errorf("%.80q: %s: %q, %q", s.text, name, got.header[name], want.header[name])
				}
				delete(got.header, name)
				delete(want.header, name)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%.80q is answered\n%.2000s, by net/http alone\n%.2000s", s.text, fmt.Sprint(got), fmt.Sprint(want))
			}
			if want.closes {
				a.ends(t)
				return
			}
		}
	}
}

func everyKind() (all [][]step) {
	var pipelined step
	for _, version := range []string{
		"HTTP/1.1\r\nHost: test\r\n", "HTTP/1.1\r\nHost: test\r\nConnection: close\r\n",
		"HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: keep-alive\r\n",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			for _, status := range []int{200, 404, 304} {
				for _, size := range sizes {
					for _, query := range []string{"", "?plain", "?pieces"} {
						s := step{fmt.Sprintf("%s /7/%d/%d%s %s\r\n", method, status, size, query, version), []string{method}}
						all = append(all, []step{s, s}) // the second shows that the first ended where it said
						pipelined.text += s.text
						pipelined.methods = append(pipelined.methods, method)
					}
				}
			}
		}
		if !strings.Contains(version, "close") && !strings.Contains(version, "1.0") {
			all = append(all, []step{pipelined})
		}
	}
	return all
}

func aroundBuffers() (steps []step) {
	for _, around := range []int{2 << 10, 4 << 10, 8 << 10} {
		for size := around - 200; size < around+20; size++ {
			for _, path := range []string{"/%d/200/%d", "/%d/200/1%d", "/%d/200/%d?plain"} {
				steps = append(steps, one("GET", fmt.Sprintf(path, size, size), "\r\n"))
			}
		}
	}
	for _, size := range []int{0, 100, 10_000} {
		for header := 3900; header < 4100; header++ {
			steps = append(steps, one("GET", fmt.Sprintf("/%d/200/%d/%d", header, size, header), "\r\n"))
		}
	}
	return steps
}

func requestBodies() (steps []step) {
	for _, path := range []string{"/", "/bytes"} {
		for _, size := range []int{1, 4095, 4096, 4097, 100_000} {
			body := bodyOf(1, size)
			var chunked strings.Builder
			for rest, n := body, 1; len(rest) > 0; n *= 3 {
				n = min(n, len(rest))
				fmt.Fprintf(&chunked, "%x\r\n%s\r\n", n, rest[:n])
				rest = rest[n:]
			}
			steps = append(steps,
				one("POST", path, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, body)),
				one("POST", path, "Transfer-Encoding: chunked\r\n\r\n"+chunked.String()+"0\r\n\r\n"),
				one("POST", path, fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", size)), // to continue
				step{string(body), []string{"POST"}},
				one("POST", "/unread", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, body)),
			)
		}
	}
	for _, c := range bodyOf(0, 300) { // each byte by itself, while the handler runs
		begin := one("POST", "/bytes", "Content-Length: 2\r\n\r\n"+string(c))
		steps = append(steps, step{text: begin.text}, step{string(c), []string{"POST"}})
	}
	return steps
}

// A request that comes while the handler of another runs is answered after it.
func TestAnswers_NextRequestDuringASlowHandler(t *testing.T) {
	t.Parallel()
	begun, sent := make(chan struct{}), make(chan struct{})
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/1/") {
			close(begun)
			<-sent
		}
		answering(w, r)
	}))
	w.send(t, "GET /1/200/5000 HTTP/1.1\r\nHost: test\r\n\r\n")
	<-begun
	w.send(t, "GET /2/404/6000 HTTP/1.1\r\nHost: test\r\n\r\nGET /3/200/10 HT")
	close(sent)
	expect(t, w.receive(t, "GET"), "GET", 1, 200, 5000)
	expect(t, w.receive(t, "GET"), "GET", 2, 404, 6000)
	w.send(t, "TP/1.1\r\nHost: test\r\n\r\n")
	expect(t, w.receive(t, "GET"), "GET", 3, 200, 10)
}

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
func TestAnswers_WithoutFields(t *testing.T) {
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
		for layer, wrap := range map[string]func(http.Handler) http.Handler{
			"bare":     func(h http.Handler) http.Handler { return h },
			"observed": observed,
		} {
			t.Run(name+", "+layer, func(t *testing.T) {
				t.Parallel()
				address, reference := serve(t, Options{Handler: wrap(h), Wire: true}), serveReference(t, wrap(h))
				for _, text := range requests {
					got, want := raw(t, address, text), raw(t, reference, text)
					if got != want {
						t.Errorf("%q is answered\n%.300q, by net/http alone\n%.300q", text, got, want)
					}
				}
			})
		}
	}
}
