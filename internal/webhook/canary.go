package webhook

import (
	"context"
	"errors"
	"time"
)

// ErrWrongSecret says that the endpoints' secrets are sealed with another secret than
// this process has.
var ErrWrongSecret = errors.New("PALMARES_SECRET is not the one that the webhook secrets of this database are sealed with: " +
	"set the one of the other nodes, or the one before it as PALMARES_SECRET_PREVIOUS")

// Sealed is what an endpoint has that is sealed.
type Sealed struct {
	Endpoint string
	State    State
	Reason   string // as in Endpoint
	Secret   []byte
	Old      []byte // nil but during a rotation, and after
	OldTo    time.Time
}

// A CanaryStore keeps the canary of a database: a known text that is sealed with the
// secret of its nodes.
type CanaryStore interface {
	// Canary is the canary; nil when there is none yet.
	Canary(ctx context.Context) ([]byte, error)
	// WriteCanary shows all that is sealed to opens, and writes the canary unless one of
	// them is not opened or another process wrote one. Nothing is sealed meanwhile.
	WriteCanary(ctx context.Context, canary []byte, now time.Time, opens func(Sealed) bool) error
}

// CheckSecret finds out whether the box has the secret of the database; ErrWrongSecret
// when it does not. The first process whose secret opens all that is sealed writes the
// canary that the others are held to.
func CheckSecret(ctx context.Context, s CanaryStore, b *Box, now time.Time) error {
	canary, err := s.Canary(ctx)
	if err != nil {
		return err
	}
	opened, all := 0, 0
	if canary == nil {
		err := s.WriteCanary(ctx, b.canary(), now, func(e Sealed) bool {
			current, old := b.opens(e, now)
			all++
			if current {
				opened++
			}
			return current && old
		})
		if err != nil {
			return err
		}
		if canary, err = s.Canary(ctx); err != nil {
			return err
		}
	}
	if canary == nil {
		// No process can open all there is. Whoever opens most of it may go on: the rest waits
		// for its secret.
		if 2*opened < all {
			return ErrWrongSecret
		}
		return nil
	}
	if _, known := b.knows(canary); !known {
		return ErrWrongSecret
	}
	return nil
}

// opens reports which of an endpoint's secrets the box opens. An old one that signs
// nothing any more does not matter.
func (b *Box) opens(e Sealed, now time.Time) (current, old bool) {
	_, err := b.Open(e.Secret, e.Endpoint)
	current, old = err == nil, true
	if len(e.Old) > 0 && now.Before(e.OldTo) {
		_, err := b.Open(e.Old, e.Endpoint)
		old = err == nil
	}
	return current, old
}
