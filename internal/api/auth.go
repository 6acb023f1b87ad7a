package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

// A Caller identifies the sender of a request.
type Caller struct {
	Plan    account.Plan
	Account string // its id; "" for anonymous callers
	KeyID   string // of the key that was sent; "" for anonymous callers
}

// cacheControl returns the Cache-Control of a response: shared caches may store anonymous responses; responses to a
// key are private.
func (c Caller) cacheControl() web.Field {
	if c.Plan == account.Anonymous {
		return cacheShared
	}
	return cachePrivate
}

// An Authenticator identifies the caller of a request. Its error is the response, such as a web.Error with 401 for a
// bad key; an UnverifiedError means that the caller must verify first.
type Authenticator interface {
	Authenticate(r *http.Request) (Caller, error)
}

// An UnverifiedError is the error of a well-formed key that is not in memory. Verifying it takes a database query,
// which callers who are out of quota do not get.
type UnverifiedError struct {
	// Verify makes the query. Its error is the response: a web.Error with 401, or with 503 when the database does not
	// answer.
	Verify func() (Caller, error)
}

func (*UnverifiedError) Error() string { return "the API key is not held by this node" }

// AnonymousOnly is an Authenticator without keys. It refuses a request with a key rather than serve it as anonymous.
type AnonymousOnly struct{}

// Authenticate implements Authenticator.
func (AnonymousOnly) Authenticate(r *http.Request) (Caller, error) {
	if _, ok := r.Header["Authorization"]; ok {
		return Caller{}, badKey()
	}
	return Caller{Plan: account.Anonymous}, nil
}

// bearerToken returns the key of a request. It is strict: one Authorization header, the scheme Bearer, one or more
// spaces.
func bearerToken(r *http.Request) (token string, given bool, err error) {
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

// badKey returns the 401 for every bad key. It is the same for all, so that it does not reveal whether a key was
// revoked or never existed.
func badKey() error {
	e := web.Errorf(http.StatusUnauthorized,
		"the API key is malformed, unknown or revoked: send a valid one, or no Authorization header")
	e.Header = invalidToken()
	return e.WithCode(web.CodeKeyInvalid)
}

// errKeySuspended is the error of a suspended key. identify answers with suspendedKey instead.
var errKeySuspended = web.Wrap(http.StatusUnauthorized, "this API key is dormant", account.ErrKeySuspended)

// suspendedKey returns the 401 for a suspended key. The key is genuine, so the message may tell its owner why.
func suspendedKey(baseURL string) *web.Error {
	e := web.Errorf(http.StatusUnauthorized,
		"this API key is dormant: the account's plan allows %d keys; choose the active ones at %s, or upgrade",
		account.Developer.Limits().Keys, baseURL+address.Plan.At(locale.French))
	e.Header = invalidToken()
	return e.WithCode(web.CodeKeyDormant)
}

func invalidToken() http.Header {
	return http.Header{"Www-Authenticate": {`Bearer realm="api", error="invalid_token"`}}
}

// closedSignUp replaces the offer of a key in error messages when nobody can sign up.
const closedSignUp = "sign-up is closed, and the operator creates accounts"

func noKey(closed bool) error {
	offer := "a key is free"
	if closed {
		offer = closedSignUp
	}
	e := web.Errorf(http.StatusUnauthorized,
		"this operation needs an API key: send Authorization: Bearer <API_KEY>; %s", offer)
	e.Header = http.Header{"Www-Authenticate": {`Bearer realm="api"`}}
	return e.WithCode(web.CodeKeyMissing)
}

// withKeyHelp returns a 401 with the address of the documentation on keys added, and any other error as it is.
func withKeyHelp(err error, documentation string) error {
	e := web.AsError(err)
	if e.Status != http.StatusUnauthorized {
		return err
	}
	help := *e
	help.Message += "; " + documentation + " says how to get one"
	return &help
}

// Keys are the live API keys that a node holds in memory.
type Keys interface {
	// Find returns what a key grants, if it is held and is not suspended.
	Find(hash account.Hash) (account.Grant, bool)
	// Suspended reports whether a key is held and suspended.
	Suspended(hash account.Hash) bool
	// Refresh brings the keys up to date with the database, or at least the key with this hash. It fails when the
	// database does not answer.
	Refresh(ctx context.Context, hash account.Hash) error
}

// A KeyAuthenticator identifies callers by their keys.
type KeyAuthenticator struct{ keys Keys }

// NewKeyAuthenticator returns an authenticator that accepts these keys.
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
	if _, err := account.ParseKey(token); err != nil { // mistyped: the database need not be asked
		return Caller{}, badKey()
	}
	return Caller{}, &UnverifiedError{func() (Caller, error) { return a.verify(r.Context(), hash) }}
}

// verify refreshes all keys and looks again. It never looks up a single key, so that a revoked key and one that never
// existed take the same time.
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
	case ctx.Err() != nil: // the client has gone: the database is not at fault
		return Caller{}, ctx.Err()
	default:
		return Caller{}, retryLater(web.CodeUnavailable,
			"the API key cannot be verified at the moment: try again shortly", err)
	}
}

func callerOf(g account.Grant) Caller {
	return Caller{Plan: g.Plan, Account: g.AccountID, KeyID: g.KeyID}
}
