package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func loopbackResolver(server string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server)
	}}
}

// outside is an address of this machine that tests allow, while 127.0.0.1 stays
// forbidden.
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

// receiver serves h where the networks it gives allow sending to.
func receiver(t *testing.T, h http.Handler) (base string, allow []netip.Prefix) {
	t.Helper()
	server := &httptest.Server{Listener: listen(t), Config: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, allowOutside()
}

// answering serves connections by hand; serve is to return when ctx is done.
func answering(t *testing.T, serve func(ctx context.Context, c *net.TCPConn)) (base string) {
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
				serve(ctx, c.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() { cancel(); l.Close(); serving.Wait() })
	return "http://" + l.Addr().String()
}

// sender is one that may send to outside.
func sender(t *testing.T, timeout time.Duration) *Sender {
	t.Helper()
	s := NewSender(SenderOptions{Allow: allowOutside(), Timeout: timeout, Agent: "Palmares-Test/1"})
	t.Cleanup(s.Close)
	return s
}

func TestSend_WhatTheReceiverSees(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var requests []*http.Request
	var bodies [][]byte
	ports := map[string]bool{}
	base, _ := receiver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		requests, bodies = append(requests, r), append(bodies, body)
		ports[r.RemoteAddr] = true
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Write([]byte("merci"))
	}))
	s, current, old, at := sender(t, 0), NewSecret(), NewSecret(), time.Now()
	body := event("tool.created", `{"a":1}`, "").Payload()
	for range 2 {
		r := s.Send(t.Context(), Message{URL: base + "/hook?a=%2F", ID: "msg_1", At: at, Body: body, Secrets: []Secret{current, old}})
		if !r.OK() || r.Status != 200 || r.Err != nil || r.Response != "merci" || r.Took <= 0 || r.TimedOut || r.Gone() || r.RetryAfter != 0 {
			t.Errorf("%+v", r)
		}
	}
	for i, r := range requests {
		if r.Method != "POST" || r.RequestURI != "/hook?a=%2F" || r.ContentLength != int64(len(body)) || !bytes.Equal(bodies[i], body) {
			t.Errorf("%s %s %d %s", r.Method, r.RequestURI, r.ContentLength, bodies[i])
		}
		names := []string{}
		for name := range r.Header {
			names = append(names, name)
		}
		slices.Sort(names)
		want := []string{"Content-Length", "Content-Type", "User-Agent", "Webhook-Id", "Webhook-Signature", "Webhook-Timestamp"}
		if !slices.Equal(names, want) || r.Header.Get("Content-Type") != "application/json" || r.UserAgent() != "Palmares-Test/1" || r.Header.Get("Webhook-Id") != "msg_1" {
			t.Errorf("%v", r.Header)
		}
		for _, secret := range []Secret{current, old} {
			w, _ := standardwebhooks.NewWebhook(secret.Reveal())
			if err := w.Verify(bodies[i], r.Header); err != nil {
				t.Error(err)
			}
		}
		w, _ := standardwebhooks.NewWebhook(NewSecret().Reveal())
		if w.Verify(bodies[i], r.Header) == nil {
			t.Error("any secret will do")
		}
	}
	if len(requests) != 2 || len(ports) != 1 {
		t.Errorf("%d requests over %d connections", len(requests), len(ports))
	}
}

