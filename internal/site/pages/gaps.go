package pages

import (
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var gapTexts = layout.Texts{
	"gap.more":       {"%s de plus", "%s more"},
	"gap.less":       {"%s de moins", "%s less"},
	"gap.more.month": {"%s de plus par mois", "%s more a month"},
	"gap.less.month": {"%s de moins par mois", "%s less a month"},
	"gap.bit.more":   {"un rien de plus", "a touch more"},
	"gap.bit.less":   {"un rien de moins", "a touch less"},
	"gap.same.score": {"même note", "same score"},
	"gap.same.price": {"même prix", "same price"},
	"gap.free":       {"ne coûte rien", "costs nothing"},
	"gap.paid":       {"n’est pas gratuit", "is not free"},
	"gap.periods":    {"autre unité de facturation", "different billing unit"},
	"gap.unscored":   {"pas de note à comparer", "no score to compare"},
}

// measureGap says how far a measure is above or below another. It is the difference of the figures that stand on the
// page, so that a reader who subtracts them finds it.
func measureGap(v *view.View, a, b catalog.Measure) string {
	if !a.Known || !b.Known {
		return v.Text.Must("gap.unscored")
	}
	shown := int(a.Rounded().Hundredths) - int(b.Rounded().Hundredths)
	switch {
	case a == b:
		return v.Text.Must("gap.same.score")
	case shown > 0:
		return v.Text.Must("gap.more", v.Text.Measure(catalog.Hundredths(shown)))
	case shown < 0:
		return v.Text.Must("gap.less", v.Text.Measure(catalog.Hundredths(-shown)))
	case a.Hundredths > b.Hundredths:
		return v.Text.Must("gap.bit.more")
	default:
		return v.Text.Must("gap.bit.less")
	}
}

// priceGap says how much dearer or cheaper a price is than another, for a month.
func priceGap(v *view.View, a, b string) string {
	x, xOK := monthlyCents(a)
	y, yOK := monthlyCents(b)
	switch {
	case a == b || xOK && yOK && x == y:
		return v.Text.Must("gap.same.price")
	case xOK && x == 0:
		return v.Text.Must("gap.free")
	case yOK && y == 0 && !xOK:
		return v.Text.Must("gap.paid")
	case !xOK || !yOK:
		return v.Text.Must("gap.periods")
	case x > y:
		return v.Text.Must("gap.more.month", v.Text.Euros(x-y))
	default:
		return v.Text.Must("gap.less.month", v.Text.Euros(y-x))
	}
}

// monthlyCents is a price for a month, as far as it has one.
func monthlyCents(price string) (cents int64, ok bool) {
	p, ok := catalog.ParsePrice(price)
	if !ok {
		return 0, false
	}
	return figures.Monthly(p)
}
