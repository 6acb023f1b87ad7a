package postgres

import (
	"context"
	"regexp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// OpenTraced is Open with a tracer that also sees the arguments of statements.
func OpenTraced(ctx context.Context, url string, tracer pgx.QueryTracer, o Options) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.Tracer = tracer
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return newDB(pool, o), nil
}

// IsViolation reports whether an error of PostgreSQL has that code.
func IsViolation(err error, code string) bool { return isViolation(err, code) }

// PublisherRights are the rights of a role that may only publish, by relation. One on columns is with their names.
func PublisherRights() map[string][]string {
	rights := make(map[string][]string)
	for _, r := range publisherRights {
		rights[r.relation] = regexp.MustCompile(`[A-Z]+( \([^)]*\))?`).FindAllString(r.allows, -1)
	}
	return rights
}
