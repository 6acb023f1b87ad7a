package node

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// schemaTimeout is how long a node that starts waits for its database to tell its schema. A
// database that is down says so at once; only one that is silent makes a node wait.
const schemaTimeout = 5 * time.Second

// refuseOldProgram ends the start of a node that is too old for its database. When the database
// does not answer, or is to be migrated first, the node starts from its disk copy; then the feeds and
// the jobs ask again, on each connection, and do nothing on such a schema.
func (b *builder) refuseOldProgram(ctx context.Context) error {
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, schemaTimeout)
	defer cancel()
	err = db.CheckSchema(soon, func(message string) { b.logger.Warn(message) })
	if _, ok := behind(err); ok {
		b.schema.set(b.logger, err)
		return nil
	}
	if err != nil && !errors.Is(err, postgres.ErrProgramTooOld) {
		// Whoever follows the database warns of it.
		b.logger.Info("the database does not answer yet: whether this program is too old for it is asked later",
			"error", postgres.Explain(err))
		return nil
	}
	return err
}

// migrated lets jobs start once the database has the schema that they need.
func (b *builder) migrated(db *postgres.DB) jobs.Group {
	var once atomic.Bool
	return jobs.Group{Add: func(*river.Config) {}, Allowed: func(ctx context.Context) error {
		if once.Load() {
			return nil
		}
		err := db.CheckSchema(ctx, func(string) {})
		b.schema.set(b.logger, err)
		if _, ok := behind(err); ok {
			return err
		}
		once.Store(err == nil)
		return nil
	}}
}
