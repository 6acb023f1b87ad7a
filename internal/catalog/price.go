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

// ParsePrice reads a price as it is written in the catalog: 20 €/mois, 199,90 €/an. The period is
// French letters in lower case. schemas/tool.schema.json has the same form as a pattern.
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

// String writes the price as ParsePrice reads it.
func (p Price) String() string {
	b := strconv.AppendInt(nil, p.Cents/100, 10)
	if cents := p.Cents % 100; cents != 0 {
		b = append(b, ',', byte('0'+cents/10), byte('0'+cents%10))
	}
	return string(b) + " €/" + p.Period
}

// Yearly turns a price for a month into the price for a year. Other periods have nothing in common:
// prices can be compared when their yearly forms have the same period.
func (p Price) Yearly() Price {
	if p.Period == monthly {
		return Price{12 * p.Cents, yearly}
	}
	return p
}

// unknownPrice stands for the price of a period that is neither month nor year.
const unknownPrice = -1

// perYear is what a price comes to in a year, in cents. A price of 0 is 0 of any period.
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

// comparePrices orders what prices come to in a year, upwards by 1 and downwards by -1. Those that nobody knows
// come last in both.
func comparePrices(a, b int64, direction int) int {
	if (a == unknownPrice) != (b == unknownPrice) {
		return cmp.Compare(b, a)
	}
	return direction * cmp.Compare(a, b)
}

// An Amount is a number of euros that prices are compared with, in cents. The zero Amount is none.
type Amount struct {
	Set   bool
	Cents int64
}

// ParseAmount reads a number of euros with two decimals at most, such as 20 or 19.99.
func ParseAmount(s string) (Amount, bool) {
	whole, decimals, dotted := strings.Cut(s, ".")
	if !digits(whole) || len(whole) > maxPriceDigits || dotted && (!digits(decimals) || len(decimals) > 2) {
		return Amount{}, false
	}
	cents, err := strconv.ParseInt(whole+(decimals + "00")[:2], 10, 64)
	return Amount{true, cents}, err == nil
}

// String is the amount as ParseAmount reads it, or "" for none.
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

// most reports whether something that comes to so many cents in a year costs at most the amount in a month.
func (a Amount) most(perYear int64) bool {
	return !a.Set || perYear != unknownPrice && perYear <= 12*a.Cents
}

// maxPriceStep is how many times as high or as low a price may become before it looks like a slip.
const maxPriceStep = 5

// Jumps reports whether the price becomes more than five times as high or as low, as it does when a
// comma is lost. A price of 0 never jumps, and neither do periods that cannot be compared.
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

// PriceSteps is the price of the tool over time, oldest first. The last step is the current price.
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
