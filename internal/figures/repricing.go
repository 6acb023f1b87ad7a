package figures

import (
	"math"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// An Offer is the pricing model and the price of a tool.
type Offer struct {
	Pricing catalog.Pricing
	Price   string
}

// OfferOf returns the offer of a logged tool.
func OfferOf(i *catalog.LoggedItem) Offer { return Offer{i.Pricing, i.Price} }

// A Repricing compares an offer with the one before it.
type Repricing struct {
	Before, After Offer
	Direction     int  // 1 for a rise, -1 for a fall, 0 if prices are equal or cannot be compared
	Percent       int  // 0 if meaningless; see PercentMoved
	Period        bool // whether the period changed
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

// PercentMoved returns the change of a price in percent; 0 if that is meaningless, because one is
// free or their periods cannot be compared.
func PercentMoved(from, to catalog.Price) int {
	from, to = from.Yearly(), to.Yearly()
	if from.Cents == 0 || to.Cents == 0 || from.Period != to.Period {
		return 0
	}
	return int(math.Round(100 * float64(to.Cents-from.Cents) / float64(from.Cents)))
}

// RepricingOf compares the two offers of a price change.
func RepricingOf(c catalog.PriceChange) Repricing {
	return NewRepricing(Offer{c.OldPricing, c.OldPrice}, Offer{c.NewPricing, c.NewPrice})
}

// direction returns 1 for a rise, -1 for a fall, and 0 if prices are equal or cannot be compared.
// Free is cheaper than anything, whatever the period.
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

// PriceSteps returns the prices that a tool had for at least a day, each different from the one
// before.
func PriceSteps(t *catalog.Tool) []catalog.PriceStep {
	var kept []catalog.PriceStep
	steps := t.PriceSteps()
	for i, s := range steps {
		again := len(kept) > 0 && kept[len(kept)-1].Price == s.Price && kept[len(kept)-1].Pricing == s.Pricing
		if again || i+1 < len(steps) && steps[i+1].Since == s.Since {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// FollowedFrom returns the day from which a tool's first price is drawn: the day it was added to
// the catalog or, if the change log no longer has that, a while before its first price change.
func (f *Figures) FollowedFrom(slug string, firstChange catalog.Date) catalog.Date {
	if created := f.ToolLogs[slug].Created; created != "" && created < firstChange {
		return created
	}
	const least = 30 * 24 * time.Hour
	first := firstChange.Time()
	return catalog.DateOf(first.Add(-max(f.Today.Time().Sub(first)/8, least)))
}
