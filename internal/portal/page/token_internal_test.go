package page

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// The forms and the sessions of browsers outlive an update of the program: tokens and cookies have the
// bytes that they had on 16 November 2026.
func TestVectors(t *testing.T) {
	t.Parallel()
	const master = "never-shown-0123456789abcdef0123456789"
	now, err := newTokens(testkit.Ring(t, master))
	testkit.Must(t, err)
	changing, err := newTokens(testkit.Ring(t, "another-0123456789abcdef0123456789ab", master))
	testkit.Must(t, err)
	testkit.Equal(t, "form token", now.ofForms("a cookie"), "2-oCuijz6sr5SIqtHFDnYedD")
	testkit.Equal(t, "cookie", now.cookie("a token"), "a token.LJ6ulz2-b0VT32nmskFGIA")
	for _, each := range []tokens{now, changing} {
		if !each.validForm("2-oCuijz6sr5SIqtHFDnYedD", "a cookie") {
			t.Error("a form token is not known")
		}
		testkit.Equal(t, "token of a cookie", each.session(now.cookie("a-token")), "a-token")
	}
}

// Pages without a secret would take every cookie for their own.
func TestNew_NeedsASecret(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{}); err == nil {
		t.Error("pages are made without a secret")
	}
}
