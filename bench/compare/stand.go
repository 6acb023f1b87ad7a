package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A stand is everything that a run needs on this machine: programs, Redis, a trace collector, and what to clean
// up.
type stand struct {
	dir       string // directory of all temporary files
	root      string // the module's root directory
	ready     string // path of a palmares already built; "" to build one
	redis     string
	counter   *process     // the Redis server
	collector string       // URL of the trace collector
	batches   atomic.Int64 // batches of traces received
	blocks    int          // addresses used so far
	queries   int          // flood queries sent so far
	closers   []func()
}

func newStand(ctx context.Context, root, ready string) (_ *stand, err error) {
	dir, err := os.MkdirTemp("", "palmares-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a temporary directory: %w", err)
	}
	s := &stand{dir: dir, root: root, ready: ready}
	s.onClose(func() { os.RemoveAll(dir) }) //nolint:errcheck,gosec // nothing to be done about it
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := s.build(ctx); err != nil {
		return nil, err
	}
	if err := s.startRedis(ctx); err != nil {
		return nil, err
	}
	return s, s.startCollector(ctx)
}

// onClose registers a clean-up function. They run in reverse order.
func (s *stand) onClose(f func()) { s.closers = append(s.closers, f) }

func (s *stand) close() {
	for _, f := range slices.Backward(s.closers) {
		f()
	}
	s.closers = nil
}

// mark remembers what runs now; the function it returns ends what was started since.
func (s *stand) mark() (rewind func()) {
	n := len(s.closers)
	return func() {
		for _, f := range slices.Backward(s.closers[n:]) {
			f()
		}
		s.closers = s.closers[:n]
	}
}

func (s *stand) binary(name string) string { return filepath.Join(s.dir, "bin", name) }

// build builds all programs except the peers, which are built on demand because they may fail.
func (s *stand) build(ctx context.Context) error {
	fmt.Println("building")
	if err := os.Mkdir(filepath.Join(s.dir, "bin"), 0o755); err != nil {
		return fmt.Errorf("making a directory: %w", err)
	}
	if err := s.goBuild(ctx, "base", ".", "./bench/base"); err != nil {
		return err
	}
	if s.ready == "" {
		return s.goBuild(ctx, "palmares", ".", "./cmd/palmares")
	}
	path, err := filepath.Abs(s.ready)
	if err != nil {
		return fmt.Errorf("-palmares: %w", err)
	}
	if err := os.Symlink(path, s.binary("palmares")); err != nil {
		return fmt.Errorf("-palmares: %w", err)
	}
	return nil
}

// goBuild builds pkg in the directory module below the root.
func (s *stand) goBuild(ctx context.Context, name, module, pkg string, flags ...string) error {
	env := append(os.Environ(), "CGO_ENABLED=0")
	args := append(append([]string{"build", "-trimpath", "-o", s.binary(name)}, flags...), pkg)
	return command(ctx, filepath.Join(s.root, module), env, "go", args...)
}

// startRedis runs a Redis of our own, set up as the documentation asks.
func (s *stand) startRedis(ctx context.Context) error {
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	_, port, _ := strings.Cut(address, ":")
	p, err := start(s.dir, "redis", os.Environ(), "redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", s.dir,
		"--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
		"--auto-aof-rewrite-percentage", "0") // a rewrite would burden one slice and not the other
	if err != nil {
		return fmt.Errorf("%w (apt-get install redis-server)", err)
	}
	s.onClose(p.stop)
	s.counter = p
	s.redis = "redis://" + address
	return p.await(ctx, 10*time.Second, listening(address))
}

// startCollector starts a server that accepts traces over HTTP, counts them and discards them.
func (s *stand) startCollector(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening for traces: %w", err)
	}
	collector := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) //nolint:errcheck,gosec // they are thrown away
			s.batches.Add(1)
		}),
	}
	go collector.Serve(l)                   //nolint:errcheck // it ends when closed
	s.onClose(func() { collector.Close() }) //nolint:errcheck,gosec // nothing depends on it
	s.collector = "http://" + l.Addr().String()
	return nil
}
