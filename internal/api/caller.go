package api

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/web"
)

// A Caller is whoever sent a request.
type Caller struct {
	Plan account.Plan
}

// cacheControl lets shared caches keep what anybody may read. Answers to a key
// are for its owner alone: s-maxage would hand them to others.
func (c Caller) cacheControl() string {
	if c.Plan == account.Anonymous {
		return "s-maxage=3600, stale-while-revalidate=86400"
	}
	return "private, no-cache"
}

// Callers tell who sends a request. An error is the answer: a web.Error with 401
// for a key that is not good.
type Callers interface {
	Identify(r *http.Request) (Caller, error)
}

// AnonymousOnly knows no key. A request that shows one is refused, never served
// as if it had none.
type AnonymousOnly struct{}

// Identify implements Callers.
func (AnonymousOnly) Identify(r *http.Request) (Caller, error) {
	if _, ok := r.Header["Authorization"]; ok {
		e := web.Errorf(http.StatusUnauthorized, "the API key is malformed, unknown or revoked: send a valid one, or no Authorization header")
		e.Header = http.Header{"Www-Authenticate": {`Bearer realm="palmares", error="invalid_token"`}}
		return Caller{}, e
	}
	return Caller{Plan: account.Anonymous}, nil
}
