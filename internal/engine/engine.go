// Package engine marks work that must not wait for an engine: PostgreSQL or Redis.
//
// Whoever holds a turn for the CPU and waits for an engine that does not answer keeps everybody else waiting, too. A turn
// marks its context by Forbid, and what asks an engine calls Check first. In tests a wait that is forbidden panics; in
// production Check does nothing, because a slow answer is better than none.
package engine

import (
	"context"
	"testing"
)

type forbidden struct{}

// Forbid returns a context with which nobody may wait for an engine.
func Forbid(ctx context.Context) context.Context { return context.WithValue(ctx, forbidden{}, true) }

// Allow returns a context with which one may, whatever was forbidden before.
func Allow(ctx context.Context) context.Context { return context.WithValue(ctx, forbidden{}, false) }

// Check panics in tests if waiting for an engine is forbidden.
func Check(ctx context.Context) {
	if f, _ := ctx.Value(forbidden{}).(bool); f && testing.Testing() {
		panic("an engine is waited for while a turn is held: see turns.Outside")
	}
}
