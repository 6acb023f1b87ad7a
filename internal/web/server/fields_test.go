package server

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// once checks that a header is there exactly once, with any value when value is "".
func once(t *testing.T, r reply, name, value string) {
	t.Helper()
	if got := r.header[name]; len(got) != 1 || value != "" && got[0] != value {
		t.Errorf("%s: %q, want %q once", name, got, value)
	}
}

// withAndWithoutWire runs a test on both kinds of connections.
func withAndWithoutWire(t *testing.T, h http.Handler, test func(t *testing.T, address string)) {
	t.Helper()
	for name, wired := range map[string]bool{"plain": false, "wire": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, serve(t, Options{Handler: h, Wire: wired}))
		})
	}
}

func TestFields_ValuesAddNoHeaders(t *testing.T) {
	t.Parallel()
	const evil = "a\r\nX-Evil: 1\nX-Evil: 2\rX-Evil: 3\x00\r\n\r\nbody"
	const tame = "a  X-Evil: 1 X-Evil: 2 X-Evil: 3     body"
	made := web.NewField("X-Made", evil)
	h := observed(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		web.SetFields(w, made)
		web.SetField(w, "X-Set", evil)
	}))
	withAndWithoutWire(t, h, func(t *testing.T, address string) {
		w := connect(t, address)
		w.send(t, "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
		all, err := io.ReadAll(w.conn)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(all), "\r\n\r\n")
		for _, want := range []string{"X-Made: " + tame, "X-Set: " + tame} {
			if strings.Count(head, "\r\n"+want+"\r\n") != 1 {
				t.Errorf("no line %q in %q", want, head)
			}
		}
		if strings.Contains(head, "\nX-Evil") || strings.Contains(head, "\rX-Evil") || strings.Contains(head, "\x00") {
			t.Errorf("a value adds a header: %q", head)
		}
	})
}

// What net/http reads or writes itself is on the wire once, however a handler sets it.
func TestFields_OfNetHTTPAreThereOnce(t *testing.T) {
	t.Parallel()
	const day = "Thu, 01 Jan 2026 00:00:00 GMT"
	values := map[string]string{
		"Content-Type": "application/json", "content-type": "application/json", "Date": day, "DATE": day, "Connection": "close", "Content-Length": "5000",
	}
	h := observed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		if r.URL.Path == "/made" {
			web.SetFields(w, web.NewField("X-Made", "1"), web.NewField(name, values[name]))
		} else {
			web.SetField(w, name, values[name])
			web.SetField(w, name, values[name])
		}
		web.WriteComplete(w, r, http.StatusOK, bodyOf(0, 5000))
	}))
	withAndWithoutWire(t, h, func(t *testing.T, address string) {
		for name, value := range values {
			for _, path := range []string{"/made", "/set"} {
				w := connect(t, address)
				w.send(t, "GET "+path+"?name="+name+" HTTP/1.0\r\n\r\n")
				all, err := io.ReadAll(w.in)
				testkit.Must(t, err)
				head, body, _ := strings.Cut(string(all), "\r\n\r\n")
				testkit.Equal(t, "the body", body, string(bodyOf(0, 5000)))
				lines := make(map[string][]string)
				for _, line := range strings.Split(head, "\r\n")[1:] {
					name, value, _ := strings.Cut(line, ": ")
					name = strings.ToLower(name)
					lines[name] = append(lines[name], value)
				}
				for _, one := range []string{"content-type", "content-length", "date", "connection"} {
					if len(lines[one]) != 1 && (one != "connection" || name == "Connection") {
						t.Errorf("%s of %s: %s is %q", path, name, one, lines[one])
					}
				}
				testkit.Equal(t, path+" of "+name, lines[strings.ToLower(name)], []string{value})
			}
		}
	})
}

// An error that takes the place of an answer keeps of its headers those that do not describe the
// body, unless the handler panicked: then nobody knows what they are worth. The next answer on the
// connection has nothing of either.
func TestFields_OfAnAnswerThatFailed(t *testing.T) {
	t.Parallel()
	writers := map[string]web.ErrorWriter{
		"through the map": web.WritePlainError,
		"through fields": func(w http.ResponseWriter, r *http.Request, e *web.Error) {
			web.SetFields(w, web.NewField("Cache-Control", "no-store"))
			w.Header().Set("Content-Length", strconv.Itoa(len(e.Message)+1))
			web.WriteComplete(w, r, e.Status, []byte(e.Message+"\n"))
		},
	}
	for name, write := range writers {
		h := observed(web.Handler(func(w http.ResponseWriter, r *http.Request) error {
			if r.URL.Path != "/panic" && r.URL.Path != "/error" {
				answering(w, r)
				return nil
			}
			web.SetFields(w, typicalFields...)
			web.SetField(w, "X-Own", "1")
			web.SetField(w, "Cache-Control", "public")
			w.Header().Set("Content-Length", "5000")
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("X-Mapped", "1")
			if r.URL.Path == "/panic" {
				panic("on purpose")
			}
			return web.Errorf(http.StatusInternalServerError, "internal error")
		}, write))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withAndWithoutWire(t, h, func(t *testing.T, address string) {
				for _, path := range []string{"/panic", "/error"} {
					w := connect(t, address)
					w.send(t, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")
					got := w.receive(t, "GET")
					if got.status != 500 || got.body != "internal error\n" {
						t.Errorf("answered %+v", got)
					}
					for name, value := range map[string]string{"Cache-Control": "no-store", "X-Mapped": "1", requestID: ""} {
						once(t, got, name, value)
					}
					if kept := got.header["X-Own"] != nil; kept != (path == "/error") || kept != (got.header["Vary"] != nil) {
						t.Errorf("%s: fields of the answer: %v", path, got.header)
					}
					if got.header["Etag"] != nil || got.header["Content-Encoding"] != nil {
						t.Errorf("%s: the error has headers of the body it takes the place of: %v", path, got.header)
					}
					for _, next := range []*rawClient{w, connect(t, address)} {
						next.send(t, "GET /3/200/5000 HTTP/1.1\r\nHost: test\r\n\r\n")
						got := next.receive(t, "GET")
						expect(t, got, "GET", 3, 200, 5000)
						if got.header["X-Own"] != nil || got.header["Cache-Control"] != nil {
							t.Errorf("the next answer has fields of the one before: %v", got.header)
						}
					}
				}
			})
		})
	}
}

