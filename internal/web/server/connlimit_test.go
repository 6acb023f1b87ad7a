package server

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// count counts the open connections for which a condition holds.
func (l *connLimit) count(condition func(*limitedConn) bool) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if condition(c) {
			n++
		}
	}
	return n
}

func waits(c *limitedConn) bool { return c.wait.Load() != 0 }

func TestConnLimit_ClosesWhoHasWaitedLongest(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s, address, _ := run(t, Options{Name: "test", Handler: http.HandlerFunc(ok), MaxConns: 4, Registry: registry})
	// In the order in which they begin to wait: idle, silent, half a header, and half of the next
	// one.
	var clients []*rawClient
	for i, text := range []string{get, "", "GET / HTTP/1.1\r\nHost: te", get + "GET / HT"} {
		w := connect(t, address)
		w.send(t, text)
		if strings.HasPrefix(text, get) {
			w.receiveOK(t)
		}
		testkit.EventuallyTrue(t, "waiting", func() bool {
			return s.limit.count(waits) == i+1 && s.limit.count(func(c *limitedConn) bool { return hasUnread(c.Conn) }) == 0
		})
		clients = append(clients, w)
	}
	for i := range 10 {
		w := connect(t, address)
		w.send(t, get)
		w.receiveOK(t)
		clients = append(clients, w)
		clients[i].isClosed(t)
		_ = clients[i].conn.Close()
		testkit.EventuallyTrue(t, "waiting", func() bool { return s.limit.count(waits) == 4 })
	}
	for _, w := range clients[10:] { // these are still there
		w.send(t, get)
		w.receiveOK(t)
	}
	metrics := getAdmin(t, Admin(AdminOptions{Gatherer: registry}), "", "/metrics").Body.String()
	for _, want := range []string{
		`palmares_http_connections{server="test"} 4`, `palmares_http_connections_limit{server="test"} 4`,
		`palmares_http_connections_closed_total{server="test"} 10`,
	} {
		if !strings.Contains(metrics, "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, metrics)
		}
	}
}

// When all are busy a new connection waits; when the server ends it is refused.
func TestConnLimit_NewOnesWait(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}, 10), make(chan struct{})
	s, address, stop := run(t, Options{MaxConns: 2, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-end
		ok(w, r)
	})})
	full := func() bool { return s.limit.acceptors.Load() == 1 }
	clients := make([]*rawClient, 4)
	for i := range clients {
		clients[i] = connect(t, address)
		clients[i].send(t, get)
		if i < 2 {
			<-begun
		}
	}
	testkit.EventuallyTrue(t, "no room", full)
	end <- struct{}{} // one is answered, and its connection goes to another
	<-begun
	end <- struct{}{}
	end <- struct{}{}
	answers := make(chan int, len(clients)) // three of the four, whichever came first
	for _, w := range clients {
		go func() {
			if got, err := w.read("GET"); err == nil {
				answers <- got.status
			}
		}()
	}
	for range 3 {
		testkit.Equal(t, "the status", testkit.Await(t, "an answer", answers), 200)
	}
	<-begun // the fourth
	last := connect(t, address)
	last.send(t, get)
	<-begun
	blocked := connect(t, address)
	testkit.EventuallyTrue(t, "no room", full)
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	blocked.isClosed(t)
	close(end)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Whatever is closed for room, a request that has come with its body is answered.
func TestConnLimit_NeverCutsARequest(t *testing.T) {
	t.Parallel()
	var handled, received, closed atomic.Int64
	s, address, _ := run(t, Options{MaxConns: 4, Wire: true, Handler: observed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil { // it was closed while it waited for the rest
			http.Error(w, "where is the rest?", http.StatusBadRequest)
			return
		}
		handled.Add(1)
		time.Sleep(rand.N(time.Millisecond))
		if err := r.Context().Err(); err != nil { // nobody hangs up
			t.Error(err)
		}
		web.SetField(w, "X-Field", "1")
		ok(w, r)
	}))})
	// client sends requests until the server closes its connection.
	client := func(w *rawClient) {
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
				return
			}
			body, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err != nil || string(body) != "ok" {
				t.Errorf("answered %d %q, %v", response.StatusCode, body, err)
				return
			}
			received.Add(1)
		}
	}
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			for range 20 {
				w := connect(t, address)
				client(w)
				_ = w.conn.Close()
			}
		})
	}
	clients.Wait()
	if handled.Load() != received.Load() || closed.Load() == 0 || received.Load() == 0 {
		t.Errorf("%d handled, %d answers received, %d connections closed", handled.Load(), received.Load(), closed.Load())
	}
	testkit.EventuallyTrue(t, "all gone", func() bool {
		return s.limit.count(func(*limitedConn) bool { return true }) == 0
	})
	testkit.Equal(t, "connections about to go", s.limit.closing, 0)
}