func TestSend_WhatTheStatusMeans(t *testing.T) {
	t.Parallel()
	base, allow := receiver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status int
		for _, c := range r.URL.Path[1:] {
			status = 10*status + int(c-'0')
		}
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(status)
	}))
	now := noon
	s := NewSender(SenderOptions{Allow: allow, Now: func() time.Time { now = now.Add(time.Second); return now }})
	defer s.Close()
	for path, want := range map[string]struct{ ok, gone bool }{
		"/200": {ok: true}, "/201": {ok: true}, "/204": {ok: true}, "/299": {ok: true}, "/400": {}, "/404": {}, "/410": {gone: true}, "/429": {}, "/500": {}, "/503": {}, "/599": {},
	} {
		r := s.Send(t.Context(), Message{URL: base + path, At: noon})
		if r.OK() != want.ok || r.Gone() != want.gone || r.Err != nil || r.Status == 0 || r.RetryAfter != 2*time.Minute || r.Took != 2*time.Second {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if (Result{}).OK() || (Result{Status: 199}).OK() || (Result{Status: 300}).OK() {
		t.Error("something else than 2xx is a success")
	}
}

// Receivers that do what they can to keep us, or to fill our memory.
func TestSend_DifficultReceivers(t *testing.T) {
	t.Parallel()
	const timeout = 2 * time.Second // enough for those that answer, on a busy machine
	read := func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) }
	drip := func(ctx context.Context, c net.Conn, text string) {
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	for _, tt := range []struct {
		name     string
		serve    func(ctx context.Context, c *net.TCPConn)
		err      string
		status   int
		timedOut bool
	}{
		{"hangs", func(ctx context.Context, _ *net.TCPConn) { <-ctx.Done() }, "timed out after 2 s", 0, true},
		{"reads and hangs", func(ctx context.Context, c *net.TCPConn) { read(c); <-ctx.Done() }, "timed out after 2 s", 0, true},
		{"resets", func(_ context.Context, c *net.TCPConn) { read(c); _ = c.SetLinger(0) }, "connection reset", 0, false},
		{"closes", func(_ context.Context, c *net.TCPConn) { read(c) }, "the connection was closed without an answer", 0, false},
		{"closes in the header", func(_ context.Context, c *net.TCPConn) { read(c); io.WriteString(c, "HTTP/1.1 200 OK\r\nA: b") }, "the connection was closed without an answer", 0, false},
		{"header byte by byte", func(ctx context.Context, c *net.TCPConn) {
			read(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			drip(ctx, c, "A: b\r\n")
		}, "timed out after 2 s", 0, true},
		{"body byte by byte", func(ctx context.Context, c *net.TCPConn) {
			read(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
			drip(ctx, c, "x")
		}, "", 200, true},
		{"failure, and then silence", func(ctx context.Context, c *net.TCPConn) {
			read(c)
			io.WriteString(c, "HTTP/1.1 500 Oh\r\nContent-Length: 10\r\n\r\noh")
			<-ctx.Done()
		}, "", 500, true},
		{"body cut off", func(_ context.Context, c *net.TCPConn) {
			read(c)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nxx")
		}, "", 200, false},
		{"endless interim answers", func(ctx context.Context, c *net.TCPConn) {
			read(c)
			for ctx.Err() == nil {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"); err != nil {
					return
				}
			}
		}, "*", 0, false},
		{"another protocol", func(_ context.Context, c *net.TCPConn) { read(c); io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n\r\n") }, "the answer is not HTTP", 0, false},
		{"switches protocols", func(_ context.Context, c *net.TCPConn) {
			read(c)
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
		}, "", 101, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := answering(t, tt.serve)
			start := time.Now()
			r := sender(t, timeout).Send(t.Context(), Message{URL: url, Body: []byte("{}")})
			if took := time.Since(start); took > timeout+time.Minute || r.TimedOut && took < timeout {
				t.Errorf("it took %v", took)
			}
			got := ""
			if r.Err != nil {
				got = r.Err.Error()
			}
			if (got != tt.err && (tt.err != "*" || got == "")) || r.Status != tt.status || r.TimedOut != tt.timedOut || strings.Contains(got, "127.") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// The body decides nothing, so nobody keeps us waiting for it up to the timeout.
func TestSend_DoesNotWaitForTheBody(t *testing.T) {
	t.Parallel()
	url := answering(t, func(ctx context.Context, c *net.TCPConn) {
		_, _ = c.Read(make([]byte, 4096))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
		<-ctx.Done()
	})
	start := time.Now()
	r := sender(t, time.Minute).Send(t.Context(), Message{URL: url})
	if took := time.Since(start); !r.OK() || !r.TimedOut || r.Response != "half" || took < bodyTime || took > bodyTime+50*time.Second {
		t.Errorf("%v: %+v", took, r)
	}
}

// It runs alone, since it looks at the memory of all.
func TestSend_MemoryIsBounded(t *testing.T) {
	const gigabyte = 1 << 30
	block := []byte(strings.Repeat("x", 64<<10))
	var written atomic.Int64
	pour := func(head string, block []byte) func(context.Context, *net.TCPConn) {
		return func(_ context.Context, c *net.TCPConn) {
			_, _ = c.Read(make([]byte, 4096))
			io.WriteString(c, head)
			for written.Load() < gigabyte {
				n, err := c.Write(block)
				written.Add(int64(n))
				if err != nil {
					return
				}
			}
		}
	}
	for _, tt := range []struct {
		name   string
		url    string
		err    string
		status int
	}{
		{"body of a gigabyte", answering(t, pour("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", block)), "", 200},
		{"body without an end", answering(t, pour("HTTP/1.1 200 OK\r\n\r\n", block)), "", 200},
		{"one chunk of a gigabyte", answering(t, pour("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\n", block)), "", 200},
		{"header of a gigabyte", answering(t, pour("HTTP/1.1 200 OK\r\nA: ", block)), "the header of the answer is larger than 16 KB", 0},
		{"headers without an end", answering(t, pour("HTTP/1.1 200 OK\r\n", bytes.Repeat([]byte("A: b\r\n"), 1000))), "the header of the answer is larger than 16 KB", 0},
		{"status line of a gigabyte", answering(t, pour("HTTP/1.1 200 ", block)), "the header of the answer is larger than 16 KB", 0},
	} {
		s := sender(t, time.Minute)
		written.Store(0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		r := s.Send(t.Context(), Message{URL: tt.url})
		runtime.ReadMemStats(&after)
		if r.Status != tt.status || (tt.err != "") != (r.Err != nil) || r.Err != nil && r.Err.Error() != tt.err || len(r.Response) > mostResponse {
			t.Errorf("%s: %+v", tt.name, r)
		}
		allocated := after.TotalAlloc - before.TotalAlloc
		if allocated > 1<<20 || time.Since(start) > 50*time.Second {
			t.Errorf("%s: %d bytes allocated, %v", tt.name, allocated, time.Since(start))
		}
		t.Logf("%s: %d KB allocated, %d KB poured, %v", tt.name, allocated>>10, written.Load()>>10, time.Since(start).Round(time.Millisecond))
	}
}

func TestSend_HeaderUpToTheBound(t *testing.T) {
	t.Parallel()
	base, _ := receiver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", int(r.ContentLength)))
	}))
	s := sender(t, 0)
	for size, ok := range map[int]bool{100: true, 15 << 10: true, 17 << 10: false} {
		if r := s.Send(t.Context(), Message{URL: base, Body: make([]byte, size)}); r.OK() != ok {
			t.Errorf("%d: %+v", size, r)
		}
	}
}

func TestSend_KeepsPrintableText(t *testing.T) {
	t.Parallel()
	var all []byte
	for r := rune(1); r < 0x2100; r++ {
		all = utf8.AppendRune(all, r)
	}
	for _, tt := range []struct{ name, body, want string }{
		{"nothing", "", ""},
		{"text", "déjà vu", "déjà vu"},
		{"lines", "a\r\n\tb\u00a0c\u2028d", "a   b c d"},
		{"controls", "a\x00b\x1b[31m\x7f\u202ec", "a\ufffdb\ufffd[31m\ufffd\ufffdc"},
		{"not UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"long", strings.Repeat("x", 5000), strings.Repeat("x", 1000)},
		{"cut between characters", "x" + strings.Repeat("é", 600), "x" + strings.Repeat("é", 499)},
		{"binary", strings.Repeat("\x00", 5000), strings.Repeat("\ufffd", 333)},
		{"compressed", "\x1f\x8b\x08", "\ufffd\ufffd\ufffd"},
		{"everything", string(all), "*"},
	} {
		base, allow := receiver(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip") // nobody asked for it
			io.WriteString(w, tt.body)
		}))
		s := NewSender(SenderOptions{Allow: allow})
		r := s.Send(t.Context(), Message{URL: base})
		s.Close()
		if tt.want != "*" && r.Response != tt.want || !r.OK() {
			t.Errorf("%s: %q %+v", tt.name, r.Response, r)
		}
		if len(r.Response) > mostResponse || !utf8.ValidString(r.Response) || strings.ContainsFunc(r.Response, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%s: %q", tt.name, r.Response)
		}
	}
}

func TestSend_NoAnswer(t *testing.T) {
	t.Parallel()
	closed := listen(t)
	closed.Close()
	_, port, _ := net.SplitHostPort(closed.Addr().String())
	resolver := dns(t, func(name string) []netip.Addr {
		if name == "hooks.example.com" {
			return addrs(outside)
		}
		return nil
	})
	s := NewSender(SenderOptions{Allow: allowOutside(), Resolver: resolver, Timeout: 5 * time.Second})
	defer s.Close()
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
		if r := s.Send(t.Context(), Message{URL: url}); r.Err == nil || r.Err.Error() != want || r.Status != 0 || r.TimedOut || r.OK() {
			t.Errorf("%s: %+v, want %s", url, r, want)
		}
	}
	silent := NewSender(SenderOptions{Resolver: loopbackResolver("127.0.0.1:1"), Timeout: 5 * time.Second})
	defer silent.Close()
	if r := silent.Send(t.Context(), Message{URL: "https://hooks.example.com/"}); r.Err == nil || r.Err.Error() != "the host name could not be resolved" {
		t.Errorf("%+v", r)
	}
	// Without networks to allow, http does not even begin.
	if r := silent.Send(t.Context(), Message{URL: "http://hooks.example.com:443/"}); !errors.Is(r.Err, errURL) {
		t.Errorf("%+v", r)
	}
}

func TestSend_Interrupted(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 2)
	url := answering(t, func(ctx context.Context, _ *net.TCPConn) { begun <- struct{}{}; <-ctx.Done() })
	s := sender(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if r := s.Send(ctx, Message{URL: url}); !errors.Is(r.Err, ErrInterrupted) || r.TimedOut || r.Status != 0 {
		t.Errorf("cancelled: %+v", r)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if r := s.Send(ctx, Message{URL: url}); !errors.Is(r.Err, ErrInterrupted) || r.TimedOut {
		t.Errorf("the caller's time is up: %+v", r)
	}
}

func TestSend_TLS(t *testing.T) {
	t.Parallel()
	serve := func(t *testing.T, config *tls.Config) *httptest.Server {
		t.Helper()
		server := &httptest.Server{Listener: listen(t), TLS: config, Config: &http.Server{
			Handler:           http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }),
			ErrorLog:          log.New(io.Discard, "", 0),
			ReadHeaderTimeout: time.Minute,
		}}
		server.EnableHTTP2 = true
		server.StartTLS()
		t.Cleanup(server.Close)
		return server
	}
	modern := serve(t, nil)
	roots := x509.NewCertPool()
	roots.AddCert(modern.Certificate())
	_, port, _ := net.SplitHostPort(modern.Listener.Addr().String())
	resolver := dns(t, func(string) []netip.Addr { return addrs(outside) })
	with := func(change func(*tls.Config)) *Sender {
		s := NewSender(SenderOptions{Allow: allowOutside(), Resolver: resolver, Timeout: 5 * time.Second})
		s.transport.TLSClientConfig.RootCAs = roots
		if change != nil {
			change(s.transport.TLSClientConfig)
		}
		t.Cleanup(s.Close)
		return s
	}
	plain, _ := receiver(t, http.NotFoundHandler())
	ssh := answering(t, func(_ context.Context, c *net.TCPConn) { io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n") })
	for _, tt := range []struct {
		name, url, want string
		s               *Sender
	}{
		// The certificate of httptest is for example.com and *.example.com.
		{"trusted", "https://example.com:" + port, "", with(nil)},
		{"TLS 1.2", strings.Replace(serve(t, &tls.Config{MaxVersion: tls.VersionTLS12}).URL, outside, "example.com", 1), "", with(nil)},
		{"TLS 1.1", strings.Replace(serve(t, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}).URL, outside, "example.com", 1), "the TLS handshake failed", with(nil)},
		{"unknown authority", "https://example.com:" + port, "certificate signed by an unknown authority", with(func(c *tls.Config) { c.RootCAs = x509.NewCertPool() })},
		{"another host", "https://example.org:" + port, "certificate not valid for the host", with(nil)},
		{"an address", modern.URL, "certificate not valid for the host", with(nil)},
		{"expired", "https://example.com:" + port, "certificate expired or not valid yet", with(func(c *tls.Config) {
			c.Time = func() time.Time { return modern.Certificate().NotAfter.Add(time.Hour) }
		})},
		{"plain HTTP", strings.Replace(plain, "http:", "https:", 1), "the receiver does not speak TLS", with(nil)},
		{"another protocol", strings.Replace(ssh, "http:", "https:", 1), "the receiver does not speak TLS", with(nil)},
	} {
		r := tt.s.Send(t.Context(), Message{URL: tt.url})
		switch {
		case tt.want == "":
			if !r.OK() || r.Response != "HTTP/1.1" {
				t.Errorf("%s: %+v", tt.name, r)
			}
		case r.Err == nil || r.Err.Error() != tt.want || r.Status != 0 || r.TimedOut:
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}

// It does not run in parallel, since it changes the environment.
// It runs in a process of its own: net/http reads the environment's proxies once.
func TestSend_UsesNoProxy(t *testing.T) {
	t.Parallel()
	const proxy = "http://127.0.0.1:1"
	if os.Getenv("HTTP_PROXY") != proxy {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSend_UsesNoProxy$", "-test.v")
		cmd.Env = os.Environ()
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
			cmd.Env = append(cmd.Env, name+"="+proxy)
		}
		cmd.Env = append(cmd.Env, "NO_PROXY=", "no_proxy=")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestSend_UsesNoProxy") {
			t.Errorf("with proxies in the environment: %v\n%s", err, out)
		}
		return
	}
	base, allow := receiver(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "direct") }))
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	resolver := dns(t, func(string) []netip.Addr { return addrs(outside) })
	s := NewSender(SenderOptions{Allow: allow, Resolver: resolver})
	defer s.Close()
	// Of a name: the environment's proxies are not used for loopback addresses anyway.
	if r := s.Send(t.Context(), Message{URL: "http://hooks.example.com:" + port}); r.Response != "direct" {
		t.Errorf("%+v", r)
	}
}

func TestSend_KeepsFewConnections(t *testing.T) {
	t.Parallel()
	const many = 12
	arrived := make(chan struct{}, many)
	release := make(chan struct{})
	var open atomic.Int64
	server := &httptest.Server{Listener: listen(t), Config: &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler:           http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release }),
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed:
				open.Add(-1)
			}
		},
	}}
	server.Start()
	defer server.Close()
	s := sender(t, 0)
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
	if open.Load() != many {
		t.Errorf("%d connections", open.Load())
	}
	close(release)
	sending.Wait()
	settles := func(want int64) {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Second); open.Load() != want; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d connections are open, want %d", open.Load(), want)
			}
		}
	}
	settles(idlePerHost)
	s.Close()
	settles(0)
}
