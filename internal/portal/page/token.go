package page

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// tokens make and check what only we can make: the tokens of forms and the cookies of sessions. What
// the secret before made is still ours.
type tokens struct{ forms, cookies secrets.Keys }

func newTokens(ring secrets.Ring) (tokens, error) {
	t := tokens{ring.Keys("palmares form tokens"), ring.Keys("palmares session cookies")}
	if len(t.forms) == 0 {
		return t, errors.New("account pages need a secret")
	}
	return t, nil
}

// Every form carries a token that belongs to the session, or, before there is one, to the browser.
// http.CrossOriginProtection refuses forms of other sites; the token refuses those that send none of
// the headers it looks at.

// ofForms is the token of the forms that a cookie's holder gets.
func (t tokens) ofForms(cookie string) string { return formToken(t.forms[0], cookie) }

// validForm reports whether a form's token matches the cookie.
func (t tokens) validForm(token, cookie string) bool {
	return t.forms.Made([]byte(token), func(key secrets.Key) []byte { return []byte(formToken(key, cookie)) }) && cookie != ""
}

func formToken(key secrets.Key, cookie string) string {
	return base64.RawURLEncoding.EncodeToString(key.MAC(cookie)[:18])
}

// The cookie of a session is its token and a MAC of it. Nobody can invent one, so whoever sends one
// that is not ours is sent to sign in without a question to the database: a flood of invented cookies
// costs a hash each.

// macBytes is how much of the MAC the cookie carries: more than anybody can guess by asking.
const macBytes = 16

// cookie is the cookie of a session's token.
func (t tokens) cookie(token string) string {
	return token + "." + base64.RawURLEncoding.EncodeToString(tokenMAC(t.cookies[0], token))
}

// session is the session's token in a cookie, "" unless we made the cookie. One that we did not make
// stays where it is: another node may know its secret while that is being changed.
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
