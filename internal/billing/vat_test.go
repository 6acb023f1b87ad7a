package billing_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		seller, country string
		number          bool
		want            billing.VAT
	}{
		{"FR", "FR", false, billing.VAT{Country: "FR", Rate: 200, Net: 9900, Tax: 1980, Total: 11880}},
		{"FR", "FR", true, billing.VAT{Country: "FR", Rate: 200, Net: 9900, Tax: 1980, Total: 11880}},
		{"FR", "DE", false, billing.VAT{Country: "DE", Rate: 190, Net: 9900, Tax: 1881, Total: 11781}},
		{"FR", "DE", true, billing.VAT{Country: "DE", Net: 9900, Total: 9900, ReverseCharge: true}},
		{"DE", "FR", true, billing.VAT{Country: "FR", Net: 9900, Total: 9900, ReverseCharge: true}},
		{"FR", "FI", false, billing.VAT{Country: "FI", Rate: 255, Net: 9900, Tax: 2525, Total: 12425}}, // 2524.50
		{"FR", "EE", false, billing.VAT{Country: "EE", Rate: 240, Net: 9900, Tax: 2376, Total: 12276}},
		{"FR", "HU", false, billing.VAT{Country: "HU", Rate: 270, Net: 9900, Tax: 2673, Total: 12573}},
		{"FR", billing.Elsewhere, false, billing.VAT{Country: billing.Elsewhere, Net: 9900, Total: 9900, Outside: true}},
		{"FR", billing.Elsewhere, true, billing.VAT{Country: billing.Elsewhere, Net: 9900, Total: 9900, Outside: true}},
	} {
		got, err := billing.Estimate(tt.seller, tt.country, tt.number)
		if err != nil {
			t.Error(err)
		}
		testkit.Equal(t, tt.seller+" to "+tt.country, got, tt.want)
	}
	for _, pair := range [][2]string{{"FR", ""}, {"FR", "fr"}, {"FR", "XX"}, {"", "FR"}, {"US", "FR"}} {
		if v, err := billing.Estimate(pair[0], pair[1], false); err == nil || v != (billing.VAT{}) {
			t.Errorf("%q: %v, %v", pair, v, err)
		}
	}
	countries := billing.Countries()
	testkit.Equal(t, "member states", len(countries), 27)
	for _, c := range countries {
		v, err := billing.Estimate(c, c, false)
		if err != nil || v.Rate < 170 || v.Rate > 270 { // the lowest is Luxembourg's, the highest Hungary's
			t.Errorf("%s: %v, %v", c, v, err)
		}
	}
	if _, err := time.Parse(time.DateOnly, billing.RatesOf); err != nil {
		t.Error(err)
	}
}
