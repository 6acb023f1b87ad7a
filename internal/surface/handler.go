package surface

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/tracing"
)

// Options say how requests are observed. Logger and Registry are required.
type Options struct {
	Logger   *slog.Logger
	Registry prometheus.Registerer
	Proxies  web.Proxies
	Tracing  trace.TracerProvider // nil where nothing is traced
	Ratio    float64              // of requests that are traced
}

// Handler observes the surfaces and, where tracing is set up, traces them.
func Handler(surfaces []Surface, o Options) (http.Handler, error) {
	counted := slices.Clone(surfaces)
	for i := range counted {
		s := &counted[i]
		if s.Answers == nil {
			s.Answers = new(web.Answers)
		}
		s.Answers.Register(o.Registry, s.Name)
		s.Handler = s.Answers.Wrap(s.Handler)
	}
	mux, err := newMux(counted)
	if err != nil {
		return nil, err
	}
	observer := web.NewObserver(web.ObserverOptions{
		Logger: o.Logger, Registry: o.Registry, Proxies: o.Proxies, WriteError: mux.writeError,
	})
	return observer.Wrap(tracing.Wrap(mux, tracing.Options{Provider: o.Tracing, Ratio: o.Ratio})), nil
}

// Listen opens the address that the setting names.
func Listen(ctx context.Context, address, setting string) (net.Listener, error) {
	l, err := Bind(ctx, address, setting)
	if err != nil {
		return nil, err
	}
	if err := l.Open(); err != nil {
		return nil, errors.Join(err, Close(l))
	}
	return l, nil
}

// Close closes a listener, should no server have closed it.
func Close(l net.Listener) error {
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Loopback reports whether only this machine can reach a listener.
func Loopback(l net.Listener) bool {
	address, ok := l.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

// URL is the address of a listener as this machine can call it. What clients send as Host has
// no part in it: they may send anything.
func URL(l net.Listener) string {
	at, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		return ""
	}
	if at.Addr().IsUnspecified() { // it listens on all addresses, and this one is always among them
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	return "http://" + at.String()
}
