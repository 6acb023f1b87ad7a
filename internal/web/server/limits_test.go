package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are pipes: in a synctest bubble their deadlines pass in no
// time.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// inNoTime runs a server in a synctest bubble, with and without package wire.
func inNoTime(t *testing.T, h http.HandlerFunc, client func(t *testing.T, w *rawClient)) {
	t.Helper()
	for name, wired := range map[string]bool{"plain": false, "wire": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := pipes{make(chan net.Conn), make(chan struct{})}
				s := New(Options{Listener: l, Handler: observed(h), Wire: wired})
				ctx, stop := context.WithCancel(context.Background())
				ended := make(chan error, 1)
				go func() { ended <- s.Run(ctx) }()
				near, far := net.Pipe()
				l.waiting <- far
				client(t, &rawClient{near, bufio.NewReader(near)})
				_ = near.Close()
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// isClosed waits for the end of the connection. What net/http has of a header it takes for all of
// it, and refuses.
func (w *rawClient) isClosed(t *testing.T) {
	t.Helper()
	rest, err := io.ReadAll(w.in)
	refused := len(rest) == 0 || strings.HasPrefix(string(rest), "HTTP/1.1 400 Bad Request\r\n")
	if !refused || err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the client receives %q, %v", rest, err)
	}
}

// within checks that something took its limit, and no more than what a deadline may be late.
func within(t *testing.T, began time.Time, limit time.Duration) {
	t.Helper()
	if took := time.Since(began); took < limit || took > limit+time.Second {
		t.Errorf("ended after %v, want %v and at most a second", took, limit)
	}
}

func TestLimits_SlowHeaders(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func(t *testing.T, w *rawClient) (began time.Time, limit time.Duration){
		"nothing at all": func(*testing.T, *rawClient) (time.Time, time.Duration) { return time.Now(), headerTimeout },
		"half a request line": func(t *testing.T, w *rawClient) (time.Time, time.Duration) {
			began := time.Now()
			w.send(t, "GET / HT")
			return began, headerTimeout
		},
		"byte by byte": func(t *testing.T, w *rawClient) (time.Time, time.Duration) {
			var sending sync.WaitGroup
			t.Cleanup(sending.Wait)
			sending.Go(func() {
				for range 20 {
					_, _ = io.WriteString(w.conn, "x")
					time.Sleep(time.Second)
				}
			})
			return time.Now(), headerTimeout
		},
		"idle": func(t *testing.T, w *rawClient) (time.Time, time.Duration) {
			for range 3 { // within the limits as often as one likes
				w.send(t, get[:10])
				time.Sleep(headerTimeout - time.Second)
				w.send(t, get[10:])
				w.receiveOK(t)
				time.Sleep(idleTimeout - time.Second)
			}
			w.send(t, get)
			w.receiveOK(t)
			return time.Now(), idleTimeout
		},
		"half a header after idling": func(t *testing.T, w *rawClient) (time.Time, time.Duration) {
			w.send(t, get)
			w.receiveOK(t)
			time.Sleep(idleTimeout - time.Second)
			began := time.Now()
			w.send(t, "GET / HT")
			return began, headerTimeout
		},
		"half a pipelined header": func(t *testing.T, w *rawClient) (time.Time, time.Duration) {
			w.send(t, get+"GET / HT")
			w.receiveOK(t)
			return time.Now(), headerTimeout
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inNoTime(t, ok, func(t *testing.T, w *rawClient) {
				began, limit := client(t, w)
				w.isClosed(t)
				within(t, began, limit)
			})
		})
	}
}

