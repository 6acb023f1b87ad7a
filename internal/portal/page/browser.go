package page

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

const (
	sessionCookie = "__Host-session"
	browserCookie = "__Host-browser"
)

// browserLifetime is how long a browser keeps the cookie that ties a sign-in mail to it: longer than the mail
// can be queued and its link valid.
const browserLifetime = 2 * account.KeepSignIns

// browserBytes is how many random bytes that cookie has.
const browserBytes = 32

// ensureBrowserCookie returns the value of the cookie that identifies the browser before it is signed in. A browser
// without one, or with a malformed one, gets a new cookie.
func ensureBrowserCookie(w http.ResponseWriter, r *http.Request) string {
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

// cookieOf returns the value of a cookie; "" if there is none.
func cookieOf(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

func dropCookie(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Path: "/", MaxAge: -1, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// browserName returns a name for a User-Agent that the user recognises, such as "Firefox, Linux". Browsers name
// several others in that header, so the order of the lists decides.
func browserName(agent string) string {
	name := firstOf(agent, [][2]string{
		{"Edg/", "Edge"},
		{"OPR/", "Opera"},
		{"Firefox/", "Firefox"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"curl/", "curl"},
	})
	system := firstOf(agent, [][2]string{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"Windows", "Windows"},
		{"Mac OS X", "macOS"},
		{"CrOS", "ChromeOS"},
		{"Linux", "Linux"},
	})
	return strings.Trim(name+", "+system, ", ")
}

func firstOf(text string, marks [][2]string) string {
	for _, mark := range marks {
		if strings.Contains(text, mark[0]) {
			return mark[1]
		}
	}
	return ""
}
