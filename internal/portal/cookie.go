package portal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
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
	ours := false
	for _, key := range p.cookieKeys {
		ours = hmac.Equal(given, tokenMAC(key, token)) || ours
	}
	if !ours {
		return ""
	}
	return token
}

func tokenMAC(key []byte, token string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(token))
	return mac.Sum(nil)[:macBytes]
}
