package web

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// await waits for what will be true some time.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !happened(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never happened: " + what)
		}
	}
}

// waits counts the connections that wait for their clients.
func (l *connLimit) waits() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if c.since.Load() != 0 {
			n++
		}
	}
	return n
}

// allRead tells that nothing of what clients have sent is still to be read.
func (l *connLimit) allRead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if hasUnread(c.Conn) {
			return false
		}
	}
	return true
}

func TestConnLimit_ClosesWhoHasWaitedLongest(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewServer(ServerOptions{Name: "test", Handler: http.HandlerFunc(ok), MaxConns: 4, Registry: registry})
	address := serve(t, s)
	// In the order in which they begin to wait: idle, silent, half a head, and half of the
	// next one.
	var held []*rawClient
	for i, text := range []string{get, "", "GET / HTTP/1.1\r\nHost: te", get + "GET / HT"} {
		w := connect(t, address)
		w.send(t, text)
		if strings.HasPrefix(text, get) {
			answered(t, w)
		}
		await(t, "waiting", func() bool { return s.limit.waits() == i+1 && s.limit.allRead() })
		time.Sleep(10 * time.Millisecond) // they differ by more than a clock's step
		held = append(held, w)
	}
	for i := range 10 {
		w := connect(t, address)
		w.send(t, get)
		answered(t, w)
		held = append(held, w)
		held[i].ended(t)
		_ = held[i].conn.Close()
		await(t, "waiting", func() bool { return s.limit.waits() == 4 })
	}
	for _, w := range held[10:] { // these are still there
		w.send(t, get)
		answered(t, w)
	}
	got := series(t, registry)
	for name, want := range map[string]float64{
		"palmares_http_connections{server=test}": 4, "palmares_http_connections_limit{server=test}": 4,
		"palmares_http_connections_closed_total{server=test}": 10,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// When all are busy a new connection waits; when the server ends it is refused.
func TestConnLimit_NewOnesWait(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}, 10), make(chan struct{})
	l := listen(t)
	s := NewServer(ServerOptions{Listeners: []net.Listener{l}, MaxConns: 2, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-end
		ok(w, r)
	})})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	clients := make([]*rawClient, 4)
	for i := range clients {
		clients[i] = connect(t, l.Addr().String())
		clients[i].send(t, get)
		if i < 2 {
			<-begun
		}
	}
	await(t, "a full house", func() bool { return s.limit.waiting.Load() == 1 })
	end <- struct{}{} // one is answered, and its connection goes to another
	<-begun
	end <- struct{}{}
	end <- struct{}{}
	var reached int
	for _, w := range clients {
		_ = w.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if response, err := http.ReadResponse(w.in, nil); err == nil && response.StatusCode == 200 {
			if reached++; reached == 3 {
				break
			}
		}
	}
	if reached != 3 {
		t.Errorf("%d answers, want 3", reached)
	}
	<-begun // the fourth
	last := connect(t, l.Addr().String())
	last.send(t, get)
	<-begun
	blocked := connect(t, l.Addr().String())
	await(t, "a full house", func() bool { return s.limit.waiting.Load() == 1 })
	stop()
	close(end)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	blocked.ended(t)
}

// Whatever is closed for room, a request that has reached its handler is answered.
func TestConnLimit_NeverCutsARequest(t *testing.T) {
	t.Parallel()
	var handled, received, closed atomic.Int64
	s := NewServer(ServerOptions{Name: "test", MaxConns: 4, Wire: true, Handler: observing(func(w http.ResponseWriter, r *http.Request) {
		handled.Add(1)
		if body, err := io.ReadAll(r.Body); err != nil || r.Context().Err() != nil {
			t.Errorf("%s: %q, %v, %v", r.Method, body, err, r.Context().Err())
		}
		time.Sleep(rand.N(time.Millisecond))
		if err := r.Context().Err(); err != nil { // nobody hangs up
			t.Error(err)
		}
		SetField(w, "X-Field", "1")
		ok(w, r)
	})})
	address := serve(t, s)
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			for range 20 {
				w := connect(t, address)
				for range 10 {
					text := get
					if rand.N(2) == 0 {
						text = "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc"
					}
					at := rand.N(len(text))
					_, _ = io.WriteString(w.conn, text[:at])
					if rand.N(4) == 0 {
						time.Sleep(rand.N(time.Millisecond))
					}
					_, _ = io.WriteString(w.conn, text[at:])
					response, err := http.ReadResponse(w.in, nil)
					if err != nil || response.StatusCode == http.StatusBadRequest {
						closed.Add(1)
						break
					}
					body, err := io.ReadAll(response.Body)
					_ = response.Body.Close()
					if err != nil || string(body) != "ok" {
						t.Errorf("answered %d %q, %v", response.StatusCode, body, err)
						break
					}
					received.Add(1)
				}
				_ = w.conn.Close()
			}
		})
	}
	clients.Wait()
	if handled.Load() != received.Load() || closed.Load() == 0 || received.Load() == 0 {
		t.Errorf("%d handled, %d answers received, %d connections closed", handled.Load(), received.Load(), closed.Load())
	}
	await(t, "all gone", func() bool { s.limit.mu.Lock(); defer s.limit.mu.Unlock(); return len(s.limit.open) == 0 })
	if s.limit.doomed != 0 {
		t.Errorf("%d are counted as about to go", s.limit.doomed)
	}
}
