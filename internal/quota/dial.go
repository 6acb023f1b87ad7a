package quota

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync/atomic"
)

// A dialer opens connections for rueidis.
type dialer func(ctx context.Context, addr string, d *net.Dialer, secure *tls.Config) (net.Conn, error)

func dialTCP(ctx context.Context, addr string, d *net.Dialer, secure *tls.Config) (conn net.Conn, err error) {
	if secure != nil {
		conn, err = (&tls.Dialer{NetDialer: d, Config: secure}).DialContext(ctx, "tcp", addr)
	} else {
		conn, err = d.DialContext(ctx, "tcp", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotConnected, err)
	}
	return conn, nil
}

// impatient closes a connection on which Redis has said nothing by the end of the
// context that opened it. When a charge's deadline ends just between connecting and
// greeting, rueidis would wait a second for a last answer, and all charges with it.
func impatient(dial dialer) dialer {
	return func(ctx context.Context, addr string, d *net.Dialer, secure *tls.Config) (net.Conn, error) {
		conn, err := dial(ctx, addr, d, secure)
		if err != nil {
			return nil, err
		}
		return &connection{Conn: conn, keep: context.AfterFunc(ctx, func() { _ = conn.Close() })}, nil
	}
}

// A connection is kept once something was read from it.
type connection struct {
	net.Conn
	keep func() bool
	kept atomic.Bool
}

func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.kept.Load() {
		c.kept.Store(true)
		c.keep()
	}
	return n, err
}
