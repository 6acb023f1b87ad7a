package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"

	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
	"github.com/palmares-hq/palmares/internal/web/tracing"
)

// publicServer makes the server on which the surfaces are mounted.
func (b *builder) publicServer(o server.Options, proxies web.Proxies) (_ *server.Server, err error) {
	o.Logger, o.Registry = b.logger, b.registry
	if o.Handler, err = b.handler(proxies); err != nil {
		return nil, err
	}
	return server.New(o), nil
}

// handler observes the surfaces and, where tracing is set up, traces them.
func (b *builder) handler(proxies web.Proxies) (http.Handler, error) {
	mux, err := newMux(b.surfaces)
	if err != nil {
		return nil, err
	}
	observer := web.NewObserver(web.ObserverOptions{
		Logger: b.logger, Registry: b.registry, Proxies: proxies, WriteError: mux.writeError,
	})
	return observer.Wrap(tracing.Wrap(mux, tracing.Options{Provider: b.tracing, Ratio: b.cfg.TraceRatio})), nil
}

// openListener opens the address that the setting names. It is closed at the end, should no
// server have closed it.
func (b *builder) openListener(ctx context.Context, address, setting string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program: choose another address with %s", address, setting)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	b.atEnd(func() error {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	return l, nil
}

// openPublic opens the public listener, once.
func (b *builder) openPublic(ctx context.Context) (_ net.Listener, err error) {
	if b.listener == nil {
		b.listener, err = b.openListener(ctx, b.cfg.Listen, "PALMARES_LISTEN")
	}
	return b.listener, err
}

// nameItself sees to a node that was not told its address. What it listens on is its address only
// where nobody but this machine can ask: elsewhere others know the service by a name that the node
// cannot know, and a proxy in front has an address of its own. Only a public node listens.
func (b *builder) nameItself(ctx context.Context, public bool, proxies web.Proxies) error {
	if b.cfg.Base() != "" || !public && b.cfg.SMTPURL == "" { // a worker needs it for mail alone
		return nil
	}
	if public {
		l, err := b.openPublic(ctx)
		if err != nil {
			return err
		}
		if loopback(l) && len(proxies) == 0 {
			b.cfg.BaseURL = listenURL(l)
			b.logger.Warn("PALMARES_BASE_URL is not set: links and samples name the address that this node listens on, "+
				"which works on this machine alone", "base_url", b.cfg.BaseURL)
			return nil
		}
	}
	b.logger.Warn("PALMARES_BASE_URL is not set: pages name the address in catalog.yaml, other links are relative, " +
		"and nobody can sign in; set it to the address that the public uses")
	return nil
}

// loopback reports whether only this machine can reach a listener.
func loopback(l net.Listener) bool {
	address, ok := l.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

// listenURL is the address of a listener as this machine can call it. What clients send as Host has
// no part in it: they may send anything.
func listenURL(l net.Listener) string {
	at, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		return ""
	}
	if at.Addr().IsUnspecified() { // it listens on all addresses, and this one is always among them
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	return "http://" + at.String()
}
