package testkit

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A caller sends lines through a proxy to a server that sends them back.
type caller struct {
	t *testing.T
	*Proxy
	received *atomic.Int64 // lines that reached the server
}

func newCaller(t *testing.T) caller {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var received atomic.Int64
	var serving sync.WaitGroup
	serving.Go(func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			serving.Go(func() {
				defer c.Close()
				for lines := bufio.NewScanner(c); lines.Scan(); received.Add(1) {
					io.WriteString(c, lines.Text()+"\n")
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); serving.Wait() })
	return caller{t, NewProxy(t, l.Addr().String()), &received}
}

func (c caller) connect() net.Conn {
	c.t.Helper()
	conn, err := net.Dial("tcp", c.Addr)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(Patience))
	return conn
}

// send sends a line; receive reads one.
func (c caller) send(conn net.Conn) {
	c.t.Helper()
	if _, err := io.WriteString(conn, "hello\n"); err != nil {
		c.t.Fatal(err)
	}
}

func receive(conn net.Conn) error {
	_, err := io.ReadFull(conn, make([]byte, len("hello\n")))
	return err
}

func (c caller) passes(conn net.Conn) {
	c.t.Helper()
	c.send(conn)
	if err := receive(conn); err != nil {
		c.t.Errorf("no answer on a way without fault: %v", err)
	}
}

// reaches waits until the server has received that many lines.
func (c caller) reaches(lines int64) {
	c.t.Helper()
	EventuallyTrue(c.t, "the line is received", func() bool { return c.received.Load() == lines })
}

// silent wants nothing to come and the connection to stay open. What comes would have come by
// then: the server has received, or cannot receive, what it would answer.
func (c caller) silent(conn net.Conn) {
	c.t.Helper()
	conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if err := receive(conn); !errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Errorf("a stalled connection gives %v", err)
	}
	conn.SetReadDeadline(time.Now().Add(Patience))
}

func (c caller) ended(conn net.Conn) {
	c.t.Helper()
	if err := receive(conn); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Errorf("a connection that was to end gives %v", err)
	}
}

func TestProxy_Stalls(t *testing.T) {
	t.Parallel()
	for name, toServer := range map[string]bool{"to the server": true, "to the client": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCaller(t)
			old := c.connect()
			c.passes(old)
			begin, arrive := c.ToClient, int64(3)
			if toServer {
				begin, arrive = c.ToServer, 1
			}
			end := begin(Fault{Stall: true})
			young := c.connect()
			for _, conn := range []net.Conn{old, young} {
				c.send(conn)
				c.silent(conn)
			}
			c.reaches(arrive)
			end()
			c.ended(old)
			c.ended(young)
			c.passes(c.connect())
			Equal(t, "lines received, none of them late", c.received.Load(), arrive+1)
		})
	}
}

func TestProxy_Resets(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	conn := c.connect()
	c.passes(conn)
	end := c.ToClient(Fault{Reset: true})
	c.send(conn)
	if err := receive(conn); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a reset", err)
	}
	c.reaches(2)
	end()
	c.passes(c.connect())
}

// A delay makes the way longer, not narrower: were each chunk late by itself, so many of them
// would take minutes.
func TestProxy_Delays(t *testing.T) {
	t.Parallel()
	const by = time.Second
	c := newCaller(t)
	conn := c.connect()
	end := c.ToClient(Fault{Delay: by})
	text := strings.Repeat(strings.Repeat("x", 1023)+"\n", 4096)
	began := time.Now()
	var sending sync.WaitGroup
	sending.Go(func() { io.WriteString(conn, text) })
	got := make([]byte, len(text))
	if _, err := io.ReadFull(conn, got[:1]); err != nil || time.Since(began) < by {
		t.Errorf("the first byte took %v (%v), want %v at least", time.Since(began), err, by)
	}
	if _, err := io.ReadFull(conn, got[1:]); err != nil || string(got) != text {
		t.Errorf("the rest does not come as it was sent: %v", err)
	}
	sending.Wait()
	end()
	c.passes(conn)
}

func TestProxy_Refuses(t *testing.T) {
	t.Parallel()
	c := newCaller(t)
	conn := c.connect()
	c.passes(conn)
	end := c.Refuse()
	c.ended(conn)
	if again, err := net.Dial("tcp", c.Addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a connection while it refuses: %v, %v", again, err)
	}
	end()
	c.passes(c.connect())
}

// When one end goes, the other hears of it.
func TestProxy_PassesOnTheEnd(t *testing.T) {
	t.Parallel()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	c := caller{t, NewProxy(t, gone.Addr().String()), nil}
	c.ended(c.connect())
}
