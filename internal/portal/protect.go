package portal

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/secrets"
)

// Every form carries a token that belongs to the session, or, before there is one, to the browser.
// http.CrossOriginProtection refuses forms of other sites; the token refuses those that send none of
// the headers it looks at.

// browserLifetime is how long a browser keeps the cookie that binds a mail to it: longer than the
// mail may wait and its link works.
const browserLifetime = 2 * account.KeepSignIns

// formToken is the token of the forms that a cookie's holder gets.
func formToken(key secrets.Key, cookie string) string {
	return base64.RawURLEncoding.EncodeToString(key.MAC(cookie)[:18])
}

// validToken compares a form's token with that of the cookie, under the secret and the one before.
func (p *Portal) validToken(token, cookie string) bool {
	return p.formKeys.Made([]byte(token), func(key secrets.Key) []byte { return []byte(formToken(key, cookie)) }) && cookie != ""
}

// browser is the value of the cookie that knows the browser before it is signed in. A browser that
// has none, or one that we did not make, gets one.
func (p *Portal) browser(w http.ResponseWriter, r *http.Request) string {
	value := cookieOf(r, browserCookie)
	if raw, err := base64.RawURLEncoding.DecodeString(value); err == nil && len(raw) == browserBytes {
		return value
	}
	raw := make([]byte, browserBytes)
	rand.Read(raw) // never fails
	value = base64.RawURLEncoding.EncodeToString(raw)
	http.SetCookie(w, &http.Cookie{
		Name: browserCookie, Value: value, Path: "/", MaxAge: int(browserLifetime / time.Second),
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	return value
}

const browserBytes = 32
