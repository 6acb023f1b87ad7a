package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// outside is an address of this machine that tests allow, while 127.0.0.1 stays forbidden.
const outside = "127.0.0.2"

func allowOutside() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix(outside + "/32")} }

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", outside+":0")
	if err != nil {
		t.Skipf("this system has no address %s: %v", outside, err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// serveHTTP serves a handler outside and returns its URL.
func serveHTTP(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := &httptest.Server{Listener: listen(t), Config: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// serveTCP serves connections by hand, each after its first bytes have arrived; serve must return
// when ctx is done.
func serveTCP(t *testing.T, serve func(ctx context.Context, c *net.TCPConn)) (url string) {
	t.Helper()
	l := listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer c.Close()
				stop := context.AfterFunc(ctx, func() { c.Close() })
				defer stop()
				_, _ = c.Read(make([]byte, 4096))
				serve(ctx, c.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() { cancel(); l.Close(); serving.Wait() })
	return "http://" + l.Addr().String()
}

// newSender returns a sender that may send outside.
func newSender(t *testing.T, o SenderOptions) *Sender {
	t.Helper()
	o.Allow = allowOutside()
	s := NewSender(o)
	t.Cleanup(s.Close)
	return s
}

func TestSend_Request(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var requests []*http.Request
	var bodies [][]byte
	url := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		requests, bodies = append(requests, r), append(bodies, body)
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Write([]byte("merci"))
	})
	s, current, old := newSender(t, SenderOptions{Agent: "Palmares-Test/1"}), NewSecret(), NewSecret()
	body := event("tool.created", `{"a":1}`, "").Payload()
	for range 2 {
		r := s.Send(t.Context(), Message{URL: url + "/hook?a=%2F", ID: "msg_1", At: time.Now(), Body: body, Secrets: []Secret{current, old}})
		if r.Took <= 0 {
			t.Errorf("it took %v", r.Took)
		}
		r.Took = 0
		testkit.Equal(t, "result", r, Result{Status: 200, Response: "merci"})
	}
	for i, r := range requests {
		testkit.Equal(t, "request", r.Method+" "+r.RequestURI+" "+string(bodies[i]), "POST /hook?a=%2F "+string(body))
		testkit.Equal(t, "headers", slices.Sorted(maps.Keys(r.Header)),
			[]string{"Content-Length", "Content-Type", "User-Agent", "Webhook-Id", "Webhook-Signature", "Webhook-Timestamp"})
		testkit.Equal(t, "header values", []string{r.Header.Get("Content-Type"), r.UserAgent(), r.Header.Get("Webhook-Id")},
			[]string{"application/json", "Palmares-Test/1", "msg_1"})
		for secret, want := range map[Secret]bool{current: true, old: true, NewSecret(): false} {
			w, _ := standardwebhooks.NewWebhook(secret.Reveal())
			if err := w.Verify(bodies[i], r.Header); (err == nil) != want {
				t.Errorf("verified: %v, want %t", err, want)
			}
		}
	}
	if len(requests) != 2 || requests[0].RemoteAddr != requests[1].RemoteAddr {
		t.Errorf("%d requests, or more than one connection", len(requests))
	}
}

func TestSend_Status(t *testing.T) {
	t.Parallel()
	url := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Path[1:])
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(status)
	})
	now := noon
	s := newSender(t, SenderOptions{Now: func() time.Time { now = now.Add(time.Second); return now }})
	for _, status := range []int{200, 201, 204, 299, 400, 404, 410, 429, 500, 503, 599} {
		r := s.Send(t.Context(), Message{URL: url + "/" + strconv.Itoa(status), At: noon})
		testkit.Equal(t, "result", r, Result{Status: status, RetryAfter: 2 * time.Minute, Took: 2 * time.Second})
		testkit.Equal(t, "OK", r.OK(), status < 300)
		testkit.Equal(t, "Gone", r.Gone(), status == 410)
	}
	if (Result{}).OK() || (Result{Status: 199}).OK() || (Result{Status: 300}).OK() {
		t.Error("something else than 2xx is a success")
	}
}

