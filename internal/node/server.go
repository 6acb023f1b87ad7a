package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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

// loopback reports whether only this machine can reach a listener.
func loopback(l net.Listener) bool {
	address, ok := l.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}
