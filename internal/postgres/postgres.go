package postgres

import (
	"context"
	"fmt"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/trace"
)

// DB is the system of record.
type DB struct {
	pool    *pgxpool.Pool
	writing func(done, total int)
}

// Options adjust a DB. The zero value is fine.
type Options struct {
	// Name is what the connections of the pool call themselves, for operators to see in
	// pg_stat_activity; what the URL says when it is "".
	Name string
	// Conns is how many connections the pool makes at most, 4 when 0. Each use has a
	// pool of its own, so that none waits for another.
	Conns int
	// Tracer, when set, gives every query a span.
	Tracer trace.TracerProvider
	// Writing, when set, is told how many of an edition's rows are sent, while Publish
	// writes them.
	Writing func(done, total int)
}

// Open prepares connections to the database at url; none is made before it is
// needed, so a database that is down is no error here.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	if o.Tracer != nil {
		// Parameters stay out of spans: they are content now and personal data later.
		cfg.ConnConfig.Tracer = otelpgx.NewTracer(otelpgx.WithTracerProvider(o.Tracer))
	}
	if o.Name != "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = o.Name
	}
	if o.Conns == 0 {
		o.Conns = 4
	}
	cfg.MaxConns = int32(o.Conns) //nolint:gosec // a few
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the connection pool: %w", err)
	}
	return &DB{pool: pool, writing: o.Writing}, nil
}

// Close closes all connections.
func (db *DB) Close() { db.pool.Close() }
