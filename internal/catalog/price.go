package catalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Price is an amount of euros for a period.
type Price struct {
	Cents  int64
	Period string // "mois", "an" or another unit, such as "siège"
}

const (
	monthly = "mois"
	yearly  = "an"

	maxPriceDigits = 7
	maxPeriod      = 20 // letters
)

// ParsePrice parses a price in the catalog's form: 20 €/mois, 199,90 €/an. The period is lower-case
// French letters. schemas/tool.schema.json has the same form as a pattern.
func ParsePrice(s string) (p Price, ok bool) {
	amount, period, found := strings.Cut(s, " €/")
	whole, decimals, comma := strings.Cut(amount, ",")
	switch {
	case !found, !validPeriod(period):
		return Price{}, false
	case !digits(whole), len(whole) > maxPriceDigits, len(whole) > 1 && whole[0] == '0':
		return Price{}, false
	case comma && (!digits(decimals) || len(decimals) != 2):
		return Price{}, false
	}
	cents, err := strconv.ParseInt(whole+(decimals + "00")[:2], 10, 64)
	return Price{cents, period}, err == nil
}

func validPeriod(s string) bool {
	for _, r := range s {
		french := r >= 'a' && r <= 'z' || r >= 'à' && r <= 'ÿ' && r != '÷' || r == 'œ'
		if !french {
			return false
		}
	}
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= maxPeriod
}

// String formats the price for ParsePrice.
func (p Price) String() string {
	b := strconv.AppendInt(nil, p.Cents/100, 10)
	if cents := p.Cents % 100; cents != 0 {
		b = append(b, ',', byte('0'+cents/10), byte('0'+cents%10))
	}
	return string(b) + " €/" + p.Period
}

// Yearly converts a monthly price to a yearly one, and returns any other price unchanged. Prices
// can be compared if their yearly forms have the same period.
func (p Price) Yearly() Price {
	if p.Period == monthly {
		return Price{12 * p.Cents, yearly}
	}
	return p
}

// Monthly returns the price for a month in cents: a twelfth of a yearly price, rounded half up, and 0
// for anything free. ok is false for other periods.
func (p Price) Monthly() (cents int64, ok bool) {
	if p.Cents == 0 {
		return 0, true
	}
	year := p.Yearly()
	return (year.Cents + 6) / 12, year.Period == yearly
}

// unknownPrice is the yearly cost of a price whose period is neither month nor year.
const unknownPrice = -1

// perYear returns the yearly cost of a price in cents. A price of 0 is 0 for any period.
func perYear(price string) int64 {
	p, ok := ParsePrice(price)
	switch p = p.Yearly(); {
	case !ok:
		return unknownPrice
	case p.Cents == 0 || p.Period == yearly:
		return p.Cents
	default:
		return unknownPrice
	}
}

// comparePrices orders yearly costs, ascending for direction 1 and descending for -1. Unknown ones
// come last in both.
func comparePrices(a, b int64, direction int) int {
	if (a == unknownPrice) != (b == unknownPrice) {
		return cmp.Compare(b, a)
	}
	return direction * cmp.Compare(a, b)
}

// An Amount is a sum in euros that prices are compared with. The zero Amount means that there is
// none.
type Amount struct {
	Set   bool
	Cents int64
}

// ParseAmount parses a number of euros with at most two decimals, such as 20 or 19.99.
func ParseAmount(s string) (Amount, bool) {
	whole, decimals, dotted := strings.Cut(s, ".")
	if !digits(whole) || len(whole) > maxPriceDigits || dotted && (!digits(decimals) || len(decimals) > 2) {
		return Amount{}, false
	}
	cents, err := strconv.ParseInt(whole+(decimals + "00")[:2], 10, 64)
	return Amount{true, cents}, err == nil
}

// String formats the amount for ParseAmount; "" for none.
func (a Amount) String() string {
	if !a.Set {
		return ""
	}
	b := strconv.AppendInt(nil, a.Cents/100, 10)
	if cents := a.Cents % 100; cents != 0 {
		b = append(b, '.', byte('0'+cents/10), byte('0'+cents%10))
	}
	return string(b)
}

