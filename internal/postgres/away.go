package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// awayCodes are the SQLSTATE prefixes that mean the server, or a proxy in front of it, cannot answer now.
// Any other code is about the statement that we sent.
var awayCodes = []string{
	"08",    // the connection
	"53",    // no room: connections, memory, disk
	"57P0",  // shutting down, starting, killed, or the database is being dropped
	"57014", // statement_timeout
	"55P03", // lock_timeout
	"25006", // read-only: a standby
	"28",    // not allowed in: our password is being changed
	"40",    // serialization failures and deadlocks
	"58",    // errors of its disk
}

// Away reports whether an error means that the database did not answer: it could not be reached, was too
// slow, hung up, or has no schema because a backup is being restored. The same query may succeed a moment
// later.
func Away(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) { // it is the caller that went away
		return false
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		for _, code := range awayCodes {
			if strings.HasPrefix(pg.Code, code) {
				return true
			}
		}
		return errors.Is(err, ErrNoSchema)
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, gone := range []error{
		context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, puddle.ErrClosedPool, ErrNoSchema,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return pgconn.SafeToRetry(err) // the connection was closed before anything was sent
}
