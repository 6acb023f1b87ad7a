package billing_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestNotSoldTo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ country, postcode, want string }{
		{"MC", "", "monaco"},
		{"MC", "98000", "monaco"},
		{"FR", "98000", "monaco"},
		{"fr", "F-98 000", "monaco"},
		{"GP", "", "overseas_departments"},
		{"RE", "97400", "overseas_departments"},
		{"FR", "97400", "overseas_departments"},
		{"FR", "97600", "overseas_departments"},
		{"FR", "98800", "overseas_collectivities"},
		{"NC", "98800", ""},
		{"FR", "75011", ""},
		{"FR", "09700", ""},
		{"FR", "", ""},
		{"FR", "20000", ""},
		{"ES", "38001", "canaries"},
		{"ES", "35 001", "canaries"},
		{"ES", "51001", "ceuta_melilla"},
		{"ES", "28001", ""},
		{"PT", "9000-018", "madeira"},
		{"PT", "9500-150", "azores"},
		{"PT", "1000-001", ""},
		{"AX", "", "aland"},
		{"FI", "22100", "aland"},
		{"FI", "00100", ""},
		{"IT", "23041", "campione_livigno"},
		{"IT", "22061", "campione_livigno"},
		{"IT", "00100", ""},
		{"DE", "27498", ""},
		{"DE", "78266", ""},
		{"GR", "63086", ""},
		{"AT", "6691", ""}, // computed as the state's
		{"US", "97201", ""},
		{"US", "35004", ""},
		{"", "98000", ""},
		{"ZZ", "", ""},
	} {
		place, ok := billing.NotSoldTo(tt.country, tt.postcode)
		testkit.Equal(t, tt.country+" "+tt.postcode, place.ID, tt.want)
		testkit.Equal(t, tt.country+" "+tt.postcode, ok, tt.want != "")
	}
	needs := ""
	for _, c := range billing.Countries() {
		if billing.NeedsPostcode(c) {
			needs += c + " "
		}
	}
	testkit.Equal(t, "countries that need a postcode", needs, "ES FI FR IT PT ")
	for _, place := range billing.Territories() {
		if place.Name(account.French) == "" || place.Name(account.English) == "" {
			t.Errorf("%s has no name in one of the languages", place.ID)
		}
	}
}
