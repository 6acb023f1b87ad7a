package api

import (
	"context"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
)

// Keys are the live keys that a node holds in memory.
type Keys interface {
	// Find returns what a key grants, if it is held and is not suspended.
	Find(hash account.Hash) (account.Grant, bool)
	// Suspended reports whether a key is held and suspended.
	Suspended(hash account.Hash) bool
	// Refresh brings the keys up to date, or at least the key with that hash. An error means
	// that the database does not answer.
	Refresh(ctx context.Context, hash account.Hash) error
}

// A KeyAuthenticator tells callers by the key they show.
type KeyAuthenticator struct{ keys Keys }

// NewKeyAuthenticator makes an authenticator that accepts these keys.
func NewKeyAuthenticator(keys Keys) *KeyAuthenticator { return &KeyAuthenticator{keys} }

// Authenticate implements Authenticator.
func (a *KeyAuthenticator) Authenticate(r *http.Request) (Caller, error) {
	token, given, err := bearerToken(r)
	if err != nil {
		return Caller{}, err
	}
	if !given {
		return Caller{Plan: account.Anonymous}, nil
	}
	hash := account.HashOf(token)
	if g, held := a.keys.Find(hash); held {
		return callerOf(g), nil
	}
	if a.keys.Suspended(hash) {
		return Caller{}, errKeySuspended
	}
	if _, err := account.ParseKey(token); err != nil { // mistyped: no need to ask the database
		return Caller{}, badKey()
	}
	return Caller{}, &UnverifiedError{func() (Caller, error) { return a.verify(r.Context(), hash) }}
}

// verify brings all keys up to date and looks again. It looks up no key by itself, so a revoked
// key and one that never existed take the same time.
func (a *KeyAuthenticator) verify(ctx context.Context, hash account.Hash) (Caller, error) {
	err := a.keys.Refresh(ctx, hash)
	if g, held := a.keys.Find(hash); held {
		return callerOf(g), nil
	}
	switch {
	case a.keys.Suspended(hash):
		return Caller{}, errKeySuspended
	case err == nil:
		return Caller{}, badKey()
	case ctx.Err() != nil: // the client is gone, the database is not at fault
		return Caller{}, ctx.Err()
	default:
		return Caller{}, retryLater(
			"the API key cannot be verified at the moment: try again shortly", err)
	}
}

func callerOf(g account.Grant) Caller {
	return Caller{Plan: g.Plan, Account: g.AccountID, KeyID: g.KeyID}
}
