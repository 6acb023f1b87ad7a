package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func listen(tb testing.TB) net.Listener {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// run runs a server on a port of its own. It runs until stop, or the end of the test.
func run(tb testing.TB, opts Options) (s *Server, address string, stop func() error) {
	tb.Helper()
	opts.Listener = listen(tb)
	s = New(opts)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	tb.Cleanup(func() {
		if err := stop(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			tb.Error(err)
		}
	})
	return s, opts.Listener.Addr().String(), stop
}

// serve runs a server until the end of the test.
func serve(tb testing.TB, opts Options) (address string) {
	tb.Helper()
	_, address, _ = run(tb, opts)
	return address
}

// serveObserved has connections of package wire.
func serveObserved(tb testing.TB, h http.HandlerFunc) (address string) {
	tb.Helper()
	return serve(tb, Options{Handler: observed(h), Wire: true})
}

func observed(h http.Handler) http.Handler { return web.NewObserver(web.ObserverOptions{}).Wrap(h) }

// A rawClient is a client on one connection that never retries, unlike http.Client: what the
// server loses, it reports.
type rawClient struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(address string) (*rawClient, error) {
	conn, err := net.DialTimeout("tcp", address, time.Minute)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	_ = conn.SetDeadline(time.Now().Add(10 * time.Minute)) // for a server that hangs, not for one that is slow
	return &rawClient{conn, bufio.NewReader(conn)}, nil
}

func connect(tb testing.TB, address string) *rawClient {
	tb.Helper()
	w, err := dial(address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = w.conn.Close() })
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

func (w *rawClient) read(method string) (reply, error) {
	response, err := http.ReadResponse(w.in, &http.Request{Method: method})
	if err != nil {
		return reply{}, fmt.Errorf("receive: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, fmt.Errorf("receive a body: %w after %d bytes", err, len(body))
	}
	return reply{
		response.Proto, response.StatusCode, response.Header, response.ContentLength,
		response.TransferEncoding, response.Close, string(body),
	}, nil
}

func (w *rawClient) receive(tb testing.TB, method string) reply {
	tb.Helper()
	got, err := w.read(method)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// receiveOK receives what ok answers.
func (w *rawClient) receiveOK(tb testing.TB) {
	tb.Helper()
	if got := w.receive(tb, "GET"); got.status != 200 || got.body != "ok" {
		tb.Fatalf("answered %+v", got)
	}
}

// get asks for a path on the goroutine of a client.
func (w *rawClient) get(path string) (reply, error) {
	if _, err := fmt.Fprintf(w.conn, "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", path); err != nil {
		return reply{}, fmt.Errorf("send: %w", err)
	}
	return w.read("GET")
}

// ends checks that nothing comes any more.
func (w *rawClient) ends(tb testing.TB) {
	tb.Helper()
	if rest, err := io.ReadAll(w.in); err != nil || len(rest) > 0 {
		tb.Errorf("the connection does not end here: %.100q, %v", rest, err)
	}
}

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n"

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }

// A public and an admin server are stopped under 32 clients that keep their connections: some
// hammer, some pause, so that some connections are idle when the drain begins. Clients reconnect on
// Connection: close, and leave during the drain. Not one request may be lost, and /readyz tells why.
func TestRun_LosesNoRequest(t *testing.T) {
	t.Parallel()
	var draining atomic.Bool
	publicAt, adminAt := listen(t), listen(t)
	public := New(Options{
		Name: "public", Listener: publicAt, Handler: http.HandlerFunc(ok),
		OnDrain:    func() { draining.Store(true) },
		DrainDelay: 3 * time.Second, // leaves a busy machine time to notice
	})
	admin := New(Options{Name: "admin", Listener: adminAt, Handler: Admin(AdminOptions{Ready: func() error {
		if draining.Load() {
			return errors.New("draining")
		}
		return nil
	}})})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, admin, public) }()

	var answered, duringDrain atomic.Int64
	client := func(i int) error {
		w, err := dial(publicAt.Addr().String())
		if err != nil {
			return err
		}
		defer func() { _ = w.conn.Close() }()
		for late := 0; late < 3; {
			inDrain := draining.Load()
			got, err := w.get("/")
			if err != nil || got.status != http.StatusOK || got.body != "ok" {
				return fmt.Errorf("a request was lost: %d %q %w", got.status, got.body, err)
			}
			answered.Add(1)
			if inDrain {
				late++
				duringDrain.Add(1)
				if !got.closes {
					return errors.New("an answer during the drain keeps the connection")
				}
			}
			if got.closes && late < 3 {
				_ = w.conn.Close()
				if w, err = dial(publicAt.Addr().String()); err != nil {
					return err
				}
			}
			time.Sleep(time.Duration(i%4) * time.Millisecond)
		}
		return nil
	}
	var clients sync.WaitGroup
	for i := range 32 {
		clients.Go(func() {
			if err := client(i); err != nil {
				t.Errorf("client %d: %v", i, err)
			}
		})
	}
	testkit.EventuallyTrue(t, "500 answers", func() bool { return answered.Load() >= 500 })
	stop()
	clients.Wait()
	testkit.Equal(t, "answers during the drain", duringDrain.Load(), int64(3*32))
	if got, err := connect(t, adminAt.Addr().String()).get("/readyz"); err != nil || got.status != 503 || got.body != "draining" {
		t.Errorf("during the drain /readyz says %d %q, %v", got.status, got.body, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, l := range []net.Listener{publicAt, adminAt} {
		if w, err := dial(l.Addr().String()); err == nil {
			_ = w.conn.Close()
			t.Error("a listener is still open")
		}
	}
}

func TestRun_FailsTogether(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"public", "admin"} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			server := func(name string) *Server {
				s := New(Options{Name: name, Listener: listen(t), Handler: http.NotFoundHandler()})
				if name == broken {
					_ = s.Close()
				}
				return s
			}
			err := Run(t.Context(), server("admin"), server("public"), server("other"))
			if !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), broken+" server") {
				t.Errorf("Run returns %v", err)
			}
		})
	}
}

