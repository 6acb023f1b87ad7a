package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/web"
)

// readiness returns whether a node is ready and, if it is, what does not work all the same.
//
// If there are surfaces, they alone decide, so that no request is refused because something else waits; jobs that do
// not run are then only reported. A node without a surface is ready when its jobs run. Every node reports engines
// that do not answer.
func readiness(surfaces []surface.Surface, jobs, engines func() error, draining func() bool) (ready, impaired func() error) {
	jobs = orBehind(jobs)
	if len(surfaces) == 0 {
		return jobs, engines
	}
	return orBehind(func() error {
		if draining() {
			return errors.New("draining: this node is about to stop")
		}
		var why []error
		for _, s := range surfaces {
			if s.Ready != nil {
				why = append(why, s.Ready())
			}
		}
		return errors.Join(why...)
	}), func() error { return errors.Join(jobs(), engines()) }
}

// orBehind reduces an error to the database's outstanding migration, if that is the cause.
func orBehind(why func() error) func() error {
	return func() error {
		err := why()
		if todo, ok := behind(err); ok {
			return todo
		}
		return err
	}
}

// A schemaState is whether the database still had to be migrated when last checked.
type schemaState struct {
	behind atomic.Pointer[postgres.BehindError]
}

// set records the outcome of opening a connection, and logs once that the database must be migrated.
func (s *schemaState) set(logger *slog.Logger, err error) {
	now, _ := behind(err)
	if before := s.behind.Swap(now); before == nil && now != nil {
		logger.Error(now.Error())
	}
}

// err returns that the database must be migrated; nil if it need not.
func (s *schemaState) err() error {
	if todo := s.behind.Load(); todo != nil {
		return todo
	}
	return nil
}

// behind finds among the causes of an error that the database must be migrated: the others follow from it.
func behind(err error) (*postgres.BehindError, bool) {
	return errors.AsType[*postgres.BehindError](err)
}

// untilMigrated makes a surface refuse requests while the database must be migrated, for a surface that cannot answer
// without it.
func (s *schemaState) untilMigrated(of surface.Surface) surface.Surface {
	inner := of.Handler
	of.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.err(); err != nil {
			e := web.Errorf(http.StatusServiceUnavailable, "the service is being updated: try again in a moment")
			e.Header = http.Header{"Retry-After": {"5"}}
			of.WriteError(w, r, e)
			return
		}
		inner.ServeHTTP(w, r)
	})
	return of
}

// schemaTimeout is how long a node that starts waits for the database to return its schema. A database that is down
// fails at once; only a silent one makes a node wait.
const schemaTimeout = 5 * time.Second

// refuseOldProgram fails if the node is too old for its database. If the database does not answer, or must be
// migrated first, the node starts from its disk copy; then the feeds and the jobs check again, on each connection,
// and do nothing on such a schema.
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
		// The feeds, which follow the database, warn about one that does not answer. One that refuses to let anybody in is
		// an error from the first line on.
		err, level := postgres.Explain(err), slog.LevelInfo
		if live.Level(err) == slog.LevelError {
			level = slog.LevelError
		}
		b.logger.Log(ctx, level, "the schema of the database cannot be read yet: whether this program is too old for it is asked later",
			"error", err)
		return nil
	}
	return err
}

// migrated returns a group of jobs that start once the database has the schema they need.
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

// How often a node checks that PostgreSQL answers, and the timeout of the check. Their sum is how late /readyz can
// report that it does not. The breaker watches Redis.
const (
	engineEvery = time.Second
	engineWait  = 2 * time.Second
)

// errNoRedis means that a node counts by itself; the log says why. It serves what it has anyway, as it does without
// PostgreSQL.
var errNoRedis = errors.New("Redis does not answer: quotas are counted on this node alone") //nolint:staticcheck // a name

// watchEngines returns which engines of this node do not answer. It keeps checking them: a frozen engine reports
// nothing by itself, and there may be no requests that would notice.
func (b *builder) watchEngines(ctx context.Context) (impaired func() error, err error) {
	db, err := b.database(ctx, metricsPool)
	if err != nil {
		return nil, err
	}
	_, breaker, err := b.shared()
	if err != nil {
		return nil, err
	}
	var away atomic.Pointer[error] // why PostgreSQL does not answer; nil while it does
	b.background(func(ctx context.Context) {
		for ctx.Err() == nil {
			asking, cancel := context.WithTimeout(ctx, engineWait)
			_, err := db.Clock(asking)
			cancel()
			if err != nil && ctx.Err() == nil {
				away.Store(&err)
			} else {
				away.Store(nil)
			}
			select {
			case <-ctx.Done():
			case <-time.After(engineEvery):
			}
		}
	})
	return func() error {
		var why []error
		if err := away.Load(); err != nil {
			why = append(why, fmt.Errorf("PostgreSQL does not answer (%w): what needs it waits, and the rest is served from memory", *err))
		}
		if breaker != nil && breaker.Answers() != nil {
			why = append(why, errNoRedis)
		}
		return errors.Join(why...)
	}, nil
}
