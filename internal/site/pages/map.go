package pages

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// A mapBody is the data of the map's page.
type mapBody struct {
	Map     *priceMap
	Filters mapFilters
	Chips   []chip
	Clear   string // the path of the map of all tools; "" without filters
	List    string // the path of the list of the same tools
	Call    layout.Call
	Empty   string // why there is no map; "" if there is one
}

// A mapFilters is the filters of the ranking as one form.
type mapFilters struct {
	Action string
	Kept   []option // hidden fields, for filters that the form does not show
	Search string
	Menus  []mapMenu
}

// A mapMenu is a filter of the form.
type mapMenu struct {
	menu

	Label string
}

// ParseMap parses the parameters of the map: those of the ranking, of which order and page mean nothing to it.
func ParseMap(rawQuery string) (params.Tools, error) {
	p, err := params.ParseTools(rawQuery)
	p.Paging, p.Sort = catalog.Paging{Page: 1, Limit: params.DefaultLimit}, ""
	return p, err
}

// PriceMap returns the page of the map.
func PriceMap(v *view.View, p params.Tools) (*view.Document, error) {
	path := v.Path(address.Map)
	filtered := len(p.Values()) > 0
	body := mapBody{
		Map: newPriceMap(v, p.Query(), mapScope{most: mapTools, chosen: filtered}), Filters: newMapFilters(v, p),
		Chips: toolChips(v, p, address.Map), Call: v.Call(listPath("/api/v1/tools", p.Values(), 1)),
		List: listPath(v.Path(address.Tools), p.Values(), 1),
	}
	if filtered {
		body.Clear = path
	}
	if body.Map == nil {
		body.Empty = v.Text.Must("map.none")
	}
	return &view.Document{
		Template: "pricemap", Section: address.Tools, Title: v.Text.Must("map.title"), NoIndex: filtered,
		Description: v.Text.Must("map.description", v.Text.Integer(v.Catalog.Stats().Tested)),
		API:         []string{body.Call.Path}, Body: body,
	}, nil
}

func newMapFilters(v *view.View, p params.Tools) mapFilters {
	f := mapFilters{Action: v.Path(address.Map), Search: p.Search}
	for _, kept := range []option{{Value: p.Slugs, Label: "slugs"}, {Value: string(p.UpdatedSince), Label: "updated_since"}} {
		if kept.Value != "" {
			f.Kept = append(f.Kept, kept)
		}
	}
	add := func(name, label string, options []option) {
		f.Menus = append(f.Menus, mapMenu{menu{name, options}, v.Text.Must(label)})
	}
	category := []option{{"", v.Text.Must("tools.all"), p.Category == ""}}
	if len(p.Categories()) != 1 && p.Category != "" {
		category = append(category, option{p.Category, v.Text.Integer(len(p.Categories())), true})
	}
	for _, c := range v.Catalog.Categories() {
		category = append(category, option{c.Slug, v.Category(c.Slug), c.Slug == p.Category})
	}
	add("category", "tools.category", category)
	pricing := []option{{"", v.Text.Must("tools.all"), p.Pricing == ""}}
	for _, x := range catalog.Pricings() {
		pricing = append(pricing, option{string(x), v.Text.Must("pricing." + string(x)), x == p.Pricing})
	}
	add("pricing", "tools.pricing", pricing)
	icp := []option{{"", v.Text.Must("tools.icp.all"), p.ICP == ""}}
	for _, x := range catalog.ICPs() {
		icp = append(icp, option{string(x), v.Text.Must("icp." + string(x)), x == p.ICP})
	}
	add("icp", "tools.icp", icp)
	add("price_max", "tools.pricemax", amounts(v, p.PriceMax, "0", "10", "20", "50", "100"))
	add("score_min", "tools.scoremin", bounds(v, p.ScoreMin, "9", "8", "7", "6", "5"))
	add("obsolescence_max", "tools.obsolescence", freshness(v, p.ObsolescenceMax, "2", "4", "6", "8"))
	return f
}
