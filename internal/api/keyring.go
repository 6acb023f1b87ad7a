package api

import (
	"context"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/web"
)

// Keys are the live keys that a node holds.
type Keys interface {
	// Find gives what a key grants, if it is held.
	Find(hash account.Hash) (account.Grant, bool)
	// Refresh brings what is held up to date, or at least as far as the key with that
	// hash. An error says that the database does not answer.
	Refresh(ctx context.Context, hash account.Hash) error
}

// A Keyring tells callers by the key that they show.
type Keyring struct{ keys Keys }

// NewKeyring makes a keyring.
func NewKeyring(keys Keys) *Keyring { return &Keyring{keys} }

// Identify implements Callers.
func (k *Keyring) Identify(r *http.Request) (Caller, error) {
	token, given, err := bearer(r)
	if err != nil {
		return Caller{}, err
	}
	if !given {
		return Caller{Plan: account.Anonymous}, nil
	}
	hash := account.HashOf(token)
	if g, held := k.keys.Find(hash); held {
		return callerOf(g), nil
	}
	if _, err := account.ParseKey(token); err != nil { // mistyped: nothing to look for
		return Caller{}, badKey()
	}
	return Caller{}, &UnverifiedError{func() (Caller, error) { return k.verify(r.Context(), hash) }}
}

// verify lets the keys decide once they are up to date. No key is looked up by itself: a
// revoked key and one that never was are the same, also in time.
func (k *Keyring) verify(ctx context.Context, hash account.Hash) (Caller, error) {
	err := k.keys.Refresh(ctx, hash)
	if g, held := k.keys.Find(hash); held {
		return callerOf(g), nil
	}
	switch {
	case err == nil:
		return Caller{}, badKey()
	case ctx.Err() != nil: // the client is gone: no fault of the database's
		return Caller{}, ctx.Err()
	}
	e := web.Wrap(http.StatusServiceUnavailable, "the API key cannot be verified at the moment: try again shortly", err)
	e.Header = http.Header{"Retry-After": {"5"}}
	return Caller{}, e
}

func callerOf(g account.Grant) Caller {
	return Caller{Plan: g.Plan, Account: g.AccountID, KeyID: g.KeyID}
}
