package view_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// plainSpaces makes typographic spaces those of a keyboard.
var plainSpaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

func TestRepricing(t *testing.T) {
	t.Parallel()
	v := &view.View{Text: layout.NewWriter(locale.French, view.Texts())}
	asks := func(pricing catalog.Pricing, price string) figures.Offer {
		return figures.Offer{Pricing: pricing, Price: price}
	}
	for _, c := range []struct {
		before, after figures.Offer
		want          string
	}{
		{asks("payant", "27 €/mois"), asks("payant", "24 €/mois"), "27 €/mois → 24 €/mois (−11 %)"},
		{asks("payant", "20 €/mois"), asks("payant", "200 €/an"), "20 €/mois → 200 €/an (−17 %, change d’unité de facturation)"},
		{asks("payant", "20 €/mois"), asks("payant", "15 €/siège"), "20 €/mois → 15 €/siège (change d’unité de facturation)"},
		{asks("payant", "20 €/mois"), asks("gratuit", "0 €/mois"), "20 €/mois → Gratuit (devient gratuit)"},
		{asks("gratuit", "0 €/mois"), asks("payant", "99 €/an"), "Gratuit → 99 €/an (devient payant)"},
		{asks("payant", "10 €/mois"), asks("freemium", "12 €/mois"), "10 €/mois → 12 €/mois (+20 %, devient freemium)"},
		{asks("payant", "999 €/mois"), asks("payant", "1000 €/mois"), "999 €/mois → 1 000 €/mois"},
	} {
		got := v.Repricing(figures.NewRepricing(c.before, c.after))
		testkit.Equal(t, c.want, plainSpaces.Replace(got), c.want)
	}
}
