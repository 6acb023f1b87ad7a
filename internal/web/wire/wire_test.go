package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair is a connection of a listener whose Run runs, and its other end.
func pair(t *testing.T) (own *Conn, far net.Conn, end func()) {
	t.Helper()
	l := NewListener(nil)
	near, far := net.Pipe()
	own = &Conn{Conn: near, from: l}
	l.open[own] = struct{}{}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); l.Run(ctx) }()
	t.Cleanup(func() { _, _ = own.Close(), far.Close() })
	return own, far, func() { stop(); <-ended }
}

// A deadline ends what waits for it, near or far, and no sooner.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{-time.Hour, 0, time.Millisecond, near - 1, near, near + 1, time.Minute, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			own, _, end := pair(t)
			defer end()
			for name, wait := range map[string]func() error{
				"read":  func() error { _, err := own.Read(make([]byte, 10)); return err },
				"write": func() error { _, err := own.Write([]byte("x")); return err },
			} {
				set := map[string]func(time.Time) error{"read": own.SetReadDeadline, "write": own.SetWriteDeadline}[name]
				for _, way := range []func(time.Time) error{set, own.SetDeadline} {
					begun := time.Now()
					_ = way(begun.Add(after))
					err := wait()
					if late := time.Since(begun) - max(after, 0); late < 0 || late > tick || !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Errorf("%s after %v: %v, late by %v", name, after, err, late)
					}
				}
			}
		})
	}
}

// A deadline that is moved or taken off is forgotten, whatever it was.
func TestDeadlinesThatChange(t *testing.T) {
	t.Parallel()
	for _, first := range []time.Duration{-time.Hour, 10 * time.Millisecond, time.Minute} {
		for _, second := range []time.Duration{0, 50 * time.Millisecond, 2 * time.Minute} {
			synctest.Test(t, func(t *testing.T) {
				own, far, end := pair(t)
				defer end()
				begun := time.Now()
				_ = own.SetReadDeadline(begun.Add(first))
				if first < 0 {
					_, _ = own.Read(make([]byte, 1)) // it is past
				}
				if second == 0 {
					_ = own.SetReadDeadline(time.Time{})
					time.AfterFunc(time.Hour, func() { _, _ = far.Write([]byte("x")) })
					if n, err := own.Read(make([]byte, 1)); n != 1 || err != nil {
						t.Errorf("%v, then none: %d, %v", first, n, err)
					}
					return
				}
				_ = own.SetReadDeadline(begun.Add(second))
				_, err := own.Read(make([]byte, 1))
				if late := time.Since(begun) - second; late < 0 || late > tick || !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("%v, then %v: %v, late by %v", first, second, err, late)
				}
			})
		}
	}
}

// Deadlines hold when nobody looks any more.
func TestDeadlinesAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own, _, end := pair(t)
		begun := time.Now()
		_ = own.SetReadDeadline(begun.Add(time.Minute))
		end()
		if _, err := own.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) != time.Minute {
			t.Errorf("set before: %v after %v", err, time.Since(begun))
		}
		_ = own.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := own.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) != 2*time.Minute {
			t.Errorf("set after: %v after %v", err, time.Since(begun))
		}
	})
}

// serve runs a server with this package beneath it.
func serve(t *testing.T, h http.HandlerFunc) (l *Listener, address string) {
	t.Helper()
	var config net.ListenConfig
	bare, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l = NewListener(bare)
	server := &http.Server{Handler: h, ConnContext: WithConn, ReadHeaderTimeout: time.Minute}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	go func() { l.Run(ctx); done <- struct{}{} }()
	go func() { _ = server.Serve(l); done <- struct{}{} }()
	t.Cleanup(func() {
		_ = server.Close()
		stop()
		<-done
		<-done
		testkit.EventuallyTrue(t, "connections are forgotten", func() bool { // those that Close has cut end a little later
			l.mu.Lock()
			defer l.mu.Unlock()
			return len(l.open) == 0
		})
	})
	return l, bare.Addr().String()
}

func dial(t *testing.T, address string) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(10 * time.Minute))
	return c.(*net.TCPConn), bufio.NewReader(c)
}

// The headers of a response go into its final header alone, not into what net/http says before.
func TestHeadAfterContinue(t *testing.T) {
	t.Parallel()
	_, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		c := Of(r.Context())
		c.Begin()
		c.Add(NewField("X-Field", "1"))
		c.ExpectHeader()
		body, _ := io.ReadAll(r.Body) // net/http says 100 Continue
		_, _ = w.Write(body)
	})
	c, in := dial(t, address)
	_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc")
	for _, want := range []int{http.StatusContinue, http.StatusOK} {
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if has := len(r.Header["X-Field"]) == 1; r.StatusCode != want || has != (want == http.StatusOK) {
			t.Errorf("%d with %v", r.StatusCode, r.Header)
		}
		_ = r.Body.Close()
	}
}

// The client of a connection that is half closed reads the end, and may go on sending.
func TestCloseWrite(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	_, address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		own, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer own.Close()
		_ = own.(*Conn).CloseWrite()
		text := make([]byte, 4)
		_, _ = io.ReadFull(own, text)
		got <- string(text)
	})
	c, in := dial(t, address)
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: test\r\n\r\n")
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("no end: %v", err)
	}
	_, _ = io.WriteString(c, "more")
	if text := <-got; text != "more" {
		t.Errorf("the server reads %q", text)
	}
}
