package node

import (
	"context"

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

// takeAddresses binds the addresses of the node, so that one that is taken fails before an engine is asked.
func (b *builder) takeAddresses(ctx context.Context, public bool) (err error) {
	take := func(address, setting string) (*surface.Listener, error) {
		l, err := surface.Bind(ctx, address, setting)
		if err != nil {
			return nil, err
		}
		b.atEnd(func() error { return surface.Close(l) }) // should no server have closed it
		return l, nil
	}
	if public {
		if b.public, err = take(b.cfg.Listen, "PALMARES_LISTEN"); err != nil {
			return err
		}
	}
	b.admin, err = take(b.cfg.AdminListen, "PALMARES_ADMIN_LISTEN")
	return err
}

// nameItself sees to a node that was not told its address. What it listens on is its address only
// where nobody but this machine can ask: elsewhere others know the service by a name that the node
// cannot know, and a proxy in front has an address of its own.
func (b *builder) nameItself(proxies web.Proxies) {
	if b.cfg.Base() != "" || b.public == nil && b.cfg.SMTPURL == "" { // a worker needs it for mail alone
		return
	}
	if b.public != nil && surface.Loopback(b.public) && len(proxies) == 0 {
		b.cfg.BaseURL = surface.URL(b.public)
		b.logger.Warn("PALMARES_BASE_URL is not set: links and samples name the address that this node listens on, "+
			"which works on this machine alone", "base_url", b.cfg.BaseURL)
		return
	}
	b.logger.Warn("PALMARES_BASE_URL is not set: pages name the address in catalog.yaml, other links are relative, " +
		"and nobody can sign in; set it to the address that the public uses")
}
