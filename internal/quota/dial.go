package quota

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/redis/rueidis"

	"github.com/palmares-hq/palmares/internal/handshake"
)

var errNotConnected = errors.New("not connected to Redis")

// trust lets connections trust the authorities in a file, and no other.
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
			// A Redis without TLS waits for the end of what it takes for a command.
			fault = "does not answer the TLS handshake: perhaps it does not speak TLS on this port"
		}
		return nil, fmt.Errorf("%w: Redis at %s %s (%w)", errNotConnected, addr, fault, err)
	}
	return safe, nil
}

// errWantsTLS is of a server that hung up on plain text without a word, or answered in TLS.
var errWantsTLS = errors.New("Redis hung up before it said anything: " +
	"if it speaks TLS on this port, PALMARES_REDIS_URL begins with rediss://")

// A plain connection notices that the server wants TLS.
type plain struct {
	net.Conn
	heard atomic.Bool
}

// tlsAlert begins what a server that speaks TLS answers to anything else. No reply of Redis begins so.
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
