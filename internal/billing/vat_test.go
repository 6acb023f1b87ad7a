package billing_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	const standard, small, franchise = billing.Standard, billing.SmallSeller, billing.Franchise
	for _, tt := range []struct {
		seller  string
		scheme  billing.Scheme
		country string
		number  bool
		want    billing.VAT
	}{
		{"FR", standard, "FR", false, billing.VAT{Rate: 200, Tax: 1980, Total: 11880, Why: billing.VATAtHome}},
		{"FR", standard, "FR", true, billing.VAT{Rate: 200, Tax: 1980, Total: 11880, Why: billing.VATAtHome}},
		{"FR", standard, "DE", false, billing.VAT{Rate: 190, Tax: 1881, Total: 11781, Why: billing.VATOfCustomer}},
		{"FR", standard, "DE", true, billing.VAT{Total: 9900, Why: billing.VATReversed}},
		{"DE", standard, "FR", true, billing.VAT{Total: 9900, Why: billing.VATReversed}},
		{"FR", standard, "FI", false, billing.VAT{Rate: 255, Tax: 2525, Total: 12425, Why: billing.VATOfCustomer}}, // 2524.50
		{"FR", standard, "EE", false, billing.VAT{Rate: 240, Tax: 2376, Total: 12276, Why: billing.VATOfCustomer}},
		{"FR", standard, "HU", false, billing.VAT{Rate: 270, Tax: 2673, Total: 12573, Why: billing.VATOfCustomer}},
		{"FR", standard, "US", false, billing.VAT{Total: 9900, Why: billing.VATOutside}},
		{"FR", standard, "CH", true, billing.VAT{Total: 9900, Why: billing.VATOutside}},
		{"FR", small, "FR", false, billing.VAT{Rate: 200, Tax: 1980, Total: 11880, Why: billing.VATAtHome}},
		{"FR", small, "HU", false, billing.VAT{Rate: 200, Tax: 1980, Total: 11880, Why: billing.VATOfSmallSeller}},
		{"HU", small, "FR", false, billing.VAT{Rate: 270, Tax: 2673, Total: 12573, Why: billing.VATOfSmallSeller}},
		{"FR", small, "HU", true, billing.VAT{Total: 9900, Why: billing.VATReversed}},
		{"FR", small, "US", false, billing.VAT{Total: 9900, Why: billing.VATOutside}},
		{"FR", franchise, "FR", false, billing.VAT{Total: 9900, Why: billing.VATExempt}},
		{"FR", franchise, "FR", true, billing.VAT{Total: 9900, Why: billing.VATExempt}},
		{"FR", franchise, "DE", false, billing.VAT{Total: 9900, Why: billing.VATExempt}},
		{"FR", franchise, "DE", true, billing.VAT{Total: 9900, Why: billing.VATReversedLater}},
		{"FR", franchise, "US", true, billing.VAT{Total: 9900, Why: billing.VATOutside}},
	} {
		tt.want.Country, tt.want.Net = tt.country, 9900
		got, err := billing.Estimate(tt.seller, tt.scheme, tt.country, tt.number)
		if err != nil {
			t.Error(err)
		}
		testkit.Equal(t, tt.seller+" "+string(tt.scheme)+" to "+tt.country, got, tt.want)
	}
	for _, pair := range [][2]string{{"FR", ""}, {"FR", "fr"}, {"FR", "ZZ"}, {"", "FR"}, {"US", "FR"}} {
		if v, err := billing.Estimate(pair[0], standard, pair[1], false); err == nil || v != (billing.VAT{}) {
			t.Errorf("%q: %v, %v", pair, v, err)
		}
	}
	countries := billing.Countries()
	testkit.Equal(t, "member states", len(countries), 27)
	for _, c := range countries {
		v, err := billing.Estimate(c, standard, c, false)
		if err != nil || v.Rate < 170 || v.Rate > 270 { // the lowest is Luxembourg's, the highest Hungary's
			t.Errorf("%s: %v, %v", c, v, err)
		}
	}
	if _, err := time.Parse(time.DateOnly, billing.RatesOf); err != nil {
		t.Error(err)
	}
}
