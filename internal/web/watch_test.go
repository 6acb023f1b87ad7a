package web

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// watching counts the connections that a server watches.
func watching(s *Server) int {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	return len(s.watch.conns)
}

// in tells whether the one connection of a server is in a phase.
func in(s *Server, phase int64) bool {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	for c := range s.watch.conns {
		return c.phase.Load()&phaseMask == phase
	}
	return false
}

func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !happened(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never happened: " + what)
		}
	}
}

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n"

// slowly is a server where a request may take 3 ticks to come in and 5 to be
// answered, and the next one 8 to begin; the test says when time passes.
func slowly(t *testing.T, h http.HandlerFunc) (s *Server, w *wire, pass func(ticks int)) {
	t.Helper()
	s = NewServer(ServerOptions{
		Handler: observing(h), ReadTimeout: 3 * time.Hour, WriteTimeout: 5 * time.Hour, IdleTimeout: 8 * time.Hour,
	})
	s.watch.tick = time.Hour
	w = connect(t, serve(t, s))
	await(t, "the connection", func() bool { return watching(s) == 1 })
	return s, w, func(ticks int) {
		for range ticks {
			s.watch.look(s.watch.clock.Add(1))
		}
	}
}

func cut(t *testing.T, s *Server, w *wire) {
	t.Helper()
	if n := watching(s); n != 0 {
		t.Fatalf("%d connections are watched: none was cut", n)
	}
	// What the server had not read yet makes the end a reset.
	rest, err := io.ReadAll(w.in)
	if len(rest) > 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client receives %q, %v", rest, err)
	}
}

func answered(t *testing.T, w *wire) {
	t.Helper()
	if got := w.receive(t, "GET"); got.status != 200 || got.body != "ok" {
		t.Fatalf("answered %+v", got)
	}
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }

func TestHalfARequestLine(t *testing.T) {
	t.Parallel()
	s, w, pass := slowly(t, ok)
	w.send(t, "GET / HT")
	pass(3)
	if watching(s) != 1 {
		t.Fatal("cut within the limit")
	}
	pass(1)
	cut(t, s, w)
}

func TestNothingAtAll(t *testing.T) {
	t.Parallel()
	s, w, pass := slowly(t, ok)
	pass(4)
	cut(t, s, w)
}

// What counts is when a request began, not when its last byte came.
func TestHeaderByteByByte(t *testing.T) {
	t.Parallel()
	s, w, pass := slowly(t, ok)
	w.send(t, get)
	answered(t, w)
	await(t, "idle", func() bool { return in(s, idle) })
	pass(8)
	w.send(t, "G")
	await(t, "reading", func() bool { return in(s, reading) })
	for _, c := range "ET " {
		w.send(t, string(c))
		pass(1)
		if watching(s) != 1 {
			t.Fatal("cut within the limit")
		}
	}
	w.send(t, "/")
	pass(1)
	cut(t, s, w)
}

func TestIdleConnection(t *testing.T) {
	t.Parallel()
	s, w, pass := slowly(t, ok)
	for range 3 {
		w.send(t, get)
		answered(t, w)
		await(t, "idle", func() bool { return in(s, idle) })
		pass(8)
	}
	pass(1)
	cut(t, s, w)
}

// A client that takes its time, but no more than it may, is answered.
func TestSlowButWithinLimits(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	s, w, pass := slowly(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-end
		ok(w, r)
	})
	for range 3 {
		w.send(t, get[:10])
		await(t, "reading", func() bool { return in(s, reading) })
		pass(3)
		w.send(t, get[10:])
		<-begun
		pass(5)
		end <- struct{}{}
		answered(t, w)
		await(t, "idle", func() bool { return in(s, idle) })
		pass(8)
	}
}

