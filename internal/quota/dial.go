package quota

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
)

var errNotConnected = errors.New("not connected to Redis")

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
