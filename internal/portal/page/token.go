package page

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// tokens makes and verifies form tokens and session cookies. It also accepts what the previous secret made.
type tokens struct{ forms, cookies secrets.Keys }

func newTokens(ring secrets.Ring) (tokens, error) {
	t := tokens{ring.Keys("palmares form tokens"), ring.Keys("palmares session cookies")}
	if len(t.forms) == 0 {
		return t, errors.New("account pages need a secret")
	}
	return t, nil
}

// Every form carries a token tied to the session or, before there is one, to the browser.
// http.CrossOriginProtection refuses forms of other sites; the token refuses requests that have none of the
// headers it checks.

// ofForms returns the form token for the holder of a cookie.
func (t tokens) ofForms(cookie string) string { return formToken(t.forms[0], cookie) }

// validForm reports whether a form's token matches the cookie.
func (t tokens) validForm(token, cookie string) bool {
	return t.forms.Made([]byte(token), func(key secrets.Key) []byte { return []byte(formToken(key, cookie)) }) && cookie != ""
}

func formToken(key secrets.Key, cookie string) string {
	return base64.RawURLEncoding.EncodeToString(key.MAC(cookie)[:18])
}

// A session cookie is the session's token and a MAC of it. Nobody can invent one, so a request with a cookie
// that is not ours is redirected to sign in without a database query: a flood of invented cookies costs one
// hash each.

// macBytes is how much of the MAC the cookie carries: too much to guess by trying.
const macBytes = 16

// cookie returns the cookie of a session's token.
func (t tokens) cookie(token string) string {
	return token + "." + base64.RawURLEncoding.EncodeToString(tokenMAC(t.cookies[0], token))
}

// session returns the session token in a cookie; "" unless we made the cookie. Callers leave a cookie that we
// did not make in place: while the secret is being changed, another node may know the one that made it.
func (t tokens) session(cookie string) string {
	token, sum, _ := strings.Cut(cookie, ".")
	given, err := base64.RawURLEncoding.DecodeString(sum)
	if err != nil || token == "" {
		return ""
	}
	if !t.cookies.Made(given, func(key secrets.Key) []byte { return tokenMAC(key, token) }) {
		return ""
	}
	return token
}

func tokenMAC(key secrets.Key, token string) []byte { return key.MAC(token)[:macBytes] }
