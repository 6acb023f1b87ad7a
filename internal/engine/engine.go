// Package engine finds work that must not wait for an engine, PostgreSQL or Redis, and does.
//
// A request that holds one of the few CPU slots while it waits for an engine that does not answer keeps
// all others waiting, too. So it marks its context with Forbid, and code that asks an engine calls Check
// first. In tests a forbidden wait panics; in production Check does nothing, because a slow answer is
// better than none.
package engine

import (
	"context"
	"testing"
)

type forbidden struct{}

// Forbid returns a context in which Check panics.
func Forbid(ctx context.Context) context.Context { return context.WithValue(ctx, forbidden{}, true) }

// Allow returns a context in which Check passes, even if its parent is forbidden to wait.
func Allow(ctx context.Context) context.Context { return context.WithValue(ctx, forbidden{}, false) }

// Check panics in tests if the context forbids waiting for an engine.
func Check(ctx context.Context) {
	if f, _ := ctx.Value(forbidden{}).(bool); f && testing.Testing() {
		panic("an engine is waited for while a turn is held: see limit.Outside")
	}
}
