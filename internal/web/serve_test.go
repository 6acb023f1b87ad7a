package web

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A rawClient is a client on one connection that never retries, unlike http.Client:
// what the server loses, it reports.
type rawClient struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(address string) (*rawClient, error) {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	return &rawClient{conn, bufio.NewReader(conn)}, nil
}

func (w *rawClient) get(path string) (status int, body string, closes bool, err error) {
	_ = w.conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := fmt.Fprintf(w.conn, "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", path); err != nil {
		return 0, "", false, fmt.Errorf("send: %w", err)
	}
	response, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return 0, "", false, fmt.Errorf("receive: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, "", false, fmt.Errorf("receive: %w", err)
	}
	return response.StatusCode, string(text), response.Close, nil
}

// A public and an admin server are stopped under 32 clients that keep their
// connections: some hammer, some pause, so that some connections are idle when
// the drain begins. Clients reconnect on Connection: close and stop when their
// load balancer has seen /readyz fail. Not one request may be lost.
func TestNoRequestLostOnShutdown(t *testing.T) {
	t.Parallel()
	var draining atomic.Bool
	publicAt, adminAt := listen(t), listen(t)
	public := NewServer(ServerOptions{
		Name: "public", Listeners: []net.Listener{publicAt},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				time.Sleep(5 * time.Millisecond)
			}
			_, _ = io.WriteString(w, "body")
		}),
		OnDrain:    func() { draining.Store(true) },
		DrainDelay: 2 * time.Second, // leaves a busy machine time to notice
	})
	admin := NewServer(ServerOptions{
		Name: "admin", Listeners: []net.Listener{adminAt},
		Handler: Admin(AdminOptions{Ready: func() error {
			if draining.Load() {
				return errors.New("draining")
			}
			return nil
		}}),
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, admin, public) }()

	// The load balancer.
	out := make(chan struct{})
	var sawDraining atomic.Bool
	go func() {
		defer close(out)
		probe, err := dial(adminAt.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer probe.conn.Close()
		for {
			status, body, _, err := probe.get("/readyz")
			if err != nil {
				t.Errorf("the admin server did not outlive the public one: %v", err)
				return
			}
			if status == http.StatusServiceUnavailable {
				sawDraining.Store(body == "draining")
				time.Sleep(200 * time.Millisecond) // it takes its time
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()

	var answered, duringDrain, closed atomic.Int64
	var clients sync.WaitGroup
	for i := range 32 {
		clients.Go(func() {
			var connection *rawClient
			defer func() {
				if connection != nil {
					_ = connection.conn.Close()
				}
			}()
			path := [...]string{"/fast", "/slow"}[i%2]
			for {
				select {
				case <-out:
					return
				default:
				}
				var err error
				if connection == nil {
					if connection, err = dial(publicAt.Addr().String()); err != nil {
						t.Error(err)
						return
					}
				}
				late := draining.Load()
				status, body, closes, err := connection.get(path)
				if err != nil || status != http.StatusOK || body != "body" {
					t.Errorf("client %d lost a request: %d %q %v", i, status, body, err)
					return
				}
				answered.Add(1)
				if late {
					duringDrain.Add(1)
					if !closes {
						t.Error("an answer during the drain keeps the connection")
					}
				}
				if closes {
					closed.Add(1)
					_ = connection.conn.Close()
					connection = nil
				}
				time.Sleep(time.Duration(i%4) * time.Millisecond)
			}
		})
	}
	for deadline := time.Now().Add(10 * time.Second); answered.Load() < 500 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	stop()
	clients.Wait()
	<-out
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !sawDraining.Load() {
		t.Error("/readyz never said that the server was draining")
	}
	if answered.Load() < 500 || duringDrain.Load() < 32 || closed.Load() < 32 {
		t.Errorf("too little was tried: %d answered, %d during the drain, %d connections closed",
			answered.Load(), duringDrain.Load(), closed.Load())
	}
	for _, l := range []net.Listener{publicAt, adminAt} {
		if w, err := dial(l.Addr().String()); err == nil {
			_ = w.conn.Close()
			t.Error("a listener is still open")
		}
	}
}

func TestShutdownWaitsForRequests(t *testing.T) {
	t.Parallel()
	l := listen(t)
	begun := make(chan context.Context, 1)
	s := NewServer(ServerOptions{
		Listeners: []net.Listener{l},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun <- r.Context()
			time.Sleep(100 * time.Millisecond)
			if r.Context().Err() != nil {
				t.Error("the end of the server cancels a running request")
			}
			_, _ = io.WriteString(w, "done")
		}),
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	w, err := dial(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer w.conn.Close()
	go func() {
		<-begun
		stop()
	}()
	if _, body, _, err := w.get("/"); err != nil || body != "done" {
		t.Errorf("got %q, %v", body, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestShutdownTimeout(t *testing.T) {
	t.Parallel()
	l := listen(t)
	begun, told := make(chan struct{}), make(chan struct{})
	s := NewServer(ServerOptions{
		Name: "public", Listeners: []net.Listener{l}, ShutdownTimeout: 50 * time.Millisecond,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			close(told)
		}),
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	w, err := dial(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer w.conn.Close()
	go func() { _, _, _, _ = w.get("/") }()
	<-begun
	stop()
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "public server") {
		t.Errorf("Run returns %v", err)
	}
	<-told
}

func TestRunFailsTogether(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"public", "admin"} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			server := func(name string) *Server {
				l := listen(t)
				if name == broken {
					_ = l.Close()
				}
				return NewServer(ServerOptions{Name: name, Listeners: []net.Listener{l}, Handler: http.NotFoundHandler()})
			}
			err := Run(t.Context(), server("admin"), server("public"), server("other"))
			if !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), broken+" server") {
				t.Errorf("Run returns %v", err)
			}
		})
	}
}

func TestSeveralListeners(t *testing.T) {
	t.Parallel()
	one, two := listen(t), listen(t)
	type key struct{}
	s := NewServer(ServerOptions{
		Listeners: []net.Listener{one, two},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprint(w, r.Context().Value(key{}))
		}),
		BaseContext: func(l net.Listener) context.Context {
			return context.WithValue(context.Background(), key{}, l.Addr().String())
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	for _, l := range []net.Listener{one, two} {
		w, err := dial(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, body, _, err := w.get("/"); err != nil || body != l.Addr().String() {
			t.Errorf("got %q, %v", body, err)
		}
		_ = w.conn.Close()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServerLimits(t *testing.T) {
	t.Parallel()
	h := NewServer(ServerOptions{}).httpServer(t.Context())
	if h.MaxHeaderBytes != 16<<10 {
		t.Errorf("defaults: %+v", h)
	}

	l := listen(t)
	s := NewServer(ServerOptions{Listeners: []net.Listener{l}, Handler: http.NotFoundHandler(), ReadTimeout: 50 * time.Millisecond})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	w, err := dial(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if status, _, _, err := w.get("/" + strings.Repeat("x", 30<<10)); err == nil && status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 30 KB is answered %d", status)
	}
	_ = w.conn.Close()
	if w, err = dial(l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w.conn, "GET / HTTP/1.1\r\n") // and then nothing
	_ = w.conn.SetDeadline(time.Now().Add(5 * time.Second))
	if rest, err := io.ReadAll(w.conn); err != nil {
		t.Errorf("a slow header holds its connection: %q, %v", rest, err)
	}
	_ = w.conn.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestErrorLog(t *testing.T) {
	t.Parallel()
	tests := []struct{ message, level, want string }{
		{"http: TLS handshake error from 203.0.113.77:5000: EOF", "DEBUG", "http: TLS handshake error from 203.0.113.0/24: EOF"},
		{"http: panic serving [2001:db8:1:2::3]:9: boom\ngoroutine 1", "ERROR", "http: panic serving 2001:db8:1::/48: boom"},
		{"http: superfluous response.WriteHeader call from main.f (f.go:1)", "WARN", "http: superfluous response.WriteHeader call from main.f (f.go:1)"},
		{"http: Accept error: too many open files; retrying in 5ms", "WARN", "http: Accept error: too many open files; retrying in 5ms"},
	}
	for _, tt := range tests {
		log := &logRecorder{}
		newErrorLog(log.logger()).Println(tt.message)
		lines := log.lines(t, tt.want)
		if len(lines) != 1 || lines[0]["level"] != tt.level {
			t.Errorf("%s: logged %s", tt.message, log)
		}
	}
}

func TestNoiseIsQuiet(t *testing.T) {
	t.Parallel()
	log := &logRecorder{}
	l := listen(t)
	s := NewServer(ServerOptions{
		Listeners: []net.Listener{tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12})},
		Handler:   http.NotFoundHandler(),
		Logger:    slog.New(slog.NewJSONHandler(log, nil)),
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	w, err := dial(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, _ = w.get("/") // plain text to a TLS port
	_ = w.conn.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if strings.Contains(log.String(), "handshake") {
		t.Errorf("logged %s", log)
	}
}
