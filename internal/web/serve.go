package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/web/wire"
)

// ServerOptions describe a Server. A zero duration or size stands for its default.
type ServerOptions struct {
	Name      string         // in logs and errors
	Listeners []net.Listener // closed by Run
	Handler   http.Handler
	Logger    *slog.Logger // nil logs nothing
	Wire      bool         // lets handlers ask for package wire, by SetFields and the like

	ReadTimeout    time.Duration // of a request's header; 10 s
	WriteTimeout   time.Duration // of the whole request, and of its answer from the header on; 30 s
	IdleTimeout    time.Duration // 120 s
	MaxHeaderBytes int           // 16 KiB

	// MaxConns is how many connections are held at most: beyond it those that have
	// waited longest for their client are closed. 0 is no limit.
	MaxConns int
	Registry prometheus.Registerer // for metrics of connections; nil registers nothing

	// BaseContext is as in http.Server. By default requests have the values of
	// Run's context and outlive its end, until ShutdownTimeout has passed.
	BaseContext func(net.Listener) context.Context

	OnDrain         func()        // called first when Run's context ends: readiness goes false here
	DrainDelay      time.Duration // how long to go on answering after that; 0 is not at all
	ShutdownTimeout time.Duration // how long running requests get then; 10 s
}

// A Server is an http.Server with safe limits and an orderly end. It runs once.
type Server struct {
	opts     ServerOptions
	log      *slog.Logger
	limit    *connLimit
	draining atomic.Bool
}

// NewServer makes a Server.
func NewServer(opts ServerOptions) *Server {
	opts.Name = cmp.Or(opts.Name, "http")
	opts.ReadTimeout = cmp.Or(opts.ReadTimeout, 10*time.Second)
	opts.WriteTimeout = cmp.Or(opts.WriteTimeout, 30*time.Second)
	opts.IdleTimeout = cmp.Or(opts.IdleTimeout, 120*time.Second)
	opts.MaxHeaderBytes = cmp.Or(opts.MaxHeaderBytes, 16<<10)
	opts.ShutdownTimeout = cmp.Or(opts.ShutdownTimeout, 10*time.Second)
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Server{opts: opts, log: log.With("server", opts.Name), limit: newConnLimit(opts.Name, opts.MaxConns, opts.Registry)}
}

// Run serves until ctx is done and every request has been answered, or until a
// listener fails. Its end takes at most DrainDelay and ShutdownTimeout; requests
// still running after that are cut off, and Run returns an error that says so.
func (s *Server) Run(ctx context.Context) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := s.httpServer(base)

	watching, unwatch := context.WithCancel(base)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer unwatch()

	failed := make(chan error, len(s.opts.Listeners))
	var serving sync.WaitGroup
	for _, l := range s.opts.Listeners {
		s.log.Info("listening", "address", l.Addr().String())
		if s.opts.Wire {
			wired := wire.NewListener(l)
			watcher.Go(func() { wired.Run(watching) })
			l = wired
		}
		limited := &limitedListener{Listener: l, limit: s.limit}
		serving.Go(func() { failed <- server.Serve(limited) })
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = s.drain(failed)
	}
	if err != nil {
		err = fmt.Errorf("%s server: %w", s.opts.Name, err)
	}

	limit, stop := context.WithTimeout(base, s.opts.ShutdownTimeout)
	defer stop()
	if late := server.Shutdown(limit); late != nil {
		cancel() // tell the handlers before their connections go
		_ = server.Close()
		err = errors.Join(err, fmt.Errorf("%s server: requests still running after %v: %w",
			s.opts.Name, s.opts.ShutdownTimeout, late))
	}
	serving.Wait()
	s.log.Info("stopped")
	return err
}

// Close closes the listeners of a server that will not run.
func (s *Server) Close() error {
	var err error
	for _, l := range s.opts.Listeners {
		err = errors.Join(err, l.Close())
	}
	return err
}

// drain goes on serving for DrainDelay, so that load balancers see the readiness
// go before the listeners do.
//
// Each answer now carries Connection: close, so that clients move elsewhere.
// http.Server.SetKeepAlivesEnabled(false) would also close idle connections on
// the spot, and with them the requests that are on their way.
func (s *Server) drain(failed <-chan error) error {
	s.log.Info("draining", "delay_ms", s.opts.DrainDelay.Milliseconds())
	s.draining.Store(true)
	if s.opts.OnDrain != nil {
		s.opts.OnDrain()
	}
	delay := time.NewTimer(s.opts.DrainDelay)
	defer delay.Stop()
	select {
	case err := <-failed:
		return err
	case <-delay.C:
		return nil
	}
}

func (s *Server) httpServer(base context.Context) *http.Server {
	baseContext := s.opts.BaseContext
	if baseContext == nil {
		baseContext = func(net.Listener) context.Context { return base }
	}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.draining.Load() {
				w.Header().Set("Connection", "close") // in HTTP/2 net/http says GOAWAY
			}
			s.opts.Handler.ServeHTTP(w, r)
		}),
		MaxHeaderBytes:    s.opts.MaxHeaderBytes,
		ReadHeaderTimeout: s.opts.ReadTimeout,
		ReadTimeout:       s.opts.WriteTimeout,
		WriteTimeout:      s.opts.WriteTimeout,
		IdleTimeout:       s.opts.IdleTimeout,
		BaseContext:       baseContext,
		ConnState:         s.limit.stateChanged,
		ErrorLog:          newErrorLog(s.log),
	}
	if s.opts.Wire {
		server.ConnContext = wire.WithConn
	}
	return server
}

// Run runs the public servers and the admin one together. The admin server ends
// when all the others have, so that /readyz and /metrics answer while they drain.
// When one server fails, all of them end.
func Run(ctx context.Context, admin *Server, public ...*Server) error {
	publicCtx, stopPublic := context.WithCancel(ctx)
	defer stopPublic()
	adminCtx, stopAdmin := context.WithCancel(context.WithoutCancel(ctx))
	defer stopAdmin()

	adminEnded := make(chan error, 1)
	go func() {
		defer stopPublic()
		adminEnded <- admin.Run(adminCtx)
	}()
	publicEnded := make(chan error, len(public))
	for _, s := range public {
		go func() {
			defer stopPublic()
			publicEnded <- s.Run(publicCtx)
		}()
	}
	var errs []error
	if len(public) == 0 {
		<-publicCtx.Done()
	}
	for range public {
		errs = append(errs, <-publicEnded)
	}
	stopAdmin()
	return errors.Join(append(errs, <-adminEnded)...)
}
