package pages

import (
	"cmp"
	"html/template"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var toolsTexts = layout.Texts{
	"tools.title":    {"Classement", "Ranking"},
	"tools.title.of": {"Classement\u00a0: %s", "Ranking: %s"},
	"tools.description": {
		"%s outils d’intelligence artificielle, dont %s notés sur dix, avec leur prix du jour.",
		"%s AI tools, %s of them scored out of ten, with today’s prices.",
	},

	"tools.skip":         {"Aller aux résultats", "Skip to the results"},
	"tools.filter":       {"Filtrer et trier", "Filter and sort"},
	"tools.category":     {"Catégorie", "Category"},
	"tools.all":          {"Toutes", "All"},
	"tools.pricing":      {"Formule", "Pricing"},
	"tools.icp":          {"Public", "Audience"},
	"tools.icp.all":      {"Tous", "All"},
	"tools.scoremin":     {"Note minimale", "Minimum score"},
	"tools.obsolescence": {"Fraîcheur minimale", "Minimum freshness"},
	"tools.scale":        {"De 0 (dépassé) à 10 (à jour)\u00a0: dix moins l’obsolescence de l’API.", "From 0 (obsolete) to 10 (current): ten minus obsolescence in the API."},
	"tools.any":          {"indifférente", "any"},
	"tools.words":        {"Mots-clés", "Keywords"},
	"tools.pricemax":     {"Prix maximal par mois", "Maximum price per month"},
	"tools.pricemax.any": {"indifférent", "any"},
	"tools.refine":       {"Affiner\u00a0:", "Refine:"},
	"tools.order":        {"Ordre", "Order"},
	"tools.apply":        {"Appliquer", "Apply"},

	"tools.order.score_desc": {"les mieux notés d’abord", "highest score first"},
	"tools.order.score_asc":  {"les moins bien notés d’abord", "lowest score first"},
	"tools.order.relevance":  {"par pertinence", "best match first"},
	"tools.order.price_asc":  {"les moins chers d’abord", "cheapest first"},
	"tools.order.price_desc": {"les plus chers d’abord", "most expensive first"},
	"tools.order.name_asc":   {"de A à Z", "from A to Z"},
	"tools.order.name_desc":  {"de Z à A", "from Z to A"},

	"tools.count":             {"%s outil|%s outils", "%s tool|%s tools"},
	"tools.chip.score":        {"Note ≥ %s", "Score ≥ %s"},
	"tools.chip.obsolescence": {"Fraîcheur ≥ %s", "Freshness ≥ %s"},
	"tools.chip.price":        {"%s par mois au plus", "%s a month at most"},
	"tools.chip.since":        {"Mis à jour depuis le %s", "Updated since %s"},
	"tools.chip.slugs":        {"%s outil choisi|%s outils choisis", "%s chosen tool|%s chosen tools"},
	"tools.remove":            {"retirer ce filtre", "remove this filter"},
	"tools.clear":             {"Tout effacer", "Clear all"},

	"tools.caption":    {"Les outils, %s", "The tools, %s"},
	"tools.rank":       {"Rang", "Rank"},
	"tools.tool":       {"Outil", "Tool"},
	"tools.score":      {"Note", "Score"},
	"tools.verifiable": {"Vérifiabilité", "Verifiability"},
	"tools.price":      {"Prix", "Price"},
	"tools.unscored":   {"pas encore noté", "no score yet"},
	"tools.last": {
		"Les outils qui n’ont pas encore de note viennent en dernier, sans rang.",
		"Tools without a score yet come last, unranked.",
	},

	"tools.empty": {
		"Aucun outil ne correspond à ces filtres.", "No tool matches these filters.",
	},
	"tools.empty.search": {
		"Aucun outil ne correspond à cette recherche.", "No tool matches this search.",
	},
	"tools.empty.category": {
		"La catégorie n’a pas encore d’outil.", "There is no tool in this category yet.",
	},
	"tools.empty.unknown": {
		"Le catalogue n’a pas de catégorie de ce nom.", "The catalogue has no category of that name.",
	},
	"tools.empty.catalog": {
		"Le catalogue n’a pas encore d’outil.", "There is no tool in the catalogue yet.",
	},
	"tools.loosen":      {"Pour en voir, retirez un filtre\u00a0:", "To see some, remove a filter:"},
	"tools.beyond":      {"La liste s’arrête avant la page %s.", "The list ends before page %s."},
	"tools.beyond.last": {"Aller à la dernière page", "Go to the last page"},
}

// A toolsBody is the data of the ranking.
type toolsBody struct {
	Filters toolFilters
	Total   int
	Chips   []chip
	Clear   string // the path of the list without filters; "" unless several are set
	Call    layout.Call
	Order   string // the last part of the name of its text
	ByScore column
	ByName  column
	ByPrice column
	Refine  []refinement
	Near    []*catalog.Tool // suggestions if the search finds nothing
	Found   found
	Rows    []toolRow
	Ends    endings
	Empty   string // why there are no rows; "" if there are some
	Last    string // the path of the last page, if this one is beyond it
	Unrated bool   // the list is in order of score, and a row has none
	Pager   layout.Pager
	Map     *priceMap // of all tools that the filters leave, on the first page; nil for none
}

// A toolFilters is the filters of the ranking: links for parameters with few values, and a form for the rest. The
// parameters are those of the API.
type toolFilters struct {
	Facets       []facet
	Action       string
	Kept         []option // hidden fields of the form, for filters that it does not show
	Search       string
	PriceMax     menu
	ScoreMin     menu
	Obsolescence menu
	Order        menu
}

// A facet is a parameter whose values are links.
type facet struct {
	Name    string
	Counted bool // the links show the number of tools, if they list all of them
	Choices []choice
}

// A menu is a filter that is a menu of the form.
type menu struct {
	Name    string
	Options []option
}

// An option is an option of a menu.
type option struct {
	Value, Label string
	Selected     bool
}

// A chip is a filter that is set. It links to the list without it.
type chip struct {
	Label template.HTML
	Path  string
}

// A column is a column that the list can be sorted by.
type column struct {
	Path string // of the list sorted by it; reversed if it is already
	Sort string // "ascending", "descending", or "" when the list has another order
}

// A toolRow is a tool in the ranking.
type toolRow struct {
	*catalog.Tool

	Rank  int // among all tools, or those of the chosen category; 0 without a score
	First bool
}

// foundPage is how many tools a page of what was searched shows: the best match is among the first.
const foundPage = 20

// Tools returns the ranking: the list of tools, filtered and sorted.
func Tools(v *view.View, p params.Tools) (*view.Document, error) {
	query, call := p.Query(), p.Values()
	if p.Searched() && query.Limit == params.DefaultLimit {
		query.Limit = foundPage
	}
	page := v.Catalog.Tools(query)
	if query.Limit == foundPage && page.Total > foundPage {
		call.Set("limit", strconv.Itoa(foundPage))
	}
	path := v.Path(address.Tools)
	body := toolsBody{
		Filters: newToolFilters(v, p), Total: page.Total, Chips: toolChips(v, p, address.Tools),
		Call:  v.Call(listPath("/api/v1/tools", call, page.Number)),
		Order: string(cmp.Or(p.Sort, defaultOrder(p))), Rows: toolRows(v, p, page.Items), Ends: newEndings(v, page.Items...), Found: newFound(v, p.Search, page),
		ByScore: toolColumn(v, p, catalog.ScoreDesc, catalog.ScoreAsc),
		ByName:  toolColumn(v, p, catalog.NameAsc, catalog.NameDesc),
		ByPrice: toolColumn(v, p, catalog.PriceAsc, catalog.PriceDesc),
		Pager:   newPager(path, p.Values(), page),
	}
	byScore := body.Order == string(catalog.ScoreDesc) || body.Order == string(catalog.ScoreAsc)
	body.Unrated = byScore && slices.ContainsFunc(body.Rows, func(t toolRow) bool { return t.Rank == 0 })
	if len(body.Chips) > 1 {
		body.Clear = path
	}
	if page.Total > 1 {
		body.Refine = refinements(v, p.Values())
	}
	if page.Number == 1 {
		body.Map = newPriceMap(v, p.Query(), besideOthers(v, p))
	}
	switch {
	case page.Total == 0:
		body.Empty = emptyTools(v, p)
		if p.Searched() {
			body.Near = v.Catalog.NearTools(p.Search, searchNear)
		}
	case len(page.Items) == 0:
		body.Empty = v.Text.Must("tools.beyond", v.Text.Integer(page.Number))
		body.Last = listPath(path, p.Values(), page.Pages())
	}
	d := &view.Document{
		Template: "tools", Section: address.Tools, Feeds: []address.Page{address.FeedNew},
		Title: v.Text.Must("tools.title"), API: []string{body.Call.Path}, Body: body,
		NoIndex: p != params.Tools{List: params.List{Paging: catalog.Paging{Page: 1, Limit: params.DefaultLimit}}},
	}
	switch {
	case p.Searched():
		d.Title = v.Text.Must("tools.title.of", p.Search)
	case p.Category != "":
		d.Title = v.Text.Must("tools.title.of", shortCategory(v, p.Category))
	}
	stats := v.Catalog.Stats()
	d.Description = v.Text.Must("tools.description", v.Text.Integer(stats.Tools), v.Text.Integer(stats.Tested))
	return d, nil
}

// relevance is the default order of search results. The API has no name for it.
const relevance catalog.ToolOrder = "relevance"

// defaultOrder returns the order of a list whose parameters name none.
func defaultOrder(p params.Tools) catalog.ToolOrder {
	if p.Searched() {
		return relevance
	}
	return catalog.ScoreDesc
}

// shortCategory returns the label of a category. If there is none, it returns the given text, cleaned and shortened,
// because that may be anything.
func shortCategory(v *view.View, slug string) string {
	return logging.Clean(v.Category(slug), layout.MaxQuoted)
}

// chipCategory is like shortCategory, but returns HTML.
func chipCategory(v *view.View, slug string) template.HTML {
	if v.HasCategory(slug) {
		return v.MarkedCategory(slug)
	}
	return view.Escaped(shortCategory(v, slug))
}

func toolRows(v *view.View, p params.Tools, tools []*catalog.Tool) []toolRow {
	rows := make([]toolRow, len(tools))
	for i, t := range tools {
		rows[i].Tool = t
		rank, _ := v.Catalog.Rank(t.Slug)
		rows[i].Rank = rank.Overall
		if len(p.Categories()) == 1 {
			rows[i].Rank = rank.InCategory
		}
		rows[i].First = i == 0 && rows[i].Rank == 1 && p.Sort == "" && !p.Searched()
	}
	return rows
}

func newToolFilters(v *view.View, p params.Tools) toolFilters {
	f := toolFilters{
		Action: v.Path(address.Tools), Facets: toolFacets(v, p), Search: p.Search,
		PriceMax:     menu{"price_max", amounts(v, p.PriceMax, "0", "10", "20", "50", "100")},
		ScoreMin:     menu{"score_min", bounds(v, p.ScoreMin, "9", "8", "7", "6", "5")},
		Obsolescence: menu{"obsolescence_max", freshness(v, p.ObsolescenceMax, "2", "4", "6", "8")},
		Order:        menu{Name: "sort"},
	}
	kept := params.Tools{List: p.List, Slugs: p.Slugs, UpdatedSince: p.UpdatedSince, Pricing: p.Pricing, ICP: p.ICP}.Values()
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		f.Kept = append(f.Kept, option{Value: kept.Get(name), Label: name})
	}
	orders := catalog.ToolOrders()
	if p.Searched() {
		orders = append([]catalog.ToolOrder{relevance}, orders...)
	}
	for i, order := range orders {
		o := option{string(order), v.Text.Must("tools.order." + string(order)), order == p.Sort}
		if i == 0 { // the default is no parameter
			o.Value, o.Selected = "", p.Sort == ""
		}
		f.Order.Options = append(f.Order.Options, o)
	}
	return f
}

