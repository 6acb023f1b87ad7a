package pages

import (
	"maps"
	"net/url"
	"slices"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// The filters that lists of tools offer at once: what most readers ask of a tool.
const (
	usualPrice = "20"
	usualScore = "8"
)

// A refinement is a filter that a list of tools can be given, as a link.
type refinement struct{ Label, Path string }

// refinements are the usual filters that a list of tools with these parameters does not have yet.
func refinements(v *view.View, values url.Values) []refinement {
	var found []refinement
	offer := func(key, value, label string, unless ...string) {
		if slices.ContainsFunc(append(unless, key), values.Has) {
			return
		}
		to := maps.Clone(values)
		to.Set(key, value)
		found = append(found, refinement{label, listPath(v.Path(address.Tools), to, 1)})
	}
	price, _ := catalog.ParseAmount(usualPrice)
	offer("price_max", usualPrice, v.Text.Must("tools.chip.price", v.Text.Euros(price.Cents)))
	offer("score_min", usualScore, v.Text.Must("tools.chip.score", usualScore))
	offer("pricing", string(catalog.Free), v.Text.Must("pricing."+string(catalog.Free)), "price_max")
	return found
}
