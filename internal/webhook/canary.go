package webhook

import (
	"context"
	"errors"
	"time"
)

// ErrWrongSecret says that the endpoints' secrets are sealed with another master secret than this
// process has.
var ErrWrongSecret = errors.New("PALMARES_SECRET is not the one " +
	"that the webhook secrets of this database are sealed with: " +
	"set the one of the other nodes, or the one before it as PALMARES_SECRET_PREVIOUS")

// Sealed holds the sealed secrets of an endpoint.
type Sealed struct {
	Endpoint string
	State    State
	Reason   Reason // as in Endpoint
	Secret   []byte
	Old      []byte // nil except during a rotation, and for some time after
	OldUntil time.Time
}

// A CanaryStore keeps the canary of a database: a known text that its nodes' secret has sealed.
type CanaryStore interface {
	// Canary returns the canary, nil if there is none yet.
	Canary(ctx context.Context) ([]byte, error)
	// WriteCanary passes everything that is sealed to opens. It writes the canary unless opens
	// returns false for one of them or another process has written one. Nothing is sealed meanwhile.
	WriteCanary(ctx context.Context, canary []byte, now time.Time, opens func(Sealed) bool) error
}

// CheckSecret returns ErrWrongSecret unless the keyring has the secret of the database. The first
// process whose secret opens everything that is sealed writes the canary; from then on every
// process must open that.
func CheckSecret(ctx context.Context, s CanaryStore, k *Keyring, now time.Time) error {
	canary, err := s.Canary(ctx)
	if err != nil {
		return err
	}
	opened, all := 0, 0
	if canary == nil {
		err := s.WriteCanary(ctx, k.canary(), now, func(e Sealed) bool {
			current, old := k.opens(e, now)
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
		// No process opens everything. One that opens at least half may go on; the other endpoints
		// wait for their secret.
		if 2*opened < all {
			return ErrWrongSecret
		}
		return nil
	}
	if _, ok := k.opensCanary(canary); !ok {
		return ErrWrongSecret
	}
	return nil
}

// opens reports which of an endpoint's secrets the keyring opens. An old one that has expired does
// not matter, and counts as opened.
func (k *Keyring) opens(e Sealed, now time.Time) (current, old bool) {
	_, err := k.Open(e.Secret, e.Endpoint)
	current, old = err == nil, true
	if len(e.Old) > 0 && now.Before(e.OldUntil) {
		_, err := k.Open(e.Old, e.Endpoint)
		old = err == nil
	}
	return current, old
}
