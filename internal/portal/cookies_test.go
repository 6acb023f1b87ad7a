package portal_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"

	"github.com/palmares-hq/palmares/internal/portal"
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

// Account pages keep browsers at https, and leave the operator's other names alone unless told otherwise.
func TestPages_StayAtHTTPS(t *testing.T) {
	t.Parallel()
	for subdomains, want := range map[bool]string{false: "max-age=31536000", true: "max-age=31536000; includeSubDomains"} {
		b := newWorld(t, func(o *portal.Options) { o.Subdomains = subdomains }).browser()
		testkit.Equal(t, "Strict-Transport-Security", b.get("/compte/connexion").Header.Get("Strict-Transport-Security"), want)
	}
}