// Receivers that try to keep the sender waiting.
func TestSend_DifficultReceivers(t *testing.T) {
	t.Parallel()
	write := func(text string) func(context.Context, *net.TCPConn) {
		return func(_ context.Context, c *net.TCPConn) { io.WriteString(c, text) }
	}
	drip := func(head, text string) func(context.Context, *net.TCPConn) { // byte by byte, for ever
		return func(ctx context.Context, c *net.TCPConn) {
			io.WriteString(c, head)
			for i := 0; ctx.Err() == nil; i++ {
				if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
	}
	hang := func(head string) func(context.Context, *net.TCPConn) {
		return func(ctx context.Context, c *net.TCPConn) { io.WriteString(c, head); <-ctx.Done() }
	}
	const timedOut = "timed out after 2 s" // enough for those that answer, on a busy machine
	for name, tt := range map[string]struct {
		serve    func(ctx context.Context, c *net.TCPConn)
		err      string // "*" is any
		status   int
		timedOut bool
	}{
		"hangs":                    {hang(""), timedOut, 0, true},
		"header byte by byte":      {drip("HTTP/1.1 200 OK\r\n", "A: b\r\n"), timedOut, 0, true},
		"body byte by byte":        {drip("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", "x"), "", 200, true},
		"failure and then silence": {hang("HTTP/1.1 500 Oh\r\nContent-Length: 10\r\n\r\noh"), "", 500, true},
		"resets":                   {func(_ context.Context, c *net.TCPConn) { _ = c.SetLinger(0) }, "connection reset", 0, false},
		"closes":                   {write(""), "the connection was closed without an answer", 0, false},
		"closes in the header":     {write("HTTP/1.1 200 OK\r\nA: b"), "the connection was closed without an answer", 0, false},
		"body cut off":             {write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nxx"), "", 200, false},
		"another protocol":         {write("SSH-2.0-OpenSSH_9.9\r\n\r\n"), "the answer is not HTTP", 0, false},
		"switches protocols":       {write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), "", 101, false},
		"endless interim answers": {func(ctx context.Context, c *net.TCPConn) {
			for ctx.Err() == nil {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"); err != nil {
					return
				}
			}
		}, "*", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSender(t, SenderOptions{Timeout: 2 * time.Second}).Send(t.Context(), Message{URL: serveTCP(t, tt.serve), Body: []byte("{}")})
			got := r.Reason.String()
			if got != tt.err && (tt.err != "*" || got == "") || r.Status != tt.status || r.TimedOut != tt.timedOut || strings.Contains(got, "127.") {
				t.Errorf("%+v", r)
			}
		})
	}
	// The body decides nothing: the sender does not wait for it until the timeout, an hour here.
	r := newSender(t, SenderOptions{Timeout: time.Hour}).Send(t.Context(),
		Message{URL: serveTCP(t, hang("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"))})
	if !r.OK() || !r.TimedOut || r.Response != "half" || r.Took < bodyTimeout {
		t.Errorf("%+v", r)
	}
}

// However much a receiver sends, the sender reads little of it.
func TestSend_MemoryIsBounded(t *testing.T) { //nolint:paralleltest // it measures the memory of all
	pour := func(head string, block []byte) func(context.Context, *net.TCPConn) { // a gigabyte
		return func(_ context.Context, c *net.TCPConn) {
			io.WriteString(c, head)
			for written := 0; written < 1<<30; {
				n, err := c.Write(block)
				if written += n; err != nil {
					return
				}
			}
		}
	}
	block := bytes.Repeat([]byte("x"), 64<<10)
	const tooLarge = "the header of the answer is larger than 16 KB"
	for name, tt := range map[string]struct {
		serve  func(context.Context, *net.TCPConn)
		err    string
		status int
	}{
		"body":                   {pour("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", block), "", 200},
		"body without an end":    {pour("HTTP/1.1 200 OK\r\n\r\n", block), "", 200},
		"one chunk":              {pour("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\n", block), "", 200},
		"header":                 {pour("HTTP/1.1 200 OK\r\nA: ", block), tooLarge, 0},
		"headers without an end": {pour("HTTP/1.1 200 OK\r\n", bytes.Repeat([]byte("A: b\r\n"), 1000)), tooLarge, 0},
		"status line":            {pour("HTTP/1.1 200 ", block), tooLarge, 0},
	} {
		s, url := newSender(t, SenderOptions{Timeout: time.Minute}), serveTCP(t, tt.serve)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := s.Send(t.Context(), Message{URL: url})
		runtime.ReadMemStats(&after)
		if r.Status != tt.status || r.Reason.String() != tt.err || len(r.Response) > maxResponse {
			t.Errorf("%s: %+v", name, r)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
			t.Errorf("%s: %d bytes allocated", name, allocated)
		}
	}
	url := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", int(r.ContentLength)))
	})
	for size, ok := range map[int]bool{100: true, 15 << 10: true, 17 << 10: false} {
		if r := newSender(t, SenderOptions{}).Send(t.Context(), Message{URL: url, Body: make([]byte, size)}); r.OK() != ok {
			t.Errorf("a header of %d bytes: %+v", size, r)
		}
	}
}

