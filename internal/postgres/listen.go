package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// listen opens a connection outside the pool and listens on the channel. The connection
// must not go through a pooler in transaction mode, which loses LISTEN.
func listen(ctx context.Context, pool *pgxpool.Pool, name, channel string) (*pgx.Conn, error) {
	cfg := pool.Config().ConnConfig
	cfg.Tracer = nil // a heartbeat every two seconds is not worth a span
	cfg.RuntimeParams["application_name"] = name
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to PostgreSQL: %w", Explain(err))
	}
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		closeConn(conn)
		return nil, fmt.Errorf("listening on %s: %w", channel, err)
	}
	return conn, nil
}

// waitForNotification returns when a notification arrives, or after d.
func waitForNotification(ctx context.Context, conn *pgx.Conn, d time.Duration) error {
	short, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	_, err := conn.WaitForNotification(short)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// closeConn closes a connection without waiting for a server that may be gone.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	conn.Close(ctx) //nolint:errcheck,gosec // the connection is given up either way
}