// toolFacets returns the filters that are links; each keeps all other filters.
func toolFacets(v *view.View, p params.Tools) []facet {
	path := v.Path(address.Tools)
	link := func(name template.HTML, count int, key, value string) choice {
		return choose(name, count, path, p.Values(), key, value)
	}
	others := p.Values()
	for _, name := range []string{"category", "sort", "limit"} {
		others.Del(name)
	}
	category := facet{Name: v.Text.Must("tools.category"), Counted: len(others) == 0, Choices: []choice{
		link(view.Escaped(v.Text.Must("tools.all")), v.Catalog.Stats().Tools, "category", ""),
	}}
	for _, c := range v.Catalog.Categories() {
		one := link(v.MarkedCategory(c.Slug), c.Tools, "category", c.Slug)
		one.Current = slices.Contains(p.Categories(), c.Slug)
		category.Choices = append(category.Choices, one)
	}
	pricing := facet{Name: v.Text.Must("tools.pricing"), Choices: []choice{link(view.Escaped(v.Text.Must("tools.all")), 0, "pricing", "")}}
	for _, x := range catalog.Pricings() {
		pricing.Choices = append(pricing.Choices, link(view.Escaped(v.Text.Must("pricing."+string(x))), 0, "pricing", string(x)))
	}
	icp := facet{Name: v.Text.Must("tools.icp"), Choices: []choice{link(view.Escaped(v.Text.Must("tools.icp.all")), 0, "icp", "")}}
	for _, x := range catalog.ICPs() {
		icp.Choices = append(icp.Choices, link(view.Escaped(v.Text.Must("icp."+string(x))), 0, "icp", string(x)))
	}
	return []facet{category, pricing, icp}
}

