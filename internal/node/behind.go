package node

import (
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/web"
)

// A schemaState is whether the database was still to be migrated when it was last asked.
type schemaState struct {
	behind atomic.Pointer[postgres.BehindError]
}

// set notes the outcome of opening a connection, and logs that the database is to be migrated once.
func (s *schemaState) set(logger *slog.Logger, err error) {
	now, _ := behind(err)
	if before := s.behind.Swap(now); before == nil && now != nil {
		logger.Error(now.Error())
	}
}

// err says that the database is to be migrated; nil when it is not.
func (s *schemaState) err() error {
	if todo := s.behind.Load(); todo != nil {
		return todo
	}
	return nil
}

// behind finds, among what keeps a node from working, that the database is to be migrated: the rest
// follows from it.
func behind(err error) (*postgres.BehindError, bool) {
	return errors.AsType[*postgres.BehindError](err)
}

// untilMigrated has a surface whose requests need the database refuse them while that is to be
// migrated: what they would ask for is not there.
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
