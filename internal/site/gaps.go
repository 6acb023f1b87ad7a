package site

import (
	"github.com/palmares-hq/palmares/internal/catalog"
)

var gapTexts = texts{
	"gap.more":       {"%s de plus", "%s more"},
	"gap.less":       {"%s de moins", "%s less"},
	"gap.more.month": {"%s de plus par mois", "%s more a month"},
	"gap.less.month": {"%s de moins par mois", "%s less a month"},
	"gap.same.score": {"même note", "same score"},
	"gap.same.price": {"même prix", "same price"},
	"gap.free":       {"ne coûte rien", "costs nothing"},
	"gap.paid":       {"n’est pas gratuit", "is not free"},
	"gap.periods":    {"autre période de paiement", "billed for another period"},
	"gap.unscored":   {"pas de note à comparer", "no score to compare"},
}

// measureGap says how far a measure is above or below another; same is what to say of equal ones.
func (r *request) measureGap(a, b catalog.Measure) string {
	difference := int(a.Hundredths) - int(b.Hundredths)
	switch {
	case !a.Known || !b.Known:
		return r.Must("gap.unscored")
	case difference > 0:
		return r.Must("gap.more", r.Measure(catalog.Hundredths(difference)))
	case difference < 0:
		return r.Must("gap.less", r.Measure(catalog.Hundredths(-difference)))
	default:
		return r.Must("gap.same.score")
	}
}

// priceGap says how much dearer or cheaper a price is than another, for a month.
func (r *request) priceGap(a, b string) string {
	x, xOK := monthlyCents(a)
	y, yOK := monthlyCents(b)
	switch {
	case a == b || xOK && yOK && x == y:
		return r.Must("gap.same.price")
	case xOK && x == 0:
		return r.Must("gap.free")
	case yOK && y == 0 && !xOK:
		return r.Must("gap.paid")
	case !xOK || !yOK:
		return r.Must("gap.periods")
	case x > y:
		return r.Must("gap.more.month", r.Euros(x-y))
	default:
		return r.Must("gap.less.month", r.Euros(y-x))
	}
}

// monthlyCents is a price for a month, as far as it has one: a twelfth of that for a year, and
// nothing where there is nothing to pay, whatever the period.
func monthlyCents(price string) (cents int64, ok bool) {
	p, ok := catalog.ParsePrice(price)
	switch {
	case !ok:
		return 0, false
	case p.Cents == 0, p.Period == "mois":
		return p.Cents, true
	case p.Period == "an":
		return (p.Cents + 6) / 12, true
	default:
		return 0, false
	}
}