func TestSend_KeepsPrintableText(t *testing.T) {
	t.Parallel()
	var all []byte
	for r := rune(1); r < 0x2100; r++ {
		all = utf8.AppendRune(all, r)
	}
	for body, want := range map[string]string{
		"":                             "",
		"déjà vu":                      "déjà vu",
		"a\r\n\tb\u00a0c\u2028d":       "a   b c d",
		"a\x00b\x1b[31m\x7f\u202ec":    "a\ufffdb\ufffd[31m\ufffd\ufffdc",
		"a\xffb\xc3":                   "a\ufffdb\ufffd",
		strings.Repeat("x", 5000):      strings.Repeat("x", 1000),
		"x" + strings.Repeat("é", 600): "x" + strings.Repeat("é", 499), // cut between characters
		strings.Repeat("\x00", 5000):   strings.Repeat("\ufffd", 333),
		"\x1f\x8b\x08":                 "\ufffd\ufffd\ufffd", // compressed
		string(all):                    "*",
	} {
		url := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip") // nobody asked for it
			io.WriteString(w, body)
		})
		r := newSender(t, SenderOptions{}).Send(t.Context(), Message{URL: url})
		if want != "*" && r.Response != want || !r.OK() || len(r.Response) > maxResponse || !utf8.ValidString(r.Response) ||
			strings.ContainsFunc(r.Response, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%.40q: %q", body, r.Response)
		}
	}
}

func TestSend_NoAnswer(t *testing.T) {
	t.Parallel()
	closed := listen(t)
	closed.Close()
	_, port, _ := net.SplitHostPort(closed.Addr().String())
	s := newSender(t, SenderOptions{Timeout: time.Minute, Resolver: dns(t, func(name string) []netip.Addr {
		if name == "hooks.example.com" {
			return addrs(outside)
		}
		return nil
	})})
	for url, want := range map[string]string{
		"http://" + closed.Addr().String():                 "connection refused",
		"http://hooks.example.com:" + port:                 "connection refused",
		"https://hooks.example.com:" + port:                "connection refused",
		"https://other.example.com/":                       "the host name does not exist",
		"http://127.0.0.1:" + port:                         "the address is not public",
		"http://8.8.8.8:81/":                               "only port 443 is allowed",
		"https://u:p@hooks.example.com/":                   "the URL is not valid",
		"ftp://hooks.example.com/":                         "the URL is not valid",
		"https://":                                         "the URL is not valid",
		"":                                                 "the URL is not valid",
		"https://hooks.example.com/\n":                     "the URL is not valid",
		"https://" + strings.Repeat("a", 70) + ".example/": "the host name does not exist",
	} {
		r := s.Send(t.Context(), Message{URL: url})
		if r.Reason.String() != want || r.Status != 0 || r.TimedOut || r.OK() {
			t.Errorf("%s: %+v, want %s", url, r, want)
		}
	}
	public := NewSender(SenderOptions{Resolver: resolverAt("127.0.0.1:1"), Timeout: time.Minute})
	defer public.Close()
	if r := public.Send(t.Context(), Message{URL: "https://hooks.example.com/"}); r.Reason.String() != "the host name could not be resolved" {
		t.Errorf("%+v", r)
	}
	if r := public.Send(t.Context(), Message{URL: "http://hooks.example.com:443/"}); r.Reason.Code != URLNotValid {
		t.Errorf("http without allowed networks: %+v", r)
	}
}

