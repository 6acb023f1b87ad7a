package account_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
)

func TestParseLanguage(t *testing.T) {
	t.Parallel()
	for s, known := range map[string]bool{"fr": true, "en": true, "": false, "FR": false, "fr-FR": false, "de": false} {
		l, err := account.ParseLanguage(s)
		if (err == nil) != known || known && string(l) != s || !known && l != "" {
			t.Errorf("%q: %q, %v", s, l, err)
		}
	}
}
