package figures

import (
	"math"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// An Offer is what a tool asks for.
type Offer struct {
	Pricing catalog.Pricing
	Price   string
}

// OfferOf is the offer of a tool in the change log.
func OfferOf(i *catalog.LoggedItem) Offer { return Offer{i.Pricing, i.Price} }

// A Repricing is how an offer differs from the one before it.
type Repricing struct {
	Before, After Offer
	Direction     int  // 1 for a rise, -1 for a fall, 0 where prices cannot be compared or are equal
	Percent       int  // 0 where it says nothing
	Period        bool // is another one
}

// NewRepricing compares two offers.
func NewRepricing(before, after Offer) Repricing {
	a, _ := catalog.ParsePrice(before.Price) // checked when the file was read
	b, _ := catalog.ParsePrice(after.Price)
	m := Repricing{Before: before, After: after, Direction: direction(a, b)}
	m.Period = a.Period != b.Period && a.Cents != 0 && b.Cents != 0
	m.Percent = PercentMoved(a, b)
	return m
}

// PercentMoved is by how many percent a price moved; 0 when that says nothing: one of them is
// free, or their periods have nothing in common.
func PercentMoved(from, to catalog.Price) int {
	from, to = from.Yearly(), to.Yearly()
	if from.Cents == 0 || to.Cents == 0 || from.Period != to.Period {
		return 0
	}
	return int(math.Round(100 * float64(to.Cents-from.Cents) / float64(from.Cents)))
}

// RepricingOf compares the two offers of a change.
func RepricingOf(c catalog.PriceChange) Repricing {
	return NewRepricing(Offer{c.OldPricing, c.OldPrice}, Offer{c.NewPricing, c.NewPrice})
}

// direction tells a rise from a fall. Nothing is cheaper than what is free, whatever its period.
func direction(a, b catalog.Price) int {
	a, b = a.Yearly(), b.Yearly()
	switch {
	case a.Period != b.Period && a.Cents != 0 && b.Cents != 0, a.Cents == b.Cents:
		return 0
	case a.Cents < b.Cents:
		return 1
	default:
		return -1
	}
}

// Monthly is a price for a month in cents, as far as it has one: a twelfth of that for a year, and
// nothing where there is nothing to pay, whatever the period.
func Monthly(p catalog.Price) (cents int64, ok bool) {
	if p.Cents == 0 {
		return 0, true
	}
	year := p.Yearly()
	return (year.Cents + 6) / 12, year.Period == "an"
}
