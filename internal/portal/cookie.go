package portal

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/secrets"
)

const (
	sessionCookie = "__Host-session"
	browserCookie = "__Host-browser"
)

// cookieOf is the value of a cookie, "" without it.
func cookieOf(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// The cookie of a session is its token and a MAC of it. Nobody can invent one, so whoever sends one
// that is not ours is sent to sign in without a question to the database: a flood of invented cookies
// costs a hash each.

// macBytes is how much of the MAC the cookie carries: more than anybody can guess by asking.
const macBytes = 16

// sealToken is the cookie of a token.
func (p *Portal) sealToken(token string) string {
	return token + "." + base64.RawURLEncoding.EncodeToString(tokenMAC(p.cookieKeys[0], token))
}

// sessionToken is the token in the cookie of a request, "" unless we made that cookie, with the secret
// or with the one before. One that we did not make stays where it is: another node may know its secret
// while that is being changed.
func (p *Portal) sessionToken(r *http.Request) string {
	token, sum, _ := strings.Cut(cookieOf(r, sessionCookie), ".")
	given, err := base64.RawURLEncoding.DecodeString(sum)
	if err != nil || token == "" {
		return ""
	}
	if !p.cookieKeys.Made(given, func(key secrets.Key) []byte { return tokenMAC(key, token) }) {
		return ""
	}
	return token
}

func tokenMAC(key secrets.Key, token string) []byte { return key.MAC(token)[:macBytes] }