// bounds returns the options of a bound: none, the usual ones, and the one that is set if it is another.
func bounds(v *view.View, set catalog.Bound, usual ...string) []option {
	return labelled(v, set, func(value string) string { return value }, usual)
}

// freshness returns the options of the greatest obsolescence as those of the least freshness: the values stay those of the
// API, and the labels count the other way round.
func freshness(v *view.View, set catalog.Bound, usual ...string) []option {
	return labelled(v, set, tenMinus, usual)
}

// tenMinus returns ten minus a bound, as the bound is written.
func tenMinus(bound string) string {
	x, err := strconv.ParseFloat(bound, 64)
	if err != nil {
		return bound // cannot happen: it was parsed before
	}
	return strconv.FormatFloat(math.Round(100*(10-x))/100, 'f', -1, 64)
}

func labelled(v *view.View, set catalog.Bound, label func(string) string, usual []string) []option {
	options := []option{{"", v.Text.Must("tools.any"), !set.Set}}
	if set.Set && !slices.Contains(usual, set.String()) {
		usual = append(usual, set.String())
	}
	for _, value := range usual {
		options = append(options, option{value, decimal(v, label(value)), value == set.String()})
	}
	return options
}

// amounts returns the options of a price: none, the usual ones, and the one that is set if it is another.
func amounts(v *view.View, set catalog.Amount, usual ...string) []option {
	options := []option{{"", v.Text.Must("tools.pricemax.any"), !set.Set}}
	if set.Set && !slices.Contains(usual, set.String()) {
		usual = append(usual, set.String())
	}
	for _, value := range usual {
		amount, _ := catalog.ParseAmount(value)
		options = append(options, option{value, v.Text.Euros(amount.Cents), value == set.String()})
	}
	return options
}

