package portal

import (
	"net/http"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// The forms and the sessions of browsers outlive an update of the program: tokens and cookies have the
// bytes that they had on 16 November 2026.
func TestVectors(t *testing.T) {
	t.Parallel()
	master := []byte("never-shown-0123456789abcdef0123456789")
	now, err := New(Options{Secret: master})
	testkit.Must(t, err)
	changing, err := New(Options{Secret: []byte("another-0123456789abcdef0123456789ab"), Previous: master})
	testkit.Must(t, err)
	testkit.Equal(t, "form token", formToken(now.formKeys[0], "a cookie"), "2-oCuijz6sr5SIqtHFDnYedD")
	testkit.Equal(t, "cookie", now.sealToken("a token"), "a token.LJ6ulz2-b0VT32nmskFGIA")
	r := &http.Request{Header: http.Header{"Cookie": {sessionCookie + "=" + now.sealToken("a-token")}}}
	for _, p := range []*Portal{now, changing} {
		if !p.validToken("2-oCuijz6sr5SIqtHFDnYedD", "a cookie") {
			t.Error("a form token is not known")
		}
		testkit.Equal(t, "token of a cookie", p.sessionToken(r), "a-token")
	}
}
