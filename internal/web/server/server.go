package server

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

	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/wire"
)

// The limits of every server. A handler that needs others sets its own deadlines through
// http.ResponseController.
const (
	headerTimeout  = 10 * time.Second // for a request's header to arrive
	bodyTimeout    = 5 * time.Second  // for its body to arrive after the header
	idleTimeout    = 120 * time.Second
	maxHeaderBytes = 16 << 10
)

// Options describe a Server. Listener and Handler are required.
type Options struct {
	Name     string       // in logs and errors; "http" when empty
	Listener net.Listener // closed by Run
	// Before, when set, is called before the first connection is accepted, and may block. If it fails, nothing is
	// served, and Run returns its error, or none if ctx has ended.
	Before   func(ctx context.Context) error
	OnListen func() // called once the log names the address: readiness goes true here
	Handler  http.Handler
	Logger   *slog.Logger // nil logs nothing
	Wire     bool         // lets web.SetFields and the like send through package wire

	// WriteTimeout is how long a response may take, from the header of its request on; 30 s when 0.
	WriteTimeout time.Duration

	// MaxConns is the most connections to hold: beyond it those that have waited longest for their
	// client are closed. 0 is no limit.
	MaxConns int
	Registry prometheus.Registerer // for metrics of connections; nil registers nothing

	OnDrain         func()        // called first when Run's context ends: readiness goes false here
	DrainDelay      time.Duration // how long to go on accepting requests after OnDrain; 0 is not at all
	ShutdownTimeout time.Duration // how long running requests get after DrainDelay; 10 s when 0
}

// A Server is an http.Server with safe limits and a graceful shutdown. It runs only once.
type Server struct {
	opts     Options
	log      *slog.Logger
	limit    *connLimit
	draining atomic.Bool
}

// New returns a Server, which does not serve until Run.
func New(opts Options) *Server {
	opts.Name = cmp.Or(opts.Name, "http")
	opts.WriteTimeout = cmp.Or(opts.WriteTimeout, 30*time.Second)
	opts.ShutdownTimeout = cmp.Or(opts.ShutdownTimeout, 10*time.Second)
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Server{
		opts: opts, log: log.With("server", opts.Name),
		limit: newConnLimit(opts.Name, opts.MaxConns, opts.Registry),
	}
}

// Run serves until ctx is done and every request has been answered, or until the listener fails.
// Requests have the values of ctx, but are not cancelled with it. After ctx is done Run takes at most
// DrainDelay and ShutdownTimeout; requests still running then are cut off, and Run's error says so.
func (s *Server) Run(ctx context.Context) error {
	if s.opts.Before != nil {
		if err := s.opts.Before(ctx); err != nil {
			err = errors.Join(err, s.Close())
			if ctx.Err() != nil { // asked to stop before it served anything
				return nil
			}
			return fmt.Errorf("%s server: %w", s.opts.Name, err)
		}
	}
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := s.httpServer(base)
	listener, stopListener := s.listener(base)
	defer stopListener()

	s.log.Info("listening", "address", listener.Addr().String())
	if s.opts.OnListen != nil {
		s.opts.OnListen()
	}
	failed := make(chan error, 1)
	var serving sync.WaitGroup
	serving.Go(func() { failed <- server.Serve(listener) })
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = s.drain(failed)
	}
	if err != nil {
		err = fmt.Errorf("%s server: %w", s.opts.Name, err)
	}

	timeout, stop := context.WithTimeout(base, s.opts.ShutdownTimeout)
	defer stop()
	if late := server.Shutdown(timeout); late != nil {
		cancel() // tell the handlers before their connections go
		_ = server.Close()
		err = errors.Join(err, fmt.Errorf("%s server: requests still running after %v: %w",
			s.opts.Name, s.opts.ShutdownTimeout, late))
	}
	serving.Wait()
	s.log.Info("stopped")
	return err
}

// Close closes the listener of a server that will not run.
func (s *Server) Close() error {
	return s.opts.Listener.Close() //nolint:wrapcheck // it says what it is
}

// listener returns the listener to serve: its connections count towards the limit, and are package wire's if the
// options say so. stop must be called in the end.
func (s *Server) listener(ctx context.Context) (limited net.Listener, stop func()) {
	if !s.opts.Wire {
		return &limitedListener{Listener: s.opts.Listener, limit: s.limit}, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	wired := wire.NewListener(s.opts.Listener)
	var running sync.WaitGroup
	running.Go(func() { wired.Run(ctx) })
	return &limitedListener{Listener: wired, limit: s.limit}, func() { cancel(); running.Wait() }
}

// drain goes on serving for DrainDelay, so that load balancers see that the node is no longer ready
// before its listener closes. It returns the listener's error if that fails meanwhile.
//
// Each response then carries Connection: close, so that clients move elsewhere.
// http.Server.SetKeepAlivesEnabled(false) would also close idle connections at once, and lose requests
// that are on their way.
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
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.draining.Load() {
				w.Header().Set("Connection", "close") // in HTTP/2 net/http says GOAWAY
			}
			if r.Body == http.NoBody {
				s.opts.Handler.ServeHTTP(w, r)
				return
			}
			limitBody(r)
			body := r.Body
			s.opts.Handler.ServeHTTP(w, r)
			if s.draining.Load() || !r.ProtoAtLeast(1, 1) || r.Close {
				readRest(r, body)
			}
		}),
		MaxHeaderBytes:    maxHeaderBytes,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       s.opts.WriteTimeout,
		WriteTimeout:      s.opts.WriteTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState:         s.limit.stateChanged,
		ErrorLog:          logging.NewStandard(s.log),
	}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		ctx = web.WithConn(withConn(ctx, c), c)
		if s.opts.Wire {
			ctx = wire.WithConn(ctx, c)
		}
		return ctx
	}
	return server
}

// Run runs the public servers and the admin server together. The admin server stops after all the
// others, so that /readyz and /metrics answer while they drain. When one server fails, all of them
// stop.
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
	if len(public) == 0 {
		<-publicCtx.Done()
	}
	var errs []error
	for range public {
		errs = append(errs, <-publicEnded)
	}
	stopAdmin()
	return errors.Join(append(errs, <-adminEnded)...)
}