// A request that runs when the server stops is answered, up to ShutdownTimeout. Idle connections
// end at once.
func TestServer_Shutdown(t *testing.T) {
	t.Parallel()
	for name, timeout := range map[string]time.Duration{"in time": time.Minute, "too late": 50 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, finish := make(chan struct{}), make(chan struct{})
			late := make(chan error, 1)
			_, address, stop := run(t, Options{
				Name: "public", Wire: true, ShutdownTimeout: timeout,
				Handler: observed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/slow" {
						close(begun)
						select {
						case <-finish:
						case <-r.Context().Done():
						}
						late <- r.Context().Err()
					}
					ok(w, r)
				})),
			})
			idle, busy := connect(t, address), connect(t, address)
			idle.send(t, get)
			idle.receiveOK(t)
			busy.send(t, "GET /slow HTTP/1.1\r\nHost: test\r\n\r\n")
			<-begun
			ended := make(chan error, 1)
			go func() { ended <- stop() }()
			idle.ends(t)
			if name == "too late" {
				if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "public server") {
					t.Errorf("Run returns %v", err)
				}
				if <-late == nil {
					t.Error("the handler is not told")
				}
				return
			}
			close(finish)
			if err := <-late; err != nil {
				t.Errorf("the end of the server cancels a running request: %v", err)
			}
			busy.receiveOK(t)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// What net/http has to say goes to the server's log.
func TestServer_ErrorLog(t *testing.T) {
	t.Parallel()
	log := &testkit.Log{}
	w := connect(t, serve(t, Options{Logger: log.Logger(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ok(w, r)
		w.WriteHeader(http.StatusTeapot) // too late
	})}))
	w.send(t, get)
	w.receiveOK(t)
	testkit.EventuallyTrue(t, "a warning", func() bool {
		return strings.Contains(log.String(), `"level":"WARN","msg":"http: superfluous response.WriteHeader call`)
	})
}
