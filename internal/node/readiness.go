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

// readiness returns two checks: whether a node is ready, and which faults a ready node has.
//
// If there are surfaces, they alone decide, so that no request is refused because of something else; jobs that do not
// run are then only a fault. A node without a surface is ready when its jobs run. Engines that do not answer are a
// fault on every node.
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

// orBehind returns a check that reduces why's error to the database's outstanding migration, if that is among the
// causes: the others follow from it.
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

// err returns the BehindError if the database must be migrated, else nil.
func (s *schemaState) err() error {
	if todo := s.behind.Load(); todo != nil {
		return todo
	}
	return nil
}

// behind returns the BehindError among the causes of an error, which says that the database must be migrated.
func behind(err error) (*postgres.BehindError, bool) {
	return errors.AsType[*postgres.BehindError](err)
}

// untilMigrated returns the surface with a handler that answers 503 while the database must be migrated. It is for
// surfaces that cannot answer without the database.
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

// schemaTimeout is how long a starting node waits for the version of the database's schema. A database that is down
// fails at once; only one that does not respond makes the node wait.
const schemaTimeout = 5 * time.Second

// refuseOldProgram fails if the node is too old for its database. If the database does not answer, or must be
// migrated first, the node starts from its disk copy. The feeds and the jobs then check the schema again, on each
// connection, and do nothing while it does not fit.
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
		// The feeds will warn about a database that does not answer, so this is only info. A database that refuses the
		// connection is an error at once.
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

// migrated returns a group without jobs that keeps all jobs from starting until the database is migrated.
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

// How often a node checks that PostgreSQL answers, and the timeout of the check. Their sum is the longest delay before
// /readyz reports that it does not. Redis is watched by its breaker.
const (
	engineEvery = time.Second
	engineWait  = 2 * time.Second
)

// errNoRedis means that a node counts quotas by itself because Redis does not answer; the log says why. The node
// serves requests all the same, as it does without PostgreSQL.
var errNoRedis = errors.New("Redis does not answer: quotas are counted on this node alone") //nolint:staticcheck // a name

// watchEngines adds a task that checks PostgreSQL, and returns a function that reports which engines do not answer. The
// check is needed because a frozen engine reports nothing by itself, and there may be no requests that would notice.
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
