package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/web"
)

// A Caller is whoever sent a request.
type Caller struct {
	Plan    account.Plan
	Account string // its id; "" for the anonymous
	KeyID   string // of the key that was shown; "" for the anonymous
}

// cacheControl lets shared caches keep what anybody may read. Answers to a key
// are for its owner alone: s-maxage would hand them to others.
func (c Caller) cacheControl() web.Field {
	if c.Plan == account.Anonymous {
		return sharedByCaches
	}
	return ownersAlone
}

var (
	sharedByCaches = web.NewField("Cache-Control", "s-maxage=3600, stale-while-revalidate=86400")
	ownersAlone    = web.NewField("Cache-Control", "private, no-cache")
	noStore        = web.NewField("Cache-Control", "no-store")
)

// Callers tell who sends a request. An error is the answer: a web.Error with 401
// for a key that is not good. An UnverifiedError is none yet.
type Callers interface {
	Identify(r *http.Request) (Caller, error)
}

// UnverifiedError says that a key is well-formed and not held. Whether it is good takes a
// look at the database, which is not for callers who are out of quota.
type UnverifiedError struct {
	// Verify takes the look. Its error is the answer: a web.Error with 401, or with 503
	// when the database does not answer.
	Verify func() (Caller, error)
}

func (*UnverifiedError) Error() string { return "the API key is not held by this node" }

// asUnverified gives the error if it is an UnverifiedError, else nil.
func asUnverified(err error) *UnverifiedError {
	if err == nil { // nearly always: it must cost nothing
		return nil
	}
	var u *UnverifiedError
	errors.As(err, &u)
	return u
}

// AnonymousOnly knows no key. A request that shows one is refused, never served
// as if it had none.
type AnonymousOnly struct{}

// Identify implements Callers.
func (AnonymousOnly) Identify(r *http.Request) (Caller, error) {
	if _, ok := r.Header["Authorization"]; ok {
		return Caller{}, badKey()
	}
	return Caller{Plan: account.Anonymous}, nil
}

// bearer reads what should be the key of a request, strictly: one Authorization
// header, the scheme Bearer, one or more spaces.
func bearer(r *http.Request) (token string, given bool, err error) {
	lines, given := r.Header["Authorization"]
	if !given {
		return "", false, nil
	}
	if len(lines) != 1 {
		return "", true, badKey()
	}
	scheme, token, _ := strings.Cut(lines[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", true, badKey()
	}
	return strings.TrimLeft(token, " "), true, nil
}

// badKey is the one answer to every key that is not good: it does not tell a key
// that was revoked from one that never was.
func badKey() error {
	e := web.Errorf(http.StatusUnauthorized, "the API key is malformed, unknown or revoked: send a valid one, or no Authorization header")
	e.Header = http.Header{"Www-Authenticate": {`Bearer realm="palmares", error="invalid_token"`}}
	return e
}

func noKey() error {
	e := web.Errorf(http.StatusUnauthorized, "this operation needs an API key: send Authorization: Bearer <API_KEY>; a key is free")
	e.Header = http.Header{"Www-Authenticate": {`Bearer realm="palmares"`}}
	return e
}

// sayWhere adds to a 401 where it is said how to get a key.
func (a *API) sayWhere(err error) error {
	e := web.AsError(err)
	if e.Status != http.StatusUnauthorized {
		return err
	}
	told := *e
	told.Message += "; " + a.where + " says how to get one"
	return &told
}