// toolChips returns the filters that are set, on the page that has them.
func toolChips(v *view.View, p params.Tools, on address.Page) []chip {
	path := v.Path(on)
	var chips []chip
	add := func(label template.HTML, without params.Tools) {
		chips = append(chips, chip{label, listPath(path, without.Values(), 1)})
	}
	if without := p; p.Searched() {
		without.Search = ""
		if p.Sort == catalog.ScoreDesc {
			without.Sort = ""
		}
		add(view.Escaped(v.Text.Quoted(p.Search)), without)
	}
	for _, category := range p.Categories() {
		without := p
		without.Category = strings.Join(slices.DeleteFunc(p.Categories(), func(c string) bool { return c == category }), ",")
		add(chipCategory(v, category), without)
	}
	if without := p; p.Slugs != "" {
		without.Slugs = ""
		said, _ := v.Text.Count("tools.chip.slugs", strings.Count(p.Slugs, ",")+1)
		add(view.Escaped(said), without)
	}
	if without := p; p.Pricing != "" {
		without.Pricing = ""
		add(view.Escaped(v.Text.Must("pricing."+string(p.Pricing))), without)
	}
	if without := p; p.ICP != "" {
		without.ICP = ""
		add(view.Escaped(v.Text.Must("icp."+string(p.ICP))), without)
	}
	if without := p; p.PriceMax.Set {
		without.PriceMax = catalog.Amount{}
		add(view.Escaped(v.Text.Must("tools.chip.price", v.Text.Euros(p.PriceMax.Cents))), without)
	}
	if without := p; p.UpdatedSince != "" {
		without.UpdatedSince = ""
		add(view.Escaped(v.Text.Must("tools.chip.since", v.Text.Date(p.UpdatedSince.Time()))), without)
	}
	if without := p; p.ScoreMin.Set {
		without.ScoreMin = catalog.Bound{}
		add(view.Escaped(v.Text.Must("tools.chip.score", decimal(v, p.ScoreMin.String()))), without)
	}
	if without := p; p.ObsolescenceMax.Set {
		without.ObsolescenceMax = catalog.Bound{}
		add(view.Escaped(v.Text.Must("tools.chip.obsolescence", decimal(v, tenMinus(p.ObsolescenceMax.String())))), without)
	}
	return chips
}

