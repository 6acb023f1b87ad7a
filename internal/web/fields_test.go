package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// once tells that a header is there exactly once.
func once(t *testing.T, r reply, name, value string) {
	t.Helper()
	if got := r.header[name]; len(got) != 1 || value != "" && got[0] != value {
		t.Errorf("%s: %q, want %q once", name, got, value)
	}
}

// onTheWire is an answer as it is sent, up to its body.
func onTheWire(t *testing.T, address string) (head string) {
	t.Helper()
	w := connect(t, address)
	w.send(t, "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
	all, err := io.ReadAll(w.conn)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ = strings.Cut(string(all), "\r\n\r\n")
	return head
}

func TestValuesAddNoHeaders(t *testing.T) {
	t.Parallel()
	const evil = "a\r\nX-Evil: 1\nX-Evil: 2\rX-Evil: 3\x00\r\n\r\nbody"
	const tame = "a  X-Evil: 1 X-Evil: 2 X-Evil: 3     body"
	made := NewField("X-Made", evil)
	h := observing(func(w http.ResponseWriter, _ *http.Request) {
		SetFields(w, made)
		SetField(w, "X-Set", evil)
	})
	reference, _ := start(t, h)
	for name, address := range map[string]string{
		"under a Server": serve(t, NewServer(ServerOptions{Handler: h, Wire: true})),
		"elsewhere":      strings.TrimPrefix(reference, "http://"),
	} {
		head := onTheWire(t, address)
		for _, want := range []string{"X-Made: " + tame, "X-Set: " + tame} {
			if strings.Count(head, "\r\n"+want+"\r\n") != 1 {
				t.Errorf("%s: no line %q in %q", name, want, head)
			}
		}
		if strings.Contains(head, "\nX-Evil") || strings.Contains(head, "\rX-Evil") || strings.Contains(head, "\x00") {
			t.Errorf("%s: a value adds a header: %q", name, head)
		}
	}
}

func TestFieldsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, _ *http.Request) {
		SetFields(w, typicalFields...)
		SetField(w, "X-Own", "1")
	}))
	for range 2 {
		w.send(t, get)
		got := w.receive(t, "GET")
		if got.status != 200 || got.length != 0 {
			t.Errorf("answered %+v", got)
		}
		once(t, got, "Vary", "Authorization")
		once(t, got, "X-Own", "1")
		once(t, got, requestIDHeader, "")
	}
}

// failing sets fields and panics on /panic, and answers elsewhere.
func failing(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/panic" {
		SetFields(w, typicalFields...)
		SetField(w, "X-Own", "1")
		w.Header().Set("Content-Length", "5000")
		panic("on purpose")
	}
	answering(w, r)
}

func TestFieldsOfAnAnswerThatFailed(t *testing.T) {
	t.Parallel()
	writers := map[string]func(http.ResponseWriter, *http.Request, *Error){
		"through the map": nil,
		"through fields": func(w http.ResponseWriter, r *http.Request, e *Error) {
			SetFields(w, typicalFields[0], NewField("Cache-Control", "no-store"))
			w.Header().Set("Content-Length", "15")
			WriteWhole(w, r, e.Status, []byte("internal error\n"))
		},
	}
	for i := range 2 * len(writers) {
		name := [...]string{"through the map", "through fields"}[i%2]
		t.Run(fmt.Sprintf("%s, %d", name, i), func(t *testing.T) {
			t.Parallel()
			writer := writers[name]
			o := NewObserver(ObserverOptions{WriteError: writer})
			address := serve(t, NewServer(ServerOptions{Handler: o.Wrap(http.HandlerFunc(failing)), Wire: i < len(writers)}))
			w := connect(t, address)
			w.send(t, "GET /panic HTTP/1.1\r\nHost: test\r\n\r\n")
			got := w.receive(t, "GET")
			if got.status != 500 || got.body != "internal error\n" {
				t.Errorf("answered %+v", got)
			}
			once(t, got, "Cache-Control", "no-store")
			once(t, got, requestIDHeader, "")
			if got.header["Etag"] != nil || got.header["X-Own"] != nil {
				t.Errorf("the error has fields of the answer it takes the place of: %v", got.header)
			}
			if writer != nil {
				once(t, got, "Vary", "Authorization")
			}
			for _, next := range []*rawClient{w, connect(t, address)} {
				next.send(t, "GET /3/200/5000 HTTP/1.1\r\nHost: test\r\n\r\n")
				got := next.receive(t, "GET")
				expect(t, got, "GET", 3, 200, 5000)
				if got.header["X-Own"] != nil || got.header["Cache-Control"] != nil {
					t.Errorf("the next answer has fields of the one before: %v", got.header)
				}
			}
		})
	}
}

