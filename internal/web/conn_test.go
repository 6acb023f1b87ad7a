package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// serve runs s on a real listener until the test ends.
func serve(tb testing.TB, s *Server) (address string) {
	tb.Helper()
	var config net.ListenConfig
	l, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s.opts.Listeners = []net.Listener{l}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	tb.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			tb.Error(err)
		}
	})
	return l.Addr().String()
}

func observing(h http.HandlerFunc) http.Handler { return NewObserver(ObserverOptions{}).Wrap(h) }

func serveObserved(tb testing.TB, h http.HandlerFunc) (address string) {
	tb.Helper()
	return serve(tb, NewServer(ServerOptions{Handler: observing(h), Wire: true}))
}

func connect(tb testing.TB, address string) *rawClient {
	tb.Helper()
	w, err := dial(address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = w.conn.Close() })
	_ = w.conn.SetDeadline(time.Now().Add(30 * time.Second))
	return w
}

func (w *rawClient) send(tb testing.TB, text string) {
	tb.Helper()
	if _, err := io.WriteString(w.conn, text); err != nil {
		tb.Fatal(err)
	}
}

// A reply is an answer as a client sees it.
type reply struct {
	proto    string
	status   int
	header   http.Header
	length   int64
	encoding []string
	closes   bool
	body     string
}

func (w *rawClient) receive(tb testing.TB, method string) reply {
	tb.Helper()
	response, err := http.ReadResponse(w.in, &http.Request{Method: method})
	if err != nil {
		tb.Fatalf("receive: %v", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatalf("receive a body: %v after %d bytes", err, len(body))
	}
	return reply{
		response.Proto, response.StatusCode, response.Header, response.ContentLength,
		response.TransferEncoding, response.Close, string(body),
	}
}

// ends tells that nothing comes any more.
func (w *rawClient) ends(tb testing.TB) {
	tb.Helper()
	if rest, err := io.ReadAll(w.in); err != nil || len(rest) > 0 {
		tb.Errorf("the connection does not end here: %.100q, %v", rest, err)
	}
}

// alike compares two answers, but for what differs between any two.
func alike(t *testing.T, request string, got, want reply) {
	t.Helper()
	for _, r := range []*reply{&got, &want} {
		r.header = maps.Clone(r.header)
		for _, name := range []string{"Date", requestIDHeader} {
			if values := r.header[name]; len(values) != 1 || values[0] == "" {
				t.Errorf("%q: %s: %q", request, name, values)
			}
			delete(r.header, name)
		}
	}
	if got.body != want.body {
		t.Errorf("%q: bodies of %d and %d bytes differ", request, len(got.body), len(want.body))
	}
	got.body, want.body = "", ""
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q is answered\n%+v, net/http alone answers\n%+v", request, got, want)
	}
}

// bodyOf makes bodies that look like heads, and differ.
func bodyOf(number, size int) []byte {
	const text = "\r\n\r\nHTTP/1.1 200 OK\r\nX: "
	from := number % len(text)
	return bytes.Repeat([]byte(text), size/len(text)+2)[from : from+size]
}

var typicalFields = []Field{NewField("Vary", "Authorization"), NewField("Etag", `"abc"`), NewField("X-Empty", "")}

// answering gives the answer that is asked for, in the way of the API.
func answering(w http.ResponseWriter, r *http.Request) {
	var number, status, size int
	_, _ = fmt.Sscanf(r.URL.Path, "/%d/%d/%d", &number, &status, &size)
	SetFields(w, typicalFields...)
	SetField(w, "X-Number", strconv.Itoa(number))
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
	WriteWhole(w, r, status, body)
}

var sizes = []int{0, 1, 2047, 2048, 4095, 4096, 4097, 25_000, 1_000_000}

// The reference is the same handler under a bare http.Server, where fields go into
// the header map.
func TestAnswersAreThoseOfNetHTTP(t *testing.T) {
	t.Parallel()
	address := serveObserved(t, answering)
	reference, _ := start(t, observing(answering))
	for _, version := range []string{
		"HTTP/1.1\r\nHost: test\r\n", "HTTP/1.1\r\nHost: test\r\nConnection: close\r\n",
		"HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: keep-alive\r\n",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			for _, status := range []int{200, 404, 304} {
				for _, size := range sizes {
					for _, query := range []string{"", "?plain", "?pieces"} {
						request := fmt.Sprintf("%s /7/%d/%d%s %s\r\n", method, status, size, query, version)
						a, b := connect(t, address), connect(t, strings.TrimPrefix(reference, "http://"))
						for range 2 { // the second shows that the first ended where it said
							a.send(t, request)
							b.send(t, request)
							got, want := a.receive(t, method), b.receive(t, method)
							alike(t, request, got, want)
							if want.closes {
								a.ends(t)
								break
							}
						}
						_, _ = a.conn.Close(), b.conn.Close()
					}
				}
			}
		}
	}
}

// expect checks the answer to request number i of a series.
func expect(t *testing.T, got reply, method string, number, status, size int) {
	t.Helper()
	want := string(bodyOf(number, size))
	if method == "HEAD" || status == http.StatusNotModified {
		want = ""
	}
	if got.status != status || got.body != want || len(got.header[requestIDHeader]) != 1 ||
		!reflect.DeepEqual(got.header["X-Number"], []string{strconv.Itoa(number)}) ||
		!reflect.DeepEqual(got.header["Etag"], []string{`"abc"`}) {
		t.Errorf("request %d, %s %d of %d bytes: answered %d with %v and %d bytes",
			number, method, status, size, got.status, got.header, len(got.body))
	}
}

