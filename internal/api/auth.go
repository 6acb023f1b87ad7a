package api

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

// A Caller is who sent a request.
type Caller struct {
	Plan    account.Plan
	Account string // its id; "" for anonymous callers
	KeyID   string // of the key that was shown; "" for anonymous callers
}

// cacheControl lets shared caches store what anybody may read. Responses to a key are for its
// owner alone: s-maxage would hand them to others.
func (c Caller) cacheControl() web.Field {
	if c.Plan == account.Anonymous {
		return cacheShared
	}
	return cachePrivate
}

// An Authenticator tells who sent a request. Its error is the response: a web.Error with 401 for
// a key that is not good. An UnverifiedError is not final.
type Authenticator interface {
	Authenticate(r *http.Request) (Caller, error)
}

// An UnverifiedError says that a key is well-formed and not in memory. Telling whether it is good
// takes a database query, which callers who are out of quota do not get.
type UnverifiedError struct {
	// Verify makes the query. Its error is the response: a web.Error with 401, or with 503 when
	// the database does not answer.
	Verify func() (Caller, error)
}

func (*UnverifiedError) Error() string { return "the API key is not held by this node" }

// AnonymousOnly knows no keys. It refuses a request that shows one rather than serve it as an
// anonymous one.
type AnonymousOnly struct{}

// Authenticate implements Authenticator.
func (AnonymousOnly) Authenticate(r *http.Request) (Caller, error) {
	if _, ok := r.Header["Authorization"]; ok {
		return Caller{}, badKey()
	}
	return Caller{Plan: account.Anonymous}, nil
}

// bearerToken reads the key of a request, strictly: one Authorization header, the scheme Bearer,
// one or more spaces.
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

// badKey is the one response to every key that is not good. It does not tell a key that was
// revoked from one that never existed.
func badKey() error {
	e := web.Errorf(http.StatusUnauthorized,
		"the API key is malformed, unknown or revoked: send a valid one, or no Authorization header")
	e.Header = invalidToken()
	return e
}

// errKeySuspended is the error of a key that is suspended. identify answers with suspendedKey.
var errKeySuspended = web.Wrap(http.StatusUnauthorized, "this API key is dormant", account.ErrKeySuspended)

// suspendedKey is the response to a key that is suspended. Whoever has the key may know: it is a good one.
func suspendedKey(baseURL string) *web.Error {
	e := web.Errorf(http.StatusUnauthorized,
		"this API key is dormant: the account's plan allows %d keys; choose the active ones at %s, or upgrade",
		account.Developer.Limits().Keys, baseURL+address.Plan.At(locale.French))
	e.Header = invalidToken()
	return e
}

func invalidToken() http.Header {
	return http.Header{"Www-Authenticate": {`Bearer realm="api", error="invalid_token"`}}
}

// closedSignUp is what errors say of keys where nobody can sign up.
const closedSignUp = "sign-up is closed, and the operator creates accounts"

func noKey(closed bool) error {
	offer := "a key is free"
	if closed {
		offer = closedSignUp
	}
	e := web.Errorf(http.StatusUnauthorized,
		"this operation needs an API key: send Authorization: Bearer <API_KEY>; %s", offer)
	e.Header = http.Header{"Www-Authenticate": {`Bearer realm="api"`}}
	return e
}

// withKeyHelp adds to a 401 where the documentation on keys is.
func withKeyHelp(err error, documentation string) error {
	e := web.AsError(err)
	if e.Status != http.StatusUnauthorized {
		return err
	}
	help := *e
	help.Message += "; " + documentation + " says how to get one"
	return &help
}
