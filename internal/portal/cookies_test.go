package portal_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func mustURL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	testkit.Must(t, err)
	return u
}

// jarOf is a jar that holds these cookies.
func jarOf(t *testing.T, at string, cookies []*http.Cookie) http.CookieJar {
	t.Helper()
	jar, err := cookiejar.New(nil)
	testkit.Must(t, err)
	for _, c := range cookies {
		c.Secure, c.Path = true, "/"
	}
	jar.SetCookies(mustURL(t, at), cookies)
	return jar
}
