package limit

import (
	"context"

	"github.com/palmares-hq/palmares/internal/engine"
)

// A Turn is one turn of a queue. It is used on one goroutine at a time.
type Turn struct {
	queue  *Queue
	who    Caller
	client *client // nil while it is not held
}

type turnKey struct{}

// Take waits for a turn, as Enter does. Work is done with the context that it returns, which forbids to wait for an
// engine: see Outside. Whoever got a turn calls Leave when the work is done.
func (q *Queue) Take(ctx context.Context, who Caller) (context.Context, *Turn, error) {
	c, err := q.enter(ctx, who)
	if err != nil {
		return nil, nil, err
	}
	t := &Turn{queue: q, who: who, client: c}
	return context.WithValue(engine.Forbid(ctx), turnKey{}, t), t, nil
}

// CallerOf returns whose turn work with that context is done in, or was before it went outside; the zero Caller for work
// that never had one.
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

// Outside does something that waits for an engine, with a context that may. Work that holds a turn gives it back
// meanwhile, and waits for another one afterwards unless it failed. The error is that of wait, or that of Enter.
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
