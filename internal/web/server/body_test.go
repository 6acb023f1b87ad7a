package server

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

const post = "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n"

// A body has its own time, from the header on: one that comes byte by byte, and one that no handler
// reads but net/http.
func TestBody_HasFiveSeconds(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]bool{"read by the handler": true, "read by nobody": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inNoTime(t, func(w http.ResponseWriter, r *http.Request) {
				if !read {
					ok(w, r)
					return
				}
				began := time.Now()
				if _, err := io.ReadAll(r.Body); err == nil {
					t.Error("the body has come")
				}
				within(t, began, bodyTimeout)
				http.Error(w, "too slow", http.StatusRequestTimeout)
			}, func(t *testing.T, w *rawClient) {
				began := time.Now()
				w.send(t, post)
				var sending sync.WaitGroup
				sending.Go(func() {
					for range 50 {
						if _, err := io.WriteString(w.conn, "x"); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				})
				want := http.StatusOK
				if read {
					want = http.StatusRequestTimeout
				}
				if got := w.receive(t, "POST"); got.status != want {
					t.Errorf("answered %d, want %d", got.status, want)
				}
				within(t, began, bodyTimeout)
				_ = w.conn.Close()
				sending.Wait()
			})
		})
	}
}

// On a connection that ends with its request the answer comes after the body too, whether or not the handler wants the body: a client
// that still sends when the connection is closed may never read the answer.
func TestBody_IsReadBeforeTheEnd(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{
		"HTTP/1.0":          "POST / HTTP/1.0\r\nHost: test\r\nContent-Length: 100\r\n\r\n",
		"Connection: close": "POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: 100\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inNoTime(t, func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "too long", http.StatusRequestEntityTooLarge)
			}, func(t *testing.T, w *rawClient) {
				w.send(t, header+strings.Repeat("x", 50))
				time.Sleep(2 * time.Second) // longer than net/http waits before it closes
				w.send(t, strings.Repeat("x", 50))
				if got := w.receive(t, "POST"); got.status != http.StatusRequestEntityTooLarge {
					t.Errorf("answered %d", got.status)
				}
			})
		})
	}
}

// When a body has come there is no limit to what its handler does, and the next request has a whole
// limit for itself.
func TestBody_EndsItsLimitWhenItIsThere(t *testing.T) {
	t.Parallel()
	inNoTime(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			t.Error(err)
		}
		time.Sleep(3 * bodyTimeout)
		if err := r.Context().Err(); err != nil {
			t.Error(err)
		}
		ok(w, r)
	}, func(t *testing.T, w *rawClient) {
		for range 3 {
			w.send(t, post[:20])
			time.Sleep(bodyTimeout - time.Second)
			w.send(t, post[20:]+string(bodyOf(1, 50)))
			time.Sleep(bodyTimeout - time.Second)
			w.send(t, string(bodyOf(1, 50)))
			w.receiveOK(t)
		}
	})
}

// Whoever has yet to send a body waits like any other client, and is closed to make room: the one
// that began first, however many bytes it has sent since. Whose body has come is never closed.
func TestBody_MakesRoom(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}, 10), make(chan struct{})
	s, address, _ := run(t, Options{MaxConns: 4, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if _, err := io.ReadAll(r.Body); err != nil {
				http.Error(w, "too slow", http.StatusRequestTimeout)
				return
			}
			begun <- struct{}{}
			<-end
		}
		ok(w, r)
	})})
	waiting := func(n int) {
		t.Helper()
		testkit.EventuallyTrue(t, "waiting", func() bool { return s.limit.count(waits) == n })
	}
	busy := connect(t, address)
	busy.send(t, post+string(bodyOf(1, 100)))
	<-begun
	var slow []*rawClient
	for i := range 3 {
		w := connect(t, address)
		w.send(t, post)
		waiting(i + 1)
		time.Sleep(10 * time.Millisecond) // they differ by more than a clock's step
		slow = append(slow, w)
	}
	slow[0].send(t, "x") // not silent, and yet the oldest
	for _, w := range slow {
		other := connect(t, address)
		other.send(t, get)
		other.receiveOK(t)
		if got, err := w.read("POST"); err == nil && got.status != http.StatusRequestTimeout {
			t.Errorf("a slow client is answered %d", got.status)
		}
		_ = w.conn.Close()
	}
	last := connect(t, address)
	last.send(t, get)
	last.receiveOK(t)
	close(end)
	busy.receiveOK(t)
	testkit.EventuallyTrue(t, "no more are about to go than there are", func() bool {
		s.limit.mu.Lock()
		defer s.limit.mu.Unlock()
		return s.limit.closing == 0
	})
}
