package node

import (
	"context"
	"net"

	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
)

// publicServer makes the server on which the surfaces are mounted.
func (b *builder) publicServer(o server.Options, proxies web.Proxies) (_ *server.Server, err error) {
	o.Logger, o.Registry = b.logger, b.registry
	if o.Handler, err = surface.Handler(b.surfaces, surface.Options{
		Logger: b.logger, Registry: b.registry, Proxies: proxies, Tracing: b.tracing, Ratio: b.cfg.TraceRatio,
	}); err != nil {
		return nil, err
	}
	return server.New(o), nil
}

// openListener opens the address that the setting names. It is closed at the end, should no
// server have closed it.
func (b *builder) openListener(ctx context.Context, address, setting string) (net.Listener, error) {
	l, err := surface.Listen(ctx, address, setting)
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { return surface.Close(l) })
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
		if surface.Loopback(l) && len(proxies) == 0 {
			b.cfg.BaseURL = surface.URL(l)
			b.logger.Warn("PALMARES_BASE_URL is not set: links and samples name the address that this node listens on, "+
				"which works on this machine alone", "base_url", b.cfg.BaseURL)
			return nil
		}
	}
	b.logger.Warn("PALMARES_BASE_URL is not set: pages name the address in catalog.yaml, other links are relative, " +
		"and nobody can sign in; set it to the address that the public uses")
	return nil
}
