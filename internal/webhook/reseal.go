package webhook

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// A SealStore keeps what is sealed.
type SealStore interface {
	CanaryStore
	// ReplaceCanary writes the canary in the place of another, or of none (nil), unless
	// some other process was first; then it reports false.
	ReplaceCanary(ctx context.Context, was, canary []byte, now time.Time) (bool, error)
	// Sealed lists what is sealed, of at most limit endpoints after that one.
	Sealed(ctx context.Context, after string, limit int) ([]Sealed, error)
	// Reseal changes what is sealed, in one transaction, of those of the endpoints that
	// nobody else is changing at the moment. It gives how many it changed.
	Reseal(ctx context.Context, endpoints []string, change func(Sealed) (s Sealed, changed bool)) (int, error)
}

// Resealed is what came of resealing.
type Resealed struct {
	Endpoints  int      // all there are
	Changed    int      // of them
	Dropped    []string // their old secret could not be opened: it is gone, and signs no more
	Unreadable []string // their secret cannot be opened: it is as it was
}

const resealBatch = 200

// Reseal seals everything with the box's own secret: the canary, and all that the box can
// open. Workers may run meanwhile. When the box knows no secret that the canary was
// sealed with it does nothing and says ErrWrongSecret, unless force is set.
func Reseal(ctx context.Context, s SealStore, b *Box, now time.Time, force bool) (Resealed, error) {
	var done Resealed
	// First the canary: from then on nobody who has another secret seals anything.
	if err := resealCanary(ctx, s, b, now, force); err != nil {
		return done, err
	}
	dropped := make(map[string]bool)
	change := func(e Sealed) (Sealed, bool) {
		was := e
		if e, ok := b.reseal(e, now); ok && !same(e, was) {
			if _, old := b.opens(was, now); !old {
				dropped[e.Endpoint] = true
			}
			return e, true
		}
		return e, false
	}
	// Until a look at all of them finds nothing to do: what somebody else is changing at
	// the moment is left for the next.
	for {
		done.Endpoints, done.Unreadable = 0, nil
		var todo []string
		err := eachSealed(ctx, s, func(e Sealed) error {
			done.Endpoints++
			next, ok := b.reseal(e, now)
			switch {
			case !ok:
				done.Unreadable = append(done.Unreadable, e.Endpoint)
			case !same(next, e):
				todo = append(todo, e.Endpoint)
			}
			return nil
		})
		if err != nil {
			return done, err
		}
		if len(todo) == 0 {
			break
		}
		for some := range slices.Chunk(todo, resealBatch) {
			n, err := s.Reseal(ctx, some, change)
			done.Changed += n
			if err != nil {
				return done, err
			}
		}
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	for id := range dropped {
		done.Dropped = append(done.Dropped, id)
	}
	slices.Sort(done.Dropped)
	// There was no canary, and perhaps there can be one now.
	return done, CheckSecret(ctx, s, b, now)
}

func resealCanary(ctx context.Context, s SealStore, b *Box, now time.Time, force bool) error {
	for {
		if err := CheckSecret(ctx, s, b, now); err != nil && !force {
			return err
		}
		was, err := s.Canary(ctx)
		if err != nil {
			return err
		}
		if own, known := b.knows(was); known && own || was == nil && !force {
			return nil
		}
		if replaced, err := s.ReplaceCanary(ctx, was, b.canary(), now); err != nil || replaced {
			return err
		}
	}
}

// reseal seals an endpoint's secrets with the box's own secret; ok is false when its
// current one cannot be opened. An old one that cannot be, or that signs nothing any
// more, is dropped.
func (b *Box) reseal(e Sealed, now time.Time) (_ Sealed, ok bool) {
	text, own, err := b.open(e.Secret, e.Endpoint)
	if err != nil {
		return e, false
	}
	if !own {
		e.Secret = b.seal(text, e.Endpoint)
	}
	if len(e.Old) == 0 {
		return e, true
	}
	text, own, err = b.open(e.Old, e.Endpoint)
	switch {
	case err != nil || !now.Before(e.OldTo):
		e.Old, e.OldTo = nil, time.Time{}
	case !own:
		e.Old = b.seal(text, e.Endpoint)
	}
	return e, true
}

func same(a, b Sealed) bool { return bytes.Equal(a.Secret, b.Secret) && bytes.Equal(a.Old, b.Old) }

// eachSealed visits all that is sealed.
func eachSealed(ctx context.Context, s interface {
	Sealed(ctx context.Context, after string, limit int) ([]Sealed, error)
}, visit func(Sealed) error,
) error {
	const page = 1000
	after := ""
	for {
		list, err := s.Sealed(ctx, after, page)
		if err != nil {
			return err
		}
		for _, e := range list {
			if err := visit(e); err != nil {
				return err
			}
			after = e.Endpoint
		}
		if len(list) < page {
			return nil
		}
	}
}