// most reports whether a yearly cost is at most twelve times the amount. An unknown cost is not.
// Without an amount, every cost is.
func (a Amount) most(perYear int64) bool {
	return !a.Set || perYear != unknownPrice && perYear <= 12*a.Cents
}

// maxPriceStep is the factor by which a price may rise or fall before it looks like a typo.
const maxPriceStep = 5

// Jumps reports whether a price rises or falls more than fivefold, as when a comma is lost. Prices
// of 0 and prices that cannot be compared never jump.
func (p Price) Jumps(to Price) bool {
	before, after := p.Yearly(), to.Yearly()
	low, high := min(before.Cents, after.Cents), max(before.Cents, after.Cents)
	return before.Period == after.Period && low > 0 && high > maxPriceStep*low
}

// A PriceStep is the price of a tool from one day until the next step.
type PriceStep struct {
	Since   Date // "" for the first step: the catalog does not know when it began
	Pricing Pricing
	Price   Price
}

// PriceSteps returns the price of the tool over time, oldest first. The last step is the current
// price.
func (t *Tool) PriceSteps() []PriceStep {
	steps := make([]PriceStep, 0, len(t.History)+1)
	add := func(since Date, pricing Pricing, text string) {
		price, _ := ParsePrice(text) // checked when the file was read
		steps = append(steps, PriceStep{since, pricing, price})
	}
	if len(t.History) == 0 {
		add("", t.Pricing, t.Price)
		return steps
	}
	first := t.History[len(t.History)-1]
	add("", first.OldPricing, first.OldPrice)
	for _, change := range slices.Backward(t.History) {
		add(change.ChangedAt, change.NewPricing, change.NewPrice)
	}
	return steps
}

// A Period is what a price is commonly paid for: a month, a seat, a call.
type Period struct {
	Name    string   // in a price
	English string   // on English pages
	Also    []string // synonyms that editors type
}

// Periods returns the known periods, the most common first. Prices may have others.
func Periods() []Period { return slices.Clone(periods) }

// PeriodInEnglish returns the English name of a known period; "" for any other.
func PeriodInEnglish(name string) string {
	for _, p := range periods {
		if p.Name == name {
			return p.English
		}
	}
	return ""
}

var periods = []Period{
	{monthly, "month", []string{"month", "months", "monthly", "mensuel"}},
	{yearly, "year", []string{"ans", "année", "années", "year", "years", "yearly", "annum", "annuel"}},
	{"jour", "day", []string{"day", "days", "journée"}},
	{"semaine", "week", []string{"week", "weeks", "hebdo"}},
	{"trimestre", "quarter", []string{"quarter"}},
	{"semestre", "half-year", nil},
	{"heure", "hour", []string{"hour", "hours"}},
	{"minute", "minute", []string{"min"}},
	{"siège", "seat", []string{"seat", "seats"}},
	{"utilisateur", "user", []string{"user", "users", "usager"}},
	{"poste", "workstation", nil},
	{"équipe", "team", []string{"team", "teams"}},
	{"licence", "licence", []string{"license"}},
	{"projet", "project", []string{"project"}},
	{"site", "site", nil},
	{"agent", "agent", nil},
	{"serveur", "server", []string{"server"}},
	{"crédit", "credit", []string{"credit", "credits"}},
	{"jeton", "token", []string{"token", "tokens"}},
	{"requête", "request", []string{"request", "requests", "query"}},
	{"appel", "call", []string{"call", "calls"}},
	{"exécution", "run", []string{"run", "runs"}},
	{"message", "message", nil},
	{"document", "document", nil},
	{"fichier", "file", []string{"file", "files"}},
	{"page", "page", nil},
	{"mot", "word", []string{"word", "words"}},
	{"image", "image", nil},
	{"vidéo", "video", []string{"video"}},
	{"œuvre", "work", nil},
	{"usage", "use", []string{"use", "utilisation"}},
}