func TestClientThatNeverReads(t *testing.T) {
	t.Parallel()
	begun, failed := make(chan struct{}), make(chan error, 1)
	s, w, pass := slowly(t, func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		_, err := w.Write(make([]byte, 64<<20))
		failed <- err
	})
	w.send(t, get)
	<-begun
	pass(5)
	select {
	case err := <-failed:
		t.Fatalf("cut within the limit: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	pass(1)
	if err := <-failed; err == nil {
		t.Error("64 MB went to nobody")
	}
	await(t, "the end", func() bool { return watching(s) == 0 })
}

func TestSlowBody(t *testing.T) {
	t.Parallel()
	begun, failed := make(chan struct{}), make(chan error, 1)
	s, w, pass := slowly(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		_, err := io.ReadAll(r.Body)
		failed <- err
	})
	w.send(t, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n")
	<-begun
	for range 5 {
		w.send(t, "x")
		pass(1)
	}
	if watching(s) != 1 {
		t.Fatal("cut within the limit")
	}
	pass(1)
	if err := <-failed; err == nil {
		t.Error("a body without end is read")
	}
	await(t, "the end", func() bool { return watching(s) == 0 })
}

func TestHijackedConnectionIsLeftAlone(t *testing.T) {
	t.Parallel()
	hijacked := make(chan struct{})
	s, w, pass := slowly(t, func(w http.ResponseWriter, _ *http.Request) {
		own, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer own.Close()
		close(hijacked)
		for lines := bufio.NewScanner(buffered); lines.Scan(); {
			_, _ = io.WriteString(own, strings.ToUpper(lines.Text())+"\n")
		}
	})
	w.send(t, get)
	<-hijacked
	if watching(s) != 0 {
		t.Error("a hijacked connection is watched")
	}
	for range 3 {
		pass(100)
		w.send(t, "echo\n")
		if line, err := w.in.ReadString('\n'); err != nil || line != "ECHO\n" {
			t.Fatalf("received %q, %v", line, err)
		}
	}
	_ = w.conn.Close()
}

func TestClosedConnectionsAreForgotten(t *testing.T) {
	t.Parallel()
	s := NewServer(ServerOptions{Handler: observing(ok)})
	address := serve(t, s)
	var clients []*wire
	for range 20 {
		w := connect(t, address)
		w.send(t, get)
		answered(t, w)
		clients = append(clients, w)
	}
	if n := watching(s); n != 20 {
		t.Errorf("%d connections are watched, want 20", n)
	}
	for range 5 {
		w := connect(t, address)
		w.send(t, "nonsense\r\n\r\n")
		if got := w.receive(t, "GET"); got.status != 400 {
			t.Errorf("nonsense is answered %d", got.status)
		}
		w.ends(t)
	}
	await(t, "nonsense forgotten", func() bool { return watching(s) == 20 })
	for _, w := range clients {
		_ = w.conn.Close()
	}
	await(t, "all forgotten", func() bool { return watching(s) == 0 })
}

// All four slow clients by a real clock.
func TestLimitsInTime(t *testing.T) {
	t.Parallel()
	const limit, busy = 200 * time.Millisecond, 2 * time.Second // the machine may have other things to do
	wrote := make(chan error, 1)
	s := NewServer(ServerOptions{
		ReadTimeout: limit, WriteTimeout: limit, IdleTimeout: limit,
		Handler: observing(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/large" {
				_, err := w.Write(make([]byte, 64<<20))
				wrote <- err
				return
			}
			ok(w, r)
		}),
	})
	if s.watch.tick != limit/8 {
		t.Fatalf("a tick of %v", s.watch.tick)
	}
	address := serve(t, s)
	clients := map[string]func(w *wire) error{
		"half a request line": func(w *wire) error {
			w.send(t, "GET / HT")
			_, err := w.in.ReadByte()
			return err
		},
		"byte by byte": func(w *wire) error {
			for _, c := range strings.Repeat("x", 1000) {
				if _, err := io.WriteString(w.conn, string(c)); err != nil {
					return err
				}
				time.Sleep(limit / 16)
			}
			return nil
		},
		"idle after an answer": func(w *wire) error {
			w.send(t, get)
			answered(t, w)
			_, err := w.in.ReadByte()
			return err
		},
		"never reads": func(w *wire) error {
			w.send(t, "GET /large HTTP/1.1\r\nHost: test\r\n\r\n")
			return <-wrote
		},
	}
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, begun := connect(t, address), time.Now()
			err := client(w)
			if took := time.Since(begun); err == nil || took < limit-s.watch.tick || took > limit+2*s.watch.tick+busy {
				t.Errorf("ended by %v after %v, want %v and at most two ticks", err, took, limit)
			}
			var timeout interface{ Timeout() bool }
			if errors.As(err, &timeout) && timeout.Timeout() {
				t.Error("it was the client that gave up")
			}
		})
	}
}

func TestTick(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ read, handle, idle, want time.Duration }{
		{10 * time.Second, 30 * time.Second, 120 * time.Second, time.Second},
		{80 * time.Millisecond, time.Second, time.Second, 10 * time.Millisecond},
		{time.Second, time.Second, 80 * time.Millisecond, 10 * time.Millisecond},
		{time.Second, 8 * time.Millisecond, time.Second, 5 * time.Millisecond},
	} {
		if got := newWatch(tt.read, tt.handle, tt.idle).tick; got != tt.want {
			t.Errorf("%v: a tick of %v", tt, got)
		}
	}
}
