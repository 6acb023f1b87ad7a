// Command pgx is a peer that the benchmark compares Palmarès with: what a careful Go
// developer writes first, net/http and SQL per request on the same database.
//
// It has every advantage that takes no design: prepared statements, a pool, the indexes its queries want and
// fresh statistics. And it does nothing but answer: no quota, no access log, no ETag.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8081", "where to listen")
	database := flag.String("database", "", "URL of a Palmarès database, migrated and published")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *database); err != nil {
		fmt.Fprintln(os.Stderr, "pgx:", err)
		os.Exit(1) //nolint:gocritic // the signals matter no more
	}
}

func run(ctx context.Context, listen, database string) error {
	pool, err := connect(ctx, database)
	if err != nil {
		return err
	}
	defer pool.Close()
	s := &server{pool: pool}
	if err := s.prepare(ctx); err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/tools", s.listTools)
	mux.HandleFunc("GET /api/v1/tools/{slug}", s.getTool)
	hs := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	served := make(chan error, 1)
	go func() { served <- hs.Serve(l) }()
	fmt.Println("ready")

	select {
	case err := <-served:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := hs.Shutdown(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stopping: %w", err)
	}
	return nil
}

func connect(ctx context.Context, database string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, fmt.Errorf("-database: %w", err)
	}
	config.MaxConns = 16
	config.ConnConfig.RuntimeParams["statement_timeout"] = "5s"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the pool: %w", err)
	}
	return pool, nil
}