func TestSend_Interrupted(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 2)
	url := serveTCP(t, func(ctx context.Context, _ *net.TCPConn) { begun <- struct{}{}; <-ctx.Done() })
	s := newSender(t, SenderOptions{Timeout: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if r := s.Send(ctx, Message{URL: url}); r.Reason.Code != Interrupted || r.TimedOut || r.Status != 0 {
		t.Errorf("cancelled: %+v", r)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if r := s.Send(ctx, Message{URL: url}); r.Reason.Code != Interrupted || r.TimedOut {
		t.Errorf("the caller's deadline: %+v", r)
	}
}

func TestSend_TLS(t *testing.T) {
	t.Parallel()
	// The certificate of httptest is for example.com and *.example.com.
	serve := func(config *tls.Config) *httptest.Server {
		server := &httptest.Server{Listener: listen(t), TLS: config, EnableHTTP2: true, Config: &http.Server{
			Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }),
			ErrorLog:          log.New(io.Discard, "", 0),
			ReadHeaderTimeout: time.Minute,
		}}
		server.StartTLS()
		t.Cleanup(server.Close)
		return server
	}
	modern, resolver := serve(nil), dns(t, func(string) []netip.Addr { return addrs(outside) })
	named := func(s *httptest.Server, name string) string { return strings.Replace(s.URL, outside, name, 1) }
	plain := serveHTTP(t, http.NotFound)
	ssh := serveTCP(t, func(_ context.Context, c *net.TCPConn) { io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n") })
	untrusting := func(c *tls.Config) { c.RootCAs = x509.NewCertPool() }
	late := func(c *tls.Config) { c.Time = func() time.Time { return modern.Certificate().NotAfter.Add(time.Hour) } }
	for name, tt := range map[string]struct {
		url, want string
		change    func(*tls.Config)
	}{
		"trusted": {named(modern, "example.com"), "", nil},
		"TLS 1.2": {named(serve(&tls.Config{MaxVersion: tls.VersionTLS12}), "example.com"), "", nil},
		"TLS 1.1": {
			named(serve(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}), "example.com"),
			"the TLS handshake failed", nil,
		},
		"unknown authority": {named(modern, "example.com"), "certificate signed by an unknown authority", untrusting},
		"another host":      {named(modern, "example.org"), "certificate not valid for the host", nil},
		"an address":        {modern.URL, "certificate not valid for the host", nil},
		"expired":           {named(modern, "example.com"), "certificate expired or not valid yet", late},
		"plain HTTP":        {strings.Replace(plain, "http:", "https:", 1), "the receiver does not speak TLS", nil},
		"another protocol":  {strings.Replace(ssh, "http:", "https:", 1), "the receiver does not speak TLS", nil},
	} {
		s := newSender(t, SenderOptions{Resolver: resolver, Timeout: time.Minute})
		s.transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		s.transport.TLSClientConfig.RootCAs.AddCert(modern.Certificate())
		if tt.change != nil {
			tt.change(s.transport.TLSClientConfig)
		}
		r := s.Send(t.Context(), Message{URL: tt.url})
		switch {
		case tt.want == "":
			if !r.OK() || r.Response != "HTTP/1.1" {
				t.Errorf("%s: %+v", name, r)
			}
		case r.Reason.String() != tt.want || r.Status != 0 || r.TimedOut:
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// It runs in a process of its own: net/http reads the environment's proxies once.
func TestSend_UsesNoProxy(t *testing.T) {
	t.Parallel()
	const proxy = "http://127.0.0.1:1"
	if os.Getenv("HTTP_PROXY") != proxy {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSend_UsesNoProxy$", "-test.v")
		cmd.Env = append(os.Environ(), "NO_PROXY=", "no_proxy=")
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
			cmd.Env = append(cmd.Env, name+"="+proxy)
		}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestSend_UsesNoProxy") {
			t.Errorf("with proxies in the environment: %v\n%s", err, out)
		}
		return
	}
	url := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "direct") })
	// By name: the environment's proxies are not used for loopback addresses anyway.
	s := newSender(t, SenderOptions{Resolver: dns(t, func(string) []netip.Addr { return addrs(outside) })})
	if r := s.Send(t.Context(), Message{URL: strings.Replace(url, outside, "hooks.example.com", 1)}); r.Response != "direct" {
		t.Errorf("%+v", r)
	}
}

func TestSend_KeepsFewConnections(t *testing.T) {
	t.Parallel()
	const many = 12
	arrived, release := make(chan struct{}, many), make(chan struct{})
	var open atomic.Int64
	server := &httptest.Server{Listener: listen(t), Config: &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler:           http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release }),
		ConnState: func(_ net.Conn, state http.ConnState) {
			open.Add(map[http.ConnState]int64{http.StateNew: 1, http.StateClosed: -1}[state])
		},
	}}
	server.Start()
	defer server.Close()
	s := newSender(t, SenderOptions{})
	var sending sync.WaitGroup
	for range many {
		sending.Go(func() {
			if r := s.Send(t.Context(), Message{URL: server.URL}); !r.OK() {
				t.Errorf("%+v", r)
			}
		})
	}
	for range many {
		<-arrived
	}
	testkit.Equal(t, "open connections", open.Load(), int64(many))
	close(release)
	sending.Wait()
	testkit.EventuallyTrue(t, "few connections are open", func() bool { return open.Load() == idlePerHost })
	s.Close()
	testkit.EventuallyTrue(t, "no connection is open", func() bool { return open.Load() == 0 })
}
