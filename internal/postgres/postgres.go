package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"go.opentelemetry.io/otel/trace"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/engine"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// A DB is a pool of connections and the aggregates that work on it. A function that needs
// one aggregate takes that one.
type DB struct {
	Catalog  *Catalog
	Accounts *Accounts
	SignIns  *SignIns
	Sessions *Sessions
	Keys     *Keys
	Webhooks *Webhooks
	Billing  *Billing
	Reports  *Reports
	Answers  *Answers
	Purges   *Purges
	Digests  *Digests

	pool *pgxpool.Pool
}

var (
	_ account.Store               = (*Accounts)(nil)
	_ account.NoticeStore         = (*Accounts)(nil)
	_ account.EmailChangeStore    = (*Accounts)(nil)
	_ account.DeletionNoticeStore = (*Accounts)(nil)
	_ account.Pruner              = (*Accounts)(nil)
	_ account.KeyStore            = (*Keys)(nil)
	_ account.SignInStore         = (*SignIns)(nil)
	_ billing.Store               = (*Billing)(nil)
	_ report.Store                = (*Reports)(nil)
	_ availability.Store          = (*Answers)(nil)
	_ purge.Store                 = (*Purges)(nil)
	_ digest.Store                = (*Digests)(nil)
	_ webhook.WorkerStore         = (*Webhooks)(nil)
	_ webhook.EndpointsStore      = (*Webhooks)(nil)
	_ webhook.Categories          = (*Catalog)(nil)
)

// Options configure a DB. The zero value is fine.
type Options struct {
	// Name is the application_name of the connections in pg_stat_activity. The default is
	// that of the URL.
	Name string
	// Conns is the maximum size of the pool; the default is 4. A node has a pool for each
	// use, so that none waits for another.
	Conns int
	// Patience, when set, is how long a statement may take before PostgreSQL cancels it, and how long it
	// may take to connect. It is for pools that requests wait for: by then the client has gone, and the
	// connection must not stay busy.
	Patience time.Duration
	// Tracer, when set, gives every query a span.
	Tracer trace.TracerProvider
	// Now is the clock of sessions and of provider events; the default is time.Now.
	Now func() time.Time
	// Writing, when set, is called while Publish writes, with the number of rows sent so
	// far and of all rows.
	Writing func(done, total int)
}

// Open makes a pool of connections to the database at url. It connects when a connection
// is needed, so a database that is down is no error here.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	cfg, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	if o.Tracer != nil {
		// Parameters stay out of spans: some are personal data.
		cfg.ConnConfig.Tracer = otelpgx.NewTracer(otelpgx.WithTracerProvider(o.Tracer))
	}
	if o.Name != "" {
		cfg.ConnConfig.RuntimeParams["application_name"] = o.Name
	}
	if o.Conns == 0 {
		o.Conns = 4
	}
	cfg.MaxConns = int32(o.Conns) //nolint:gosec // a few
	if o.Patience > 0 {
		limitStatements(cfg, o.Patience)
	}
	cfg.PrepareConn = func(ctx context.Context, _ *pgx.Conn) (bool, error) { engine.Check(ctx); return true, nil }
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the connection pool: %w", err)
	}
	return newDB(pool, o), nil
}

// limitStatements limits the time of a pool's statements, and of connecting. It sets the limit of
// statements on open connections: poolers refuse connections that ask for it, and feeds, which read for
// longer, connect without it.
func limitStatements(cfg *pgxpool.Config, limit time.Duration) {
	cfg.ConnConfig.ConnectTimeout = limit
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SELECT set_config('statement_timeout', $1, false)`, strconv.FormatInt(limit.Milliseconds(), 10))
		if err != nil {
			return fmt.Errorf("limiting the time of statements: %w", err)
		}
		return nil
	}
}

func newDB(pool *pgxpool.Pool, o Options) *DB {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &DB{
		Catalog:  &Catalog{pool: pool, writing: o.Writing},
		Accounts: &Accounts{pool: pool},
		SignIns:  &SignIns{pool: pool},
		Sessions: &Sessions{pool: pool, now: o.Now},
		Keys:     &Keys{pool: pool},
		Webhooks: &Webhooks{pool: pool},
		Billing:  &Billing{pool: pool, reads: pool, takes: pool, now: o.Now},
		Reports:  &Reports{pool: pool},
		Answers:  &Answers{pool: pool},
		Purges:   &Purges{pool: pool},
		Digests:  &Digests{Accounts: &Accounts{pool: pool}, pool: pool},
		pool:     pool,
	}
}

// Close closes all connections.
func (db *DB) Close() { db.pool.Close() }

// Schema reads the schema of the database. Before the first palmares migrate it is the zero Schema.
func (db *DB) Schema(ctx context.Context) (Schema, error) { return readSchema(ctx, db.pool) }

// CheckSchema returns an error if this program is too old for the schema, or if the schema must be
// migrated first. It calls warn for a schema that is merely newer.
func (db *DB) CheckSchema(ctx context.Context, warn func(message string)) error {
	program, err := Program()
	if err != nil {
		return err
	}
	schema, err := db.Schema(ctx)
	if err != nil {
		return err
	}
	if schema.Level > program.Level {
		warn(fmt.Sprintf("the database's schema is newer than this program: "+
			"it is at migration %d, the program ends at %d", schema.Level, program.Level))
	}
	return schema.Check(program)
}

// Jobs returns a client of River over the pool. Without queues in its configuration it only
// inserts jobs.
func (db *DB) Jobs(cfg *river.Config) (*Jobs, error) {
	client, err := river.NewClient(riverpgxv5.New(db.pool), cfg)
	if err != nil {
		return nil, fmt.Errorf("preparing the jobs: %w", err)
	}
	return &Jobs{client, db.pool}, nil
}
