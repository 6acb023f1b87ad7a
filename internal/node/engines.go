package node

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// How often a node asks PostgreSQL whether it is there, and how long it waits for the answer. Together they are how late
// /readyz can be to say that it is not. Redis is watched by its breaker.
const (
	engineEvery = time.Second
	engineWait  = 2 * time.Second
)

// errNoRedis says that a node counts by itself; why is in the log. It serves what it has all the same, as it does without PostgreSQL.
var errNoRedis = errors.New("Redis does not answer: quotas are counted on this node alone") //nolint:staticcheck // a name

// watchEngines tells which of the engines of this node do not answer. A frozen one says nothing of itself, and nobody may be
// asking for anything: so it is asked again and again.
func (b *builder) watchEngines(ctx context.Context) (impaired func() error, err error) {
	db, err := b.database(ctx, metricsPool)
	if err != nil {
		return nil, err
	}
	_, breaker, err := b.shared()
	if err != nil {
		return nil, err
	}
	var away atomic.Pointer[error] // why it does not answer; nil while it does
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
