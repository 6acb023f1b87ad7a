package webhook

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// A SealStore stores the sealed secrets and the canary.
type SealStore interface {
	CanaryStore
	// ReplaceCanary replaces the canary was, nil if there was none, by another. It returns false if
	// another process has replaced it first.
	ReplaceCanary(ctx context.Context, was, canary []byte, now time.Time) (bool, error)
	// Sealed lists the sealed secrets of up to limit endpoints, by id, starting after one.
	Sealed(ctx context.Context, after string, limit int) ([]Sealed, error)
	// Reseal changes the sealed secrets of endpoints in one transaction, skipping those that another
	// process has locked. It returns how many it changed.
	Reseal(ctx context.Context, endpoints []string, change func(Sealed) (s Sealed, changed bool)) (
		int, error)
}

// Resealed is the result of Reseal.
type Resealed struct {
	Endpoints  int      // all endpoints
	Changed    int      // endpoints whose secret was sealed again
	Dropped    []string // endpoints whose old secret could not be opened and was removed
	Unreadable []string // endpoints whose secret cannot be opened and was left alone
}

const resealBatch = 200

// Reseal seals everything with the keyring's current secret: the canary, and every secret that the
// keyring opens. Workers may run meanwhile. If the keyring does not open the canary it does nothing
// and returns ErrWrongSecret, unless force is set.
func Reseal(ctx context.Context, s SealStore, k *Keyring, now time.Time, force bool) (Resealed, error) {
	var done Resealed
	// The canary goes first: from then on no process with another secret seals anything.
	if err := resealCanary(ctx, s, k, now, force); err != nil {
		return done, err
	}
	dropped := make(map[string]bool)
	change := func(e Sealed) (Sealed, bool) {
		was := e
		if e, ok := k.reseal(e, now); ok && !sameSeals(e, was) {
			if _, old := k.opens(was, now); !old {
				dropped[e.Endpoint] = true
			}
			return e, true
		}
		return e, false
	}
	// Repeat until a pass finds nothing to do: rows that were locked are left for the next pass.
	for {
		done.Endpoints, done.Unreadable = 0, nil
		var todo []string
		err := eachSealed(ctx, s, func(e Sealed) error {
			done.Endpoints++
			next, ok := k.reseal(e, now)
			switch {
			case !ok:
				done.Unreadable = append(done.Unreadable, e.Endpoint)
			case !sameSeals(next, e):
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
	// If there was no canary, there may be one now.
	return done, CheckSecret(ctx, s, k, now)
}

func resealCanary(ctx context.Context, s SealStore, k *Keyring, now time.Time, force bool) error {
	for {
		if err := CheckSecret(ctx, s, k, now); err != nil && !force {
			return err
		}
		was, err := s.Canary(ctx)
		if err != nil {
			return err
		}
		if current, ok := k.opensCanary(was); ok && current || was == nil && !force {
			return nil
		}
		if replaced, err := s.ReplaceCanary(ctx, was, k.canary(), now); err != nil || replaced {
			return err
		}
	}
}

// reseal seals an endpoint's secrets with the current secret; ok is false if its current one cannot
// be opened. An old one that cannot be opened, or has expired, is dropped.
func (k *Keyring) reseal(e Sealed, now time.Time) (_ Sealed, ok bool) {
	text, current, err := k.open(e.Secret, e.Endpoint)
	if err != nil {
		return e, false
	}
	if !current {
		e.Secret = k.seal(text, e.Endpoint)
	}
	if len(e.Old) == 0 {
		return e, true
	}
	text, current, err = k.open(e.Old, e.Endpoint)
	switch {
	case err != nil || !now.Before(e.OldUntil):
		e.Old, e.OldUntil = nil, time.Time{}
	case !current:
		e.Old = k.seal(text, e.Endpoint)
	}
	return e, true
}

func sameSeals(a, b Sealed) bool { return bytes.Equal(a.Secret, b.Secret) && bytes.Equal(a.Old, b.Old) }

// eachSealed calls visit with the sealed secrets of every endpoint, by id, until it fails.
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