// series is the request with this number of a varied series.
func seriesOf(number int) (text, method string, status, size int) {
	method = []string{"GET", "GET", "HEAD"}[number%3]
	status = []int{200, 404, 200, 304}[number%4]
	size = sizes[number%len(sizes)]
	return fmt.Sprintf("%s /%d/%d/%d HTTP/1.1\r\nHost: test\r\n\r\n", method, number, status, size), method, status, size
}

func TestManyRequestsOnAConnection(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, answering))
	for number := range 100 {
		text, method, status, size := seriesOf(number)
		w.send(t, text)
		expect(t, w.receive(t, method), method, number, status, size)
	}
}

func TestPipelinedRequests(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, answering))
	var all strings.Builder
	for number := range 20 {
		text, _, _, _ := seriesOf(number)
		all.WriteString(text)
	}
	w.send(t, all.String())
	for number := range 20 {
		_, method, status, size := seriesOf(number)
		expect(t, w.receive(t, method), method, number, status, size)
	}
}

// Wherever net/http's buffers happen to be full, the answer is whole, and nothing of
// a larger one lingers.
func TestEverySizeAroundTheBuffers(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, answering))
	for _, around := range []int{2 << 10, 4 << 10, 8 << 10} {
		for size := around - 200; size < around+20; size++ {
			for _, path := range []string{"/%d/200/%d", "/%d/200/1%d", "/%d/200/%d?plain"} {
				path = fmt.Sprintf(path, size, size)
				w.send(t, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")
				got := w.receive(t, "GET")
				expect(t, got, "GET", size, 200, int(got.length))
			}
		}
	}
}

// Headers that do not fit into net/http's buffer are written in several pieces.
func TestLargeHead(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		var number, size, head int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d/200/%d/%d", &number, &size, &head)
		w.Header().Set("X-Large", strings.Repeat("x", head))
		answering(w, r)
	}))
	for _, size := range []int{0, 100, 10_000} {
		for head := 3900; head < 4100; head++ {
			w.send(t, fmt.Sprintf("GET /%d/200/%d/%d HTTP/1.1\r\nHost: test\r\n\r\n", head, size, head))
			got := w.receive(t, "GET")
			expect(t, got, "GET", head, 200, size)
			if n := len(got.header.Get("X-Large")); n != head {
				t.Errorf("a header of %d bytes arrives as %d", head, n)
			}
		}
	}
}

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	address := serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		SetField(w, "X-Field", "set before the body is read")
		var in io.Reader = r.Body
		if r.URL.Path == "/bytes" {
			in = iotest.OneByteReader(in)
		}
		body, err := io.ReadAll(in)
		if err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		WriteWhole(w, r, http.StatusOK, body)
	})
	w := connect(t, address)
	answered := func(body []byte) {
		t.Helper()
		got := w.receive(t, "POST")
		if got.status != 200 || got.body != string(body) || len(got.header["X-Field"]) != 1 || len(got.header[requestIDHeader]) != 1 {
			t.Errorf("a body of %d bytes: answered %d with %v and %d bytes", len(body), got.status, got.header, len(got.body))
		}
	}
	for _, path := range []string{"/", "/bytes"} {
		for _, size := range []int{1, 4095, 4096, 4097, 100_000} {
			body := bodyOf(1, size)
			head := "POST " + path + " HTTP/1.1\r\nHost: test\r\n"

			w.send(t, fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, size, body))
			answered(body)

			var chunked strings.Builder
			for rest, n := body, 1; len(rest) > 0; n *= 3 {
				n = min(n, len(rest))
				fmt.Fprintf(&chunked, "%x\r\n%s\r\n", n, rest[:n])
				rest = rest[n:]
			}
			w.send(t, head+"Transfer-Encoding: chunked\r\n\r\n"+chunked.String()+"0\r\n\r\n")
			answered(body)

			w.send(t, fmt.Sprintf("%sExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", head, size))
			if got := w.receive(t, "POST"); got.status != 100 || len(got.header) > 0 {
				t.Errorf("to continue, the client is told %+v", got)
			}
			w.send(t, string(body))
			answered(body)
		}
	}
	for _, c := range bodyOf(0, 300) { // each byte by itself, while the handler runs
		w.send(t, "POST /bytes HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n"+string(c))
		w.send(t, string(c))
		answered([]byte{c, c})
	}
}

// A handler that leaves the body alone still gets its answer out, and the next
// request is found behind it.
func TestUnreadBody(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, answering))
	for number := range 10 {
		w.send(t, fmt.Sprintf("POST /%d/200/5000 HTTP/1.1\r\nHost: test\r\nContent-Length: 50000\r\n\r\n%s", number, bodyOf(0, 50_000)))
		expect(t, w.receive(t, "POST"), "POST", number, 200, 5000)
	}
}

// While a handler runs nothing is read: the next request waits where it is.
func TestNextRequestDuringASlowHandler(t *testing.T) {
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

func TestShutdownEndsIdleConnections(t *testing.T) {
	t.Parallel()
	l := listen(t)
	s := NewServer(ServerOptions{Listeners: []net.Listener{l}, Handler: observing(answering), Wire: true})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	w := connect(t, l.Addr().String())
	w.send(t, "GET /1/200/10 HTTP/1.1\r\nHost: test\r\n\r\n")
	expect(t, w.receive(t, "GET"), "GET", 1, 200, 10)
	stop()
	w.ends(t)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