func TestPanicAfterTheHead(t *testing.T) {
	t.Parallel()
	address := serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		SetFields(w, typicalFields...)
		switch r.URL.Path {
		case "/head":
			w.WriteHeader(http.StatusOK)
		case "/some":
			w.Header().Set("Content-Length", "1000000")
			_, _ = w.Write(make([]byte, 10_000))
		case "/less":
			w.Header().Set("Content-Length", "1000000")
			WriteWhole(w, r, http.StatusOK, make([]byte, 5000))
		}
		panic("on purpose")
	})
	for _, path := range []string{"/head", "/some", "/less"} {
		w := connect(t, address)
		w.send(t, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")
		response, err := http.ReadResponse(w.in, nil)
		if err != nil {
			continue // it was cut before its head
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err == nil {
			t.Errorf("%s passes for a whole answer of %d bytes: %v", path, len(body), response.Header)
		}
	}
}

func TestInformationalAnswer(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		SetField(w, "X-Field", "1")
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Content-Length", "5000")
		WriteWhole(w, r, http.StatusOK, bodyOf(0, 5000))
	}))
	w.send(t, get)
	for range 2 {
		got := w.receive(t, "GET")
		if want := (http.Header{"Link": {"</style.css>; rel=preload"}}); got.status != 103 || !reflect.DeepEqual(got.header, want) {
			t.Errorf("the hint is %+v", got)
		}
	}
	got := w.receive(t, "GET")
	if got.status != 200 || got.body != string(bodyOf(0, 5000)) {
		t.Errorf("answered %d, %d bytes", got.status, len(got.body))
	}
	once(t, got, "X-Field", "1")
	once(t, got, "Link", "")
	once(t, got, requestIDHeader, "")
}

// An answer that takes the place of another has its own fields alone.
func TestForgetFields(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		SetFields(w, NewField("X-Old", "1"))
		SetField(w, "X-Both", "old")
		ForgetFields(w)
		SetField(w, "X-Both", "new")
		answering(w, r)
	}))
	w.send(t, "GET /1/200/5000 HTTP/1.1\r\nHost: test\r\n\r\n")
	got := w.receive(t, "GET")
	expect(t, got, "GET", 1, 200, 5000)
	once(t, got, "X-Both", "new")
	if got.header["X-Old"] != nil {
		t.Errorf("a forgotten field was sent: %v", got.header)
	}
}

// Wrapped writers lead to the connection, and those that hide what is beneath them
// to the map: the client sees no difference.
func TestFieldsThroughOtherWriters(t *testing.T) {
	t.Parallel()
	type hidden struct{ http.ResponseWriter }
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Hide") != "" {
			w = hidden{w}
		} else {
			w = unwrapping{w}
		}
		answering(w, r)
	}))
	for _, hide := range []string{"", "Hide: 1\r\n"} {
		w.send(t, "GET /1/200/5000 HTTP/1.1\r\nHost: test\r\n"+hide+"\r\n")
		expect(t, w.receive(t, "GET"), "GET", 1, 200, 5000)
	}
}

type unwrapping struct{ http.ResponseWriter }

func (u unwrapping) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// Without a Server or an Observer the fields are in the map.
func TestFieldsElsewhere(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(context.Background(), "GET", "/4/200/10", nil)
	for name, h := range map[string]http.Handler{"bare": http.HandlerFunc(answering), "observed": observing(answering)} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header(); got.Get("Etag") != `"abc"` || got.Get("X-Number") != "4" || w.Body.String() != string(bodyOf(4, 10)) {
			t.Errorf("%s: %v %q", name, got, w.Body)
		}
	}
}

// BenchmarkAnswer is an answer of 466 bytes with a dozen headers, over a connection.
func BenchmarkAnswer(b *testing.B) {
	fields := make([]Field, 12)
	for i := range fields {
		fields[i] = NewField(fmt.Sprintf("X-Header-Number-%d", i), "a value of some thirty characters")
	}
	body, length, kind := bodyOf(0, 466), []string{"466"}, []string{"application/json"}
	ways := map[string]http.HandlerFunc{
		"fields": func(w http.ResponseWriter, r *http.Request) {
			SetFields(w, fields...)
			h := w.Header()
			h["Content-Type"], h["Content-Length"] = kind, length
			WriteWhole(w, r, http.StatusOK, body)
		},
		"map": func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			for i := range fields {
				name, value := fields[i].Header()
				h[name] = value
			}
			h["Content-Type"], h["Content-Length"] = kind, length
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write(body)
		},
	}
	const batch = 64 // requests sent at once, so that what is measured is the server
	requests := bytes.Repeat([]byte("GET /api/v1/tools/tournevis HTTP/1.1\r\nHost: test\r\n\r\n"), batch)
	for name, handler := range ways {
		b.Run(name, func(b *testing.B) {
			w := connect(b, serveObserved(b, handler))
			_ = w.conn.SetDeadline(time.Time{})
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%batch == 0 {
					if _, err := w.conn.Write(requests); err != nil {
						b.Fatal(err)
					}
				}
				if err := skip(w.in, len(body)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// skip passes over an answer, which costs little.
func skip(in *bufio.Reader, size int) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("head: %w", err)
		}
		if len(line) == len("\r\n") {
			break
		}
	}
	if _, err := in.Discard(size); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}