// How long a handler runs for a client that sends a header and then does nothing but wait.
func TestLimits_SlowBodiesAndReaders(t *testing.T) {
	t.Parallel()
	const near, far = 50 * time.Millisecond, time.Hour
	type controller = http.ResponseController
	in := func(d time.Duration, set func(*controller, time.Time) error) func(*controller) {
		return func(c *controller) { _ = set(c, time.Now().Add(d)) }
	}
	for name, tt := range map[string]struct {
		limit time.Duration
		set   func(*controller)
		reads bool // else it writes
	}{
		"a body that does not come":   {limit: bodyTimeout, reads: true},
		"a client that does not read": {limit: 30 * time.Second},
		"a near deadline for reading": {near, in(near, (*controller).SetReadDeadline), true},
		"a far deadline for reading":  {far, in(far, (*controller).SetReadDeadline), true},
		"a near deadline for writing": {near, in(near, (*controller).SetWriteDeadline), false},
		"a far deadline for writing":  {far, in(far, (*controller).SetWriteDeadline), false},
		"a near deadline that is taken off": {far, func(c *controller) {
			_ = c.SetWriteDeadline(time.Now().Add(near))
			_ = c.SetWriteDeadline(time.Time{})
			time.AfterFunc(far, func() { _ = c.SetWriteDeadline(time.Now()) })
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inNoTime(t, func(w http.ResponseWriter, r *http.Request) {
				began := time.Now()
				if tt.set != nil {
					tt.set(http.NewResponseController(w))
				}
				var err error
				if tt.reads {
					_, err = io.ReadAll(r.Body)
				} else {
					_, err = w.Write(make([]byte, 64<<10))
				}
				if err == nil {
					t.Error("it ended well")
				}
				within(t, began, tt.limit)
			}, func(t *testing.T, w *rawClient) {
				if tt.reads {
					w.send(t, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n")
				} else {
					w.send(t, get)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// A hijacked connection has no limits but those that the hijacker sets.
func TestLimits_Hijacked(t *testing.T) {
	t.Parallel()
	inNoTime(t, func(w http.ResponseWriter, _ *http.Request) {
		own, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer own.Close()
		for lines := bufio.NewScanner(buffered); lines.Scan(); {
			_, _ = io.WriteString(own, strings.ToUpper(lines.Text())+"\n")
			if lines.Text() == "deadline" {
				began := time.Now()
				_ = own.SetReadDeadline(began.Add(50 * time.Millisecond))
				if _, err := own.Read(make([]byte, 10)); err == nil {
					t.Error("no deadline")
				}
				within(t, began, 50*time.Millisecond)
				return
			}
		}
	}, func(t *testing.T, w *rawClient) {
		w.send(t, get)
		for _, word := range []string{"echo", "echo", "deadline"} {
			time.Sleep(time.Hour)
			for _, c := range word + "\n" {
				w.send(t, string(c))
			}
			if line, err := w.in.ReadString('\n'); err != nil || line != strings.ToUpper(word)+"\n" {
				t.Fatalf("received %q, %v", line, err)
			}
		}
		w.ends(t)
	})
}

// A client that hangs up ends the context of its request.
func TestLimits_HangUpEndsTheRequest(t *testing.T) {
	t.Parallel()
	for name, wired := range map[string]bool{"plain": false, "wire": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, ended := make(chan struct{}), make(chan error, 1)
			w := connect(t, serve(t, Options{Wire: wired, Handler: observed(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				close(begun)
				select {
				case <-r.Context().Done():
					ended <- nil
				case <-time.After(10 * time.Minute):
					ended <- errors.New("the handler waits for a client that is gone")
				}
			}))}))
			w.send(t, get)
			<-begun
			_ = w.conn.Close()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// A client whose header is too large reads the refusal and then the end, while it still sends: the
// server keeps the connection for half a second, or the client could be reset before it reads.
func TestLimits_LargeHeader(t *testing.T) {
	t.Parallel()
	s, address, _ := run(t, Options{Handler: observed(http.HandlerFunc(ok)), Wire: true})
	for range 20 { // a busy machine may be late to look
		w := connect(t, address)
		w.send(t, "GET / HTTP/1.1\r\nHost: test\r\nX-Large: "+strings.Repeat("x", 30<<10)+"\r\n\r\n")
		if got, err := io.ReadAll(w.in); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 431 ") {
			t.Fatalf("%.40q, %v", got, err)
		}
		s.limit.mu.Lock()
		kept := len(s.limit.open)
		s.limit.mu.Unlock()
		_ = w.conn.Close()
		if kept > 0 {
			return
		}
	}
	t.Error("the end is not told before the connection is closed")
}
