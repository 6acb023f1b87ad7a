package quota

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/rueidis"

	"github.com/palmares-hq/palmares/internal/engine"
	"github.com/palmares-hq/palmares/internal/handshake"
)

var errNotConnected = errors.New("not connected to Redis")

// trust makes connections trust the authorities in a file, and no other; "" changes nothing.
func trust(o *rueidis.ClientOption, caFile string) error {
	if caFile == "" {
		return nil
	}
	if o.TLSConfig == nil {
		return errors.New("PALMARES_REDIS_CA_FILE is set, and PALMARES_REDIS_URL begins with redis://, which is without TLS: write rediss://")
	}
	text, err := os.ReadFile(caFile)
	if err != nil {
		return fmt.Errorf("PALMARES_REDIS_CA_FILE cannot be read: %w", err)
	}
	o.TLSConfig.RootCAs = x509.NewCertPool()
	if !o.TLSConfig.RootCAs.AppendCertsFromPEM(text) {
		return fmt.Errorf("PALMARES_REDIS_CA_FILE is %q: there is no certificate in it; it holds one or more in PEM, "+
			"each beginning with -----BEGIN CERTIFICATE-----", caFile)
	}
	return nil
}

// A dialer opens connections for rueidis.
type dialer func(ctx context.Context, addr string, d *net.Dialer, secure *tls.Config) (net.Conn, error)

func dialTCP(ctx context.Context, addr string, d *net.Dialer, secure *tls.Config) (net.Conn, error) {
	if d.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.Timeout) // for the handshake, too
		defer cancel()
	}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotConnected, err)
	}
	if secure == nil {
		return &plain{Conn: conn}, nil
	}
	safe := tls.Client(conn, secure)
	if err := safe.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		fault := handshake.Fault(err, "PALMARES_REDIS_CA_FILE names the file with the authority's certificate")
		if fault == "" {
			// A Redis without TLS takes the handshake for the beginning of a command, and waits for the rest.
			fault = "does not answer the TLS handshake: perhaps it does not speak TLS on this port"
		}
		return nil, fmt.Errorf("%w: Redis at %s %s (%w)", errNotConnected, addr, fault, err)
	}
	return safe, nil
}

// errWantsTLS means that a server closed a plain connection before it sent anything, or answered in TLS.
var errWantsTLS = errors.New("Redis hung up before it said anything: " +
	"if it speaks TLS on this port, PALMARES_REDIS_URL begins with rediss://")

// A plain connection has no TLS. Its first Read returns errWantsTLS if the server wants TLS.
type plain struct {
	net.Conn
	heard atomic.Bool
}

// tlsAlert is the first byte of a TLS server's answer to anything else. No reply of Redis begins
// with it.
const tlsAlert = 0x15

func (c *plain) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	switch {
	case c.heard.Load():
	case n > 0 && p[0] != tlsAlert:
		c.heard.Store(true)
	case n > 0:
		return 0, errWantsTLS
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return 0, fmt.Errorf("%w (%w)", errWantsTLS, err)
	}
	return n, err
}

// closeIfSilent closes a connection from which nothing has been read when the context that opened
// it ends. If a charge's deadline passes between connecting and the handshake, rueidis would wait
// another second for Redis's reply, and every charge with it.
func closeIfSilent(dial dialer) dialer {
	return func(ctx context.Context, addr string, d *net.Dialer, secure *tls.Config) (net.Conn, error) {
		conn, err := dial(ctx, addr, d, secure)
		if err != nil {
			return nil, err
		}
		return &connection{Conn: conn, keepOpen: context.AfterFunc(ctx, func() { _ = conn.Close() })}, nil
	}
}

// A connection stays open beyond its dialing context once something was read from it.
type connection struct {
	net.Conn
	keepOpen func() bool
	heard    atomic.Bool
}

func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.heard.Load() {
		c.heard.Store(true)
		c.keepOpen()
	}
	return n, err
}

// rueidis keeps every command that has no reply yet in a ring buffer. A command that finds the
// ring full waits for a slot whatever its context says, up to 2.5 s when the connection is dead.
// So a command is sent only if the ring has a slot for it.
const (
	slotsPerCPU = 12   // 2¹²: more charges than a processor makes in DefaultWait
	maxRing     = 15   // 2¹⁵ slots, 13 MB for each connection
	ringReserve = 1024 // slots for rueidis's own pings
	// abandonedFor is how long a command whose caller has given up may still hold its slot. rueidis
	// checks for life every second, pings when it finds none the second time, and half a second
	// later closes the connection.
	abandonedFor = 3 * time.Second
)

// ringScale returns the binary logarithm of the ring's size for a number of processors.
func ringScale(cpus int) int { return min(slotsPerCPU+bits.Len(uint(cpus-1)), maxRing) }

var errTooManyInFlight = errors.New("too many commands wait for a reply from Redis")

// An inFlight counts commands that have no reply yet.
type inFlight struct {
	most int64
	n    atomic.Int64
}

// mostInFlight returns how many of our commands a ring of that scale holds.
func mostInFlight(ringScale int) int64 { return 1<<ringScale - ringReserve }

// acquire takes a slot and reports whether there was one.
func (f *inFlight) acquire() bool {
	if f.n.Add(1) <= f.most {
		return true
	}
	f.n.Add(-1)
	return false
}

// release frees the slot of a command that ended with err: at once if Redis has replied or the
// connection is closed, later if the caller's context ended first.
func (f *inFlight) release(err error) {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		time.AfterFunc(abandonedFor, func() { f.n.Add(-1) })
		return
	}
	f.n.Add(-1)
}

// A boundedClient is a client whose commands fail instead of waiting for a slot in the ring.
type boundedClient struct {
	rueidis.Client
	inFlight inFlight
}

func (c *boundedClient) Do(ctx context.Context, cmd rueidis.Completed) rueidis.RedisResult {
	engine.Check(ctx)
	if !c.inFlight.acquire() {
		return rueidis.NewErrorResult(errTooManyInFlight)
	}
	result := c.Client.Do(ctx, cmd)
	c.inFlight.release(result.NonRedisError())
	return result
}

// DoMulti implements rueidis.Client. The commands share one slot.
func (c *boundedClient) DoMulti(ctx context.Context, cmds ...rueidis.Completed) []rueidis.RedisResult {
	engine.Check(ctx)
	if !c.inFlight.acquire() {
		results := make([]rueidis.RedisResult, len(cmds))
		for i := range results {
			results[i] = rueidis.NewErrorResult(errTooManyInFlight)
		}
		return results
	}
	results := c.Client.DoMulti(ctx, cmds...)
	c.inFlight.release(results[0].NonRedisError())
	return results
}
