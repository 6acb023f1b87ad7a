package limit

import (
	"context"

	"github.com/palmares-hq/palmares/internal/engine"
)

// A Turn is a caller's hold on a slot of a Queue. It is not safe for concurrent use.
type Turn struct {
	queue  *Queue
	who    Caller
	client *client // nil while no slot is held
}

type turnKey struct{}

// Take waits for a turn, as Enter does, and returns it with a context to do the work in. That context forbids waiting
// for an engine, except through Outside. The caller must call Leave when the work is done.
func (q *Queue) Take(ctx context.Context, who Caller) (context.Context, *Turn, error) {
	c, err := q.enter(ctx, who)
	if err != nil {
		return nil, nil, err
	}
	t := &Turn{queue: q, who: who, client: c}
	return context.WithValue(engine.Forbid(ctx), turnKey{}, t), t, nil
}

// CallerOf returns the caller whose turn the work of ctx is done in, also while that work is Outside. It returns the
// zero Caller for work that never had a turn.
func CallerOf(ctx context.Context) Caller {
	if t, ok := ctx.Value(turnKey{}).(*Turn); ok {
		return t.who
	}
	return Caller{}
}

// Leave gives the turn back. Leaving again does nothing.
func (t *Turn) Leave() {
	if t.client != nil {
		t.queue.leave(t.client)
		t.client = nil
	}
}

// Outside calls wait, which waits for an engine, with a context that allows that. Work that holds a turn gives it back
// first and waits for another one afterwards; after an error it has none. The error is wait's, or Enter's.
func Outside(ctx context.Context, wait func(context.Context) error) error {
	t, ok := ctx.Value(turnKey{}).(*Turn)
	if !ok {
		return wait(ctx)
	}
	if t.client == nil { // outside already
		return wait(engine.Allow(ctx))
	}
	t.Leave()
	if err := wait(engine.Allow(ctx)); err != nil {
		return err
	}
	c, err := t.queue.enter(ctx, t.who)
	if err != nil {
		return err
	}
	t.client = c
	return nil
}
