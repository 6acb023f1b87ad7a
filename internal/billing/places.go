package billing

import (
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
)

// A Territory is a place where nothing is sold, because tax may be due there that the provider does not
// compute. Addresses name it by a country code of its own, by the code of the state that it belongs to
// and a postcode, or by either.
type Territory struct {
	ID              string // names it in texts and in the log
	French, English string // its name; with its article

	codes    []string // of ISO 3166-1, as addresses at the provider have them
	state    string   // whose postcodes these are
	prefixes []string // of postcodes
}

// Name returns the name of the place in a language, with its article.
func (t Territory) Name(l account.Language) string {
	if l == account.French {
		return t.French
	}
	return t.English
}

// territories are the places where nothing is sold, as of RatesOf.
//
// The sources for what the provider does not compute: docs.stripe.com/tax/supported-countries has no country MC, and
// docs.stripe.com/tax/supported-countries/european-union/collect-tax names, by member state, the territories
// that "fall outside the standard tax system". Those of Germany, Greece and Austria are not here: the same page
// says that the provider computes the tax of the state for them (Heligoland, Büsingen, Mount Athos,
// Jungholz, Mittelberg).
//
// The sources for the tax that is due: articles 6 and 7 of Directive 2006/112/EC, and the law of the state where a
// comment names it.
var territories = []Territory{
	{
		// Article 7: to be treated as France. The provider knows no such country.
		ID: "monaco", French: "Monaco", English: "Monaco",
		codes: []string{"MC"}, state: "FR", prefixes: []string{"980"},
	},
	{
		// Guadeloupe, Martinique and Réunion have 8.5 % (article 296 of the CGI), French Guiana and Mayotte none
		// (article 294). The provider does not compute the former.
		ID: "overseas_departments", French: "les départements d’outre-mer", English: "the French overseas departments",
		codes: []string{"GP", "MQ", "GF", "RE", "YT"}, state: "FR", prefixes: []string{"971", "972", "973", "974", "976"},
	},
	{
		// No tax is due there, and none is computed for their own country codes, under which they are sold to like any
		// other country. An address that names France would be charged the tax of France.
		ID: "overseas_collectivities", French: "les collectivités d’outre-mer (si le pays choisi est la France)", English: "the French overseas collectivities (where the country chosen is France)",
		state: "FR", prefixes: []string{"975", "977", "978", "984", "986", "987", "988"},
	},
	{
		// IGIC. Since 2026-08-26.dahlia the provider computes it for sellers who are registered for it
		// (docs.stripe.com/changelog/dahlia/2026-08-26: registrations of the type igic), which a seller elsewhere
		// cannot do through the One-Stop Shop.
		ID: "canaries", French: "les îles Canaries", English: "the Canary Islands",
		codes: []string{"IC"}, state: "ES", prefixes: []string{"35", "38"},
	},
	{
		// IPSI, which the provider does not compute.
		ID: "ceuta_melilla", French: "Ceuta et Melilla", English: "Ceuta and Melilla",
		codes: []string{"EA"}, state: "ES", prefixes: []string{"51", "52"},
	},
	{
		// 22 %, and not Portugal's 23 %.
		ID: "madeira", French: "Madère", English: "Madeira",
		state: "PT", prefixes: []string{"90", "91", "92", "93", "94"},
	},
	{
		// 16 %, and not Portugal's 23 %.
		ID: "azores", French: "les Açores", English: "the Azores",
		state: "PT", prefixes: []string{"95", "96", "97", "98", "99"},
	},
	{
		// Article 6: outside the territory of VAT, but Finland's law taxes services there as in Finland.
		ID: "aland", French: "les îles Åland", English: "the Åland Islands",
		codes: []string{"AX"}, state: "FI", prefixes: []string{"22"},
	},
	{
		// Campione has had a tax of its own since 2020 and Livigno has none. The provider says zero for both, so that a
		// right zero cannot be told from a wrong one.
		ID: "campione_livigno", French: "Livigno et Campione d’Italia", English: "Livigno and Campione d’Italia",
		state: "IT", prefixes: []string{"23041", "22061"},
	},
}

// Territories returns the places where nothing is sold.
func Territories() []Territory { return territories }

// NotSoldTo returns the Territory that an address is in, and whether it is in one. Only the digits of the postcode
// count: "F-97 400" is the same as "97400". Without a postcode only the country counts.
func NotSoldTo(country, postcode string) (Territory, bool) {
	country = strings.ToUpper(strings.TrimSpace(country))
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, postcode)
	for _, t := range territories {
		if slices.Contains(t.codes, country) {
			return t, true
		}
		for _, prefix := range t.prefixes {
			if country == t.state && strings.HasPrefix(digits, prefix) {
				return t, true
			}
		}
	}
	return Territory{}, false
}

// NeedsPostcode reports whether a postcode is needed to tell if anything is sold at an address in the country, or which
// tax is due: docs.stripe.com/tax/customer-locations wants one in the United States, and one or a province in Canada.
func NeedsPostcode(country string) bool {
	return country == "US" || country == "CA" ||
		slices.ContainsFunc(territories, func(t Territory) bool { return t.state == country })
}
