package web

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A client that is refused while it still sends reads the refusal and then the end, while
// the server still keeps the connection for half a second.
func TestRefusalIsFollowedByTheEnd(t *testing.T) {
	t.Parallel()
	s := NewServer(ServerOptions{Handler: observing(ok), Wire: true})
	address := serve(t, s)
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

func hijacking(t *testing.T, use func(own io.ReadWriteCloser)) *rawClient {
	t.Helper()
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, _ *http.Request) {
		own, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go use(own)
	}))
	w.send(t, get)
	return w
}

// What a hijacker writes is left as it is.
func TestHijackedWritesAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := hijacking(t, func(own io.ReadWriteCloser) {
		time.Sleep(50 * time.Millisecond)
		_, _ = io.WriteString(own, "line one\nline two\n")
		_ = own.Close()
	})
	if got, err := io.ReadAll(w.in); string(got) != "line one\nline two\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestHijackedReadsByteByByte(t *testing.T) {
	t.Parallel()
	got, taken := make(chan int, 1), make(chan struct{})
	w := hijacking(t, func(own io.ReadWriteCloser) {
		close(taken)
		n, _ := own.Read(make([]byte, 1))
		got <- n
		_ = own.Close()
	})
	<-taken // before that net/http would read it
	w.send(t, "x")
	if n := <-got; n != 1 {
		t.Errorf("read %d bytes", n)
	}
}

func TestHijackedDeadlineHolds(t *testing.T) {
	t.Parallel()
	got := make(chan error, 1)
	hijacking(t, func(own io.ReadWriteCloser) {
		_ = own.(interface{ SetReadDeadline(time.Time) error }).SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		_, err := own.Read(make([]byte, 10))
		got <- err
		_ = own.Close()
	})
	select {
	case <-got:
	case <-time.After(30 * time.Second):
		t.Error("no deadline")
	}
}

// The head is not held back for a body that a 304 does not have.
func TestWholeBodyOfA304(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-L", strings.Repeat("x", 4023)) // the head is 4096 bytes
		WriteWhole(w, r, http.StatusNotModified, []byte("abc"))
	}))
	w.send(t, get)
	if _, err := http.ReadResponse(w.in, nil); err != nil {
		t.Error(err)
	}
}

// Nor is it for a body that net/http refuses, being longer than its Content-Length.
func TestWholeBodyThatIsRefused(t *testing.T) {
	t.Parallel()
	w := connect(t, serveObserved(t, func(w http.ResponseWriter, r *http.Request) {
		fill, _ := strconv.Atoi(r.URL.Path[1:])
		w.Header().Set("X-L", strings.Repeat("x", fill))
		w.Header().Set("Content-Length", "1")
		WriteWhole(w, r, http.StatusOK, []byte("abc"))
	}))
	address := w.conn.RemoteAddr().String()
	for fill := 3850; fill < 4050; fill++ { // the head of one of them is 4096 bytes
		w := connect(t, address)
		w.send(t, fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: test\r\n\r\n", fill))
		if _, err := http.ReadResponse(w.in, nil); err != nil {
			t.Errorf("%d: %v", fill, err)
		}
		_ = w.conn.Close()
	}
}

// Whoever read the clock before the second changed does not set the count back.
func TestPerSecondWithAStaleClock(t *testing.T) {
	t.Parallel()
	at, n := int64(11), 0
	p := &perSecond{most: 5, now: func() time.Time { return time.Unix(at, 0) }}
	for i := range 20 {
		at = 11
		if i%5 == 4 {
			at = 10
		}
		if p.take() && at == 11 {
			n++
		}
	}
	if n > 5 {
		t.Errorf("%d in one second, at most 5", n)
	}
}
