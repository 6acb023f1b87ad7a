package web

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

// pipes is a listener whose connections are pipes: in a synctest bubble their
// deadlines pass in no time.
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

// timeless runs a server with its default limits in a synctest bubble, plain and with
// package wire.
func timeless(t *testing.T, h http.HandlerFunc, client func(t *testing.T, w *rawClient)) {
	t.Helper()
	for name, wired := range map[string]bool{"plain": false, "wire": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := pipes{make(chan net.Conn), make(chan struct{})}
				s := NewServer(ServerOptions{Listeners: []net.Listener{l}, Handler: observing(h), Wire: wired})
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

// ended waits for the end of the connection, and tells when it came. What net/http has
// of a head it takes for all of it, and refuses.
func (w *rawClient) ended(t *testing.T) time.Time {
	t.Helper()
	rest, err := io.ReadAll(w.in)
	refused := len(rest) == 0 || strings.HasPrefix(string(rest), "HTTP/1.1 400 Bad Request\r\n")
	if !refused || err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the client receives %q, %v", rest, err)
	}
	return time.Now()
}

// within tells that something took its limit and no more than what a deadline may be late.
func within(t *testing.T, took, limit time.Duration) {
	t.Helper()
	if took < limit || took > limit+time.Second {
		t.Errorf("ended after %v, want %v and at most a second", took, limit)
	}
}

func answered(t *testing.T, w *rawClient) {
	t.Helper()
	if got := w.receive(t, "GET"); got.status != 200 || got.body != "ok" {
		t.Fatalf("answered %+v", got)
	}
}

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n"

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }

func TestSlowHeads(t *testing.T) {
	t.Parallel()
	const header, idle = 10 * time.Second, 120 * time.Second
	for name, client := range map[string]func(t *testing.T, w *rawClient){
		"nothing at all": func(t *testing.T, w *rawClient) {
			begun := time.Now()
			within(t, w.ended(t).Sub(begun), header)
		},
		"half a request line": func(t *testing.T, w *rawClient) {
			begun := time.Now()
			w.send(t, "GET / HT")
			within(t, w.ended(t).Sub(begun), header)
		},
		"byte by byte": func(t *testing.T, w *rawClient) {
			begun := time.Now()
			var sending sync.WaitGroup
			sending.Go(func() {
				for range 20 {
					_, _ = io.WriteString(w.conn, "x")
					time.Sleep(time.Second)
				}
			})
			within(t, w.ended(t).Sub(begun), header)
			sending.Wait()
		},
		"idle": func(t *testing.T, w *rawClient) {
			for range 3 { // within the limits as often as one likes
				w.send(t, get[:10])
				time.Sleep(header - time.Second)
				w.send(t, get[10:])
				answered(t, w)
				time.Sleep(idle - time.Second)
			}
			w.send(t, get)
			answered(t, w)
			begun := time.Now()
			within(t, w.ended(t).Sub(begun), idle)
		},
		"half a head after idling": func(t *testing.T, w *rawClient) {
			w.send(t, get)
			answered(t, w)
			time.Sleep(idle - time.Second)
			begun := time.Now()
			w.send(t, "GET / HT")
			within(t, w.ended(t).Sub(begun), header)
		},
		"half a pipelined head": func(t *testing.T, w *rawClient) {
			w.send(t, get+"GET / HT")
			answered(t, w)
			begun := time.Now()
			within(t, w.ended(t).Sub(begun), header)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeless(t, ok, client)
		})
	}
}

// What a handler does, and when it ends, for a client that sends a head and then does
// nothing but wait.
func TestSlowBodiesAndReaders(t *testing.T) {
	t.Parallel()
	readBody := func(_ http.ResponseWriter, r *http.Request) error {
		_, err := io.ReadAll(r.Body)
		return err
	}
	write := func(w http.ResponseWriter, _ *http.Request) error {
		_, err := w.Write(make([]byte, 64<<10))
		return err
	}
	for name, tt := range map[string]struct {
		limit   time.Duration
		handler func(http.ResponseWriter, *http.Request) error
	}{
		"a body that does not come":   {30 * time.Second, readBody},
		"a client that does not read": {30 * time.Second, write},
		"a near deadline for reading": {50 * time.Millisecond, func(w http.ResponseWriter, r *http.Request) error {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			return readBody(w, r)
		}},
		"a far deadline for reading": {time.Hour, func(w http.ResponseWriter, r *http.Request) error {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Hour))
			return readBody(w, r)
		}},
		"a near deadline for writing": {50 * time.Millisecond, func(w http.ResponseWriter, r *http.Request) error {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
			return write(w, r)
		}},
		"a far deadline for writing": {time.Hour, func(w http.ResponseWriter, r *http.Request) error {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour))
			return write(w, r)
		}},
		"a near deadline that is taken off": {time.Hour, func(w http.ResponseWriter, r *http.Request) error {
			control := http.NewResponseController(w)
			_ = control.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
			_ = control.SetWriteDeadline(time.Time{})
			time.AfterFunc(time.Hour, func() { _ = control.SetWriteDeadline(time.Now()) })
			return write(w, r)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeless(t, func(w http.ResponseWriter, r *http.Request) {
				begun := time.Now()
				if err := tt.handler(w, r); err == nil {
					t.Error("it ended well")
				}
				within(t, time.Since(begun), tt.limit)
			}, func(t *testing.T, w *rawClient) {
				if strings.Contains(name, "body") || strings.Contains(name, "reading") {
					w.send(t, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n")
				} else {
					w.send(t, get)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// A client that hangs up ends the context of its request.
func TestHangUpEndsTheRequest(t *testing.T) {
	t.Parallel()
	for name, wired := range map[string]bool{"plain": false, "wire": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, ended := make(chan struct{}), make(chan error, 1)
			s := NewServer(ServerOptions{Wire: wired, Handler: observing(func(_ http.ResponseWriter, r *http.Request) {
				close(begun)
				select {
				case <-r.Context().Done():
					ended <- nil
				case <-time.After(10 * time.Second):
					ended <- errors.New("the handler waits for a client that is gone")
				}
			})})
			w := connect(t, serve(t, s))
			w.send(t, get)
			<-begun
			_ = w.conn.Close()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// A hijacked connection has no limits but those that the hijacker sets.
func TestHijackedConnectionIsLeftAlone(t *testing.T) {
	t.Parallel()
	timeless(t, func(w http.ResponseWriter, _ *http.Request) {
		own, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer own.Close()
		for lines := bufio.NewScanner(buffered); lines.Scan(); {
			_, _ = io.WriteString(own, strings.ToUpper(lines.Text())+"\n")
		}
	}, func(t *testing.T, w *rawClient) {
		w.send(t, get)
		for range 3 {
			time.Sleep(time.Hour)
			w.send(t, "echo\n")
			if line, err := w.in.ReadString('\n'); err != nil || line != "ECHO\n" {
				t.Fatalf("received %q, %v", line, err)
			}
		}
	})
}
