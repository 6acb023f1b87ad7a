package site

import (
	"math"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// An offer is what a tool asks for.
type offer struct {
	Pricing catalog.Pricing
	Price   string
}

func offerOf(i *catalog.LoggedItem) offer { return offer{i.Pricing, i.Price} }

// A repricing is how an offer differs from the one before it.
type repricing struct {
	Before, After offer
	Direction     int  // 1 for a rise, -1 for a fall, 0 where prices cannot be compared or are equal
	Percent       int  // 0 where it says nothing
	Period        bool // is another one
}

// newRepricing compares two offers.
func newRepricing(before, after offer) repricing {
	a, _ := catalog.ParsePrice(before.Price) // checked when the file was read
	b, _ := catalog.ParsePrice(after.Price)
	m := repricing{Before: before, After: after, Direction: direction(a, b)}
	m.Period = a.Period != b.Period && a.Cents != 0 && b.Cents != 0
	m.Percent = percentMoved(a, b)
	return m
}

// percentMoved is by how many percent a price moved; 0 when that says nothing: one of them is
// free, or their periods have nothing in common.
func percentMoved(from, to catalog.Price) int {
	from, to = from.Yearly(), to.Yearly()
	if from.Cents == 0 || to.Cents == 0 || from.Period != to.Period {
		return 0
	}
	return int(math.Round(100 * float64(to.Cents-from.Cents) / float64(from.Cents)))
}

func repricingOf(c catalog.PriceChange) repricing {
	return newRepricing(offer{c.OldPricing, c.OldPrice}, offer{c.NewPricing, c.NewPrice})
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

var repricingTexts = texts{
	"repricing.gratuit":  {"devient gratuit", "now free"},
	"repricing.freemium": {"devient freemium", "now freemium"},
	"repricing.payant":   {"devient payant", "now paid"},
	"repricing.period":   {"change de période", "new period"},
	"repricing.line":     {"%s → %s", "%s → %s"},
	"repricing.said":     {"%s (%s)", "%s (%s)"},
}

// offer writes an offer: what is free has no amount.
func (w writer) offer(o offer) string {
	if o.Pricing == catalog.Free {
		return w.Must("pricing." + string(catalog.Free))
	}
	return w.price(o.Price)
}

// remark says of a move what its two prices do not: another model, another period. It is "" when
// there is nothing to say.
func (w writer) remark(m repricing) string {
	switch {
	case m.Before.Pricing != m.After.Pricing:
		return w.Must("repricing." + string(m.After.Pricing))
	case m.Period:
		return w.Must("repricing.period")
	default:
		return ""
	}
}

// repricing writes a move in one line: 27 €/mois → 24 €/mois (−11 %).
func (w writer) repricing(m repricing) string {
	line := w.Must("repricing.line", w.offer(m.Before), w.offer(m.After))
	said := w.remark(m)
	if m.Percent != 0 {
		if said != "" {
			said = ", " + said
		}
		said = w.Percent(m.Percent) + said
	}
	if said == "" {
		return line
	}
	return w.Must("repricing.said", line, said)
}