// A panic after the header cuts the connection, whatever of the body was sent.
func TestFields_PanicAfterTheHeader(t *testing.T) {
	t.Parallel()
	address := serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		web.SetFields(w, typicalFields...)
		if r.URL.Path != "/head" {
			w.Header().Set("Content-Length", "1000000")
		}
		switch r.URL.Path {
		case "/head":
			w.WriteHeader(http.StatusOK)
		case "/some":
			_, _ = w.Write(make([]byte, 10_000))
		case "/less":
			web.WriteComplete(w, r, http.StatusOK, make([]byte, 5000))
		}
		panic("on purpose")
	})
	for _, path := range []string{"/head", "/some", "/less"} {
		w := connect(t, address)
		w.send(t, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")
		if got, err := w.read("GET"); err == nil {
			t.Errorf("%s passes for a whole answer: %.200v", path, got)
		}
	}
}

// Fields wait for the final header.
func TestFields_AfterHints(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		web.SetField(w, "X-Field", "1")
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Content-Length", "5000")
		web.WriteComplete(w, r, http.StatusOK, bodyOf(0, 5000))
	}))
	w.send(t, get)
	for range 2 {
		got := w.receive(t, "GET")
		testkit.Equal(t, "the status of the hint", got.status, 103)
		testkit.Equal(t, "the hint", got.header, http.Header{"Link": {"</style.css>; rel=preload"}})
	}
	got := w.receive(t, "GET")
	testkit.Equal(t, "the body", got.body, string(bodyOf(0, 5000)))
	for name, value := range map[string]string{"X-Field": "1", "Link": "", requestID: ""} {
		once(t, got, name, value)
	}
}

// What a hijacker writes is left as it is, also when the handler had set fields and has returned.
func TestFields_Hijacked(t *testing.T) {
	t.Parallel()
	returned := make(chan struct{})
	h := observed(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		web.SetFields(w, typicalFields...)
		own, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() {
			<-returned
			_, _ = io.WriteString(own, "HTTP/1.1 200 of its own\r\n\r\n")
			_ = own.Close()
		}()
	}))
	w := connect(t, serve(t, Options{Wire: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		close(returned)
	})}))
	w.send(t, get)
	if got, err := io.ReadAll(w.in); string(got) != "HTTP/1.1 200 of its own\r\n\r\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// The header is not held back for a body that does not come: that of a 304, or one that net/http
// refuses because it is longer than its Content-Length.
func TestFields_BodyThatDoesNotCome(t *testing.T) {
	t.Parallel()
	address := serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		var status, fill int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d/%d", &status, &fill)
		w.Header().Set("X-L", strings.Repeat("x", fill))
		if status == http.StatusOK {
			w.Header().Set("Content-Length", "1")
		}
		web.WriteComplete(w, r, status, []byte("abc"))
	})
	for _, status := range []int{http.StatusOK, http.StatusNotModified} {
		for fill := 3850; fill < 4050; fill++ { // one of these headers is 4096 bytes
			w := connect(t, address)
			w.send(t, fmt.Sprintf("GET /%d/%d HTTP/1.1\r\nHost: test\r\n\r\n", status, fill))
			if _, err := http.ReadResponse(w.in, nil); err != nil {
				t.Errorf("%d, %d: %v", status, fill, err)
			}
			_ = w.conn.Close()
		}
	}
}

// BenchmarkAnswer is an answer of 466 bytes with a dozen headers, over a connection. With the build
// tag nowire it shows what package wire is worth.
func BenchmarkAnswer(b *testing.B) {
	fields := make([]web.Field, 12)
	for i := range fields {
		fields[i] = web.NewField(fmt.Sprintf("X-Header-Number-%d", i), "a value of some thirty characters")
	}
	body, length, kind := bodyOf(0, 466), []string{"466"}, []string{"application/json"}
	w := connect(b, serveObserved(b, func(w http.ResponseWriter, r *http.Request) {
		web.SetFields(w, fields...)
		h := w.Header()
		h["Content-Type"], h["Content-Length"] = kind, length
		web.WriteComplete(w, r, http.StatusOK, body)
	}))
	_ = w.conn.SetDeadline(time.Time{})
	const batch = 64 // requests sent at once, so that what is measured is the server
	requests := bytes.Repeat([]byte("GET /api/v1/tools/tournevis HTTP/1.1\r\nHost: test\r\n\r\n"), batch)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%batch == 0 {
			if _, err := w.conn.Write(requests); err != nil {
				b.Fatal(err)
			}
		}
		for {
			line, err := w.in.ReadSlice('\n')
			if err != nil {
				b.Fatal(err)
			}
			if len(line) == len("\r\n") {
				break
			}
		}
		if _, err := w.in.Discard(len(body)); err != nil {
			b.Fatal(err)
		}
	}
}