// toolColumn returns a column that sorts the list by an order, and by its reverse if it has that order already.
func toolColumn(v *view.View, p params.Tools, order, reverse catalog.ToolOrder) column {
	var c column
	current, next := cmp.Or(p.Sort, defaultOrder(p)), order
	if current == order {
		next = reverse
	}
	if current == order || current == reverse {
		c.Sort = "ascending"
		if strings.HasSuffix(string(current), "desc") {
			c.Sort = "descending"
		}
	}
	p.Sort = next
	if next == defaultOrder(p) {
		p.Sort = ""
	}
	c.Path = listPath(v.Path(address.Tools), p.Values(), 1)
	return c
}

// emptyTools returns why the list has no tools.
func emptyTools(v *view.View, p params.Tools) string {
	known := func(c catalog.CategoryStats) bool { return slices.Contains(p.Categories(), c.Slug) }
	at := slices.IndexFunc(v.Catalog.Categories(), known)
	switch {
	case v.Catalog.Stats().Tools == 0:
		return v.Text.Must("tools.empty.catalog")
	case p.Searched():
		return v.Text.Must("tools.empty.search")
	case p.Category != "" && at < 0:
		return v.Text.Must("tools.empty.unknown")
	case p.Category != "" && v.Catalog.Categories()[at].Tools == 0:
		return v.Text.Must("tools.empty.category")
	}
	return v.Text.Must("tools.empty")
}
