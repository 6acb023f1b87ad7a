package pages

import (
	"html/template"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var priceMapTexts = layout.Texts{
	"map.title": {"Payer plus, pour mieux\u202f?", "Does paying more buy better?"},
	"map.description": {
		"La note et le prix par mois de %s outils d’IA, sur une carte\u00a0: ce que l’on gagne à payer plus.",
		"The score and the monthly price of %s AI tools on one map: what you gain by paying more.",
	},
	"map.whole":  {"La carte entière", "The whole map"},
	"map.filter": {"Filtrer la carte", "Filter the map"},
	"map.list":   {"Ces outils en liste", "These tools as a list"},
	"map.none": {
		"Aucun de ces outils n’a à la fois une note et un prix au mois ou à l’année.",
		"None of these tools has both a score and a price by month or year.",
	},

	"map.price": {"prix par mois", "price a month"},
	"map.score": {"note sur dix", "score out of ten"},
	"map.free":  {"gratuit", "free"},

	"map.count": {
		"%s outils de %s catégories, selon leur note et leur prix par mois. En jaune, le premier de chaque catégorie.",
		"%s tools of %s categories, by score and monthly price. In yellow, the first of each category.",
	},
	"map.count.one": {
		"%s outil, selon sa note et son prix par mois.|%s outils, selon leur note et leur prix par mois.",
		"%s tool, by score and monthly price.|%s tools, by score and monthly price.",
	},
	"map.unbeaten": {
		"Sur %[2]s outils, un seul est imbattable\u00a0: aucun autre ne fait aussi bien pour moins cher, ni mieux pour le même prix.|" +
			"Sur %[2]s outils, %[1]s sont imbattables\u00a0: aucun autre ne fait aussi bien pour moins cher, ni mieux pour le même prix.",
		"Of %[2]s tools, one is unbeaten: no other does as well for less, or better for the same price.|" +
			"Of %[2]s tools, %[1]s are unbeaten: no other does as well for less, or better for the same price.",
	},
	"map.from.free": {
		"Sans payer, la meilleure note est %s\u202f; pour %s par mois, %s.",
		"The best score for nothing is %s; for %s a month, %s.",
	},
	"map.from": {
		"Pour %s par mois, la meilleure note est %s\u202f; pour %s, %s.",
		"The best score for %s a month is %s; for %s, %s.",
	},
	"map.beyond": {
		"Au-delà de %s par mois, payer plus n’achète pas une meilleure note.",
		"Beyond %s a month, paying more buys no better score.",
	},
	"map.beyond.free": {"Payer n’achète pas une meilleure note.", "Paying buys no better score."},

	"map.key.unbeaten": {"imbattable à son prix", "unbeaten at its price"},
	"map.key.first":    {"premier de sa catégorie", "first of its category"},
	"map.key.among":    {"premier de sa catégorie, parmi ces outils", "first of its category, among these tools"},
	"map.key.full":     {"payant", "paid"},
	"map.key.hollow":   {"gratuit, ou freemium au prix de l’offre payante", "free, or freemium at the price of its paid plan"},
	"map.key.crossed":  {"fin annoncée", "end announced"},
	"map.key.here":     {"l’outil de cette page", "the tool of this page"},
	"map.key.edge":     {"hors échelle, prix écrit à côté", "off the scale, price beside it"},

	"map.ending": {
		"L’outil dont la fin est annoncée n’entre pas dans ce compte.|Les %s outils dont la fin est annoncée n’entrent pas dans ce compte.",
		"The tool whose end is announced is not counted.|The %s tools whose end is announced are not counted.",
	},
	"map.left": {
		"La carte en montre %[2]s\u00a0: ceux en jaune, puis les mieux notés. Un autre n’y est pas.|" +
			"La carte en montre %[2]s\u00a0: ceux en jaune, puis les mieux notés. %[1]s autres n’y sont pas.",
		"The map shows %[2]s: those in yellow, then the highest scores. One more is not on it.|" +
			"The map shows %[2]s: those in yellow, then the highest scores. %[1]s more are not on it.",
	},
	"map.others": {
		"Hors de la carte, car facturé ni au mois ni à l’année\u00a0:|Hors de la carte, car facturés ni au mois ni à l’année\u00a0:",
		"Not on the map, because it is billed neither by month nor by year:|Not on the map, because they are billed neither by month nor by year:",
	},
	"map.others.more": {"et %s autre|et %s autres", "and %s more|and %s more"},
	"map.unscored":    {"%s outil n’a pas encore de note.|%s outils n’ont pas encore de note.", "%s tool has no score yet.|%s tools have no score yet."},

	"map.table":      {"Les mêmes chiffres, en tableau", "The same figures as a table"},
	"map.tool":       {"Outil", "Tool"},
	"map.col.score":  {"Note", "Score"},
	"map.col.price":  {"Par mois", "A month"},
	"map.yearly":     {"à l’année", "billed yearly"},
	"map.plan":       {"offre payante", "paid plan"},
	"map.ends":       {"fin annoncée", "end announced"},
	"map.row.first":  {"premier de sa catégorie", "first of its category"},
	"map.row.better": {"imbattable à son prix", "unbeaten at its price"},
}

// The most tools that a map draws on its own page, and beside other things. The least that are worth one there.
const (
	mapTools      = 300
	mapToolsAside = 90
	mapLeast      = 4
	mapLeastSaid  = 8 // below it, the best of a few says little
	mapOthers     = 5
)

// The heights of the drawings, which few tools do not fill.
const (
	mapHeight      = 430
	mapHeightOfFew = 300
	mapFew         = 12
)

// The bytes of names and links in the drawings of a map, together at most 40,000 with all else.
const (
	mapLinksWide   = 26_500
	mapLinksNarrow = 3_500
)

// A priceMap is the map of tools by price and score, with what it does not show.
type priceMap struct {
	Sentence     string
	Wide, Narrow template.HTML
	Keys         []mapKey
	Notes        []string
	OthersSaid   string // what the Others are
	Others       []*catalog.Tool
	OthersMore   string // how many there are besides; "" for none
	Rows         []mapRow
	Whole        string // the path of the map's own page, with the same tools; "" there
}

// A mapKey says what a mark means.
type mapKey struct {
	Mark template.HTML
	Said string
}

// A mapRow is a tool of the map in its table.
type mapRow struct {
	*catalog.Tool

	Cents int64
	Note  string // "offre payante, à l’année"; "" for none
}

// A mapScope says where a map stands.
type mapScope struct {
	most   int    // tools to draw
	here   string // the slug of the tool that the page is about; "" for none
	whole  string // the path of the map's own page with the same tools
	chosen bool   // the tools are not all that there are of their categories
}

// everyTool are parameters that select all tools.
var everyTool params.Tools

// besideOthers is the scope of a map of the tools that these parameters select, beside a list of them.
func besideOthers(v *view.View, p params.Tools) mapScope {
	p.Limit, p.Sort = params.DefaultLimit, ""
	values := p.Values()
	scope := mapScope{most: mapToolsAside, whole: listPath(v.Path(address.Map), values, 1)}
	values.Del("category")
	scope.chosen = len(values) > 0
	return scope
}

// newPriceMap returns the map of the tools that a query selects; nil if too few of them have a place.
func newPriceMap(v *view.View, q catalog.ToolQuery, scope mapScope) *priceMap {
	m := v.Catalog.PriceMap(q, scope.most)
	if m.Placed == 0 || scope.whole != "" && m.Placed < mapLeast {
		return nil
	}
	p := &priceMap{Sentence: mapSentence(v, m), Whole: scope.whole}
	drawn := chart.Map{
		Edge: int(m.Edge), Line: m.Categories == 1, Links: mapLinksWide,
		Words: chart.MapWords{Price: v.Text.Must("map.price"), Score: v.Text.Must("map.score"), Free: v.Text.Must("map.free")},
	}
	for _, t := range m.Tools {
		spot := chart.Spot{
			Cents: int(t.Cents), Score: int(t.Score.Hundredths), Name: t.Name, Path: v.Path(address.Tool, t.Slug),
			Best: t.Best, Here: t.Slug == scope.here,
		}
		switch {
		case t.Ending.Announced():
			spot.Shape = chart.Crossed
		case t.Pricing != catalog.Paid:
			spot.Shape = chart.Hollow
		}
		drawn.Spots = append(drawn.Spots, spot)
		p.Rows = append(p.Rows, mapRow{t.Tool, t.Cents, mapNote(v, m, t)})
	}
	frame := chart.Frame{Width: chart.Wide, Height: mapHeight, Value: func(cents int) string { return v.Text.Euros(int64(cents)) }}
	score := func(hundredths int) string { return v.Text.Measure(catalog.Hundredths(hundredths)) }
	if len(m.Tools) < mapFew {
		frame.Height = mapHeightOfFew
	}
	p.Wide = drawn.Draw(frame, score)
	frame.Width, drawn.Links = chart.Narrow, mapLinksNarrow
	p.Narrow = drawn.Draw(frame, score)
	p.Keys = mapKeys(v, m, drawn.Spots, scope)
	p.leave(v, m)
	return p
}

// mapSentence says what the map shows. Only within a category it says which tools no other beats: tools of two
// categories replace nothing.
func mapSentence(v *view.View, m catalog.PriceMap) string {
	living := m.Placed - m.Ending
	switch {
	case m.Categories > 1:
		return v.Text.Must("map.count", v.Text.Integer(m.Placed), v.Text.Integer(m.Categories))
	case living < mapLeastSaid:
		return v.Text.Many("map.count.one", m.Placed)
	}
	var line []catalog.PlacedTool
	for _, t := range m.Tools {
		if t.Best {
			line = append(line, t)
		}
	}
	first, last := line[len(line)-1], line[0] // they are in order of falling score
	said := counted(v, "map.unbeaten", len(line), living)
	euros, score := v.Text.Euros, v.Text.Measure
	switch {
	case score(first.Score) == score(last.Score): // the difference does not show
	case first.Cents == 0:
		said += " " + v.Text.Must("map.from.free", score(first.Score), euros(last.Cents), score(last.Score))
	default:
		said += " " + v.Text.Must("map.from", euros(first.Cents), score(first.Score), euros(last.Cents), score(last.Score))
	}
	switch {
	case m.Dearest <= last.Cents, score(first.Score) == score(last.Score) && len(line) > 1:
	case last.Cents == 0:
		said += " " + v.Text.Must("map.beyond.free")
	default:
		said += " " + v.Text.Must("map.beyond", euros(last.Cents))
	}
	return said
}

// counted is a text about n things of all.
func counted(v *view.View, name string, n, all int) string {
	said, err := v.Text.Count(name, n, v.Text.Integer(all))
	if err != nil {
		panic(err)
	}
	return said
}

// mapNote says what the monthly price of a tool is, and why it is highlighted.
func mapNote(v *view.View, m catalog.PriceMap, t catalog.PlacedTool) string {
	var notes []string
	add := func(is bool, name string) {
		if is {
			notes = append(notes, v.Text.Must(name))
		}
	}
	price, _ := catalog.ParsePrice(t.Price) // checked when the file was read
	add(t.Cents > 0 && t.Pricing == catalog.Freemium, "map.plan")
	add(t.Cents > 0 && price.Period == "an", "map.yearly")
	add(t.Ending.Announced(), "map.ends")
	add(t.Best && m.Categories == 1, "map.row.better")
	add(t.Best && m.Categories > 1, "map.row.first")
	return strings.Join(notes, ", ")
}

// mapKeys explains the marks that are drawn.
func mapKeys(v *view.View, m catalog.PriceMap, spots []chart.Spot, scope mapScope) []mapKey {
	var keys []mapKey
	add := func(name string, key chart.Spot, is func(chart.Spot) bool) {
		if slices.ContainsFunc(spots, is) {
			keys = append(keys, mapKey{key.Key(), v.Text.Must(name)})
		}
	}
	best := "map.key.unbeaten"
	switch {
	case m.Categories > 1 && scope.chosen:
		best = "map.key.among"
	case m.Categories > 1:
		best = "map.key.first"
	}
	plain := func(s chart.Spot) bool { return !s.Best && !s.Here }
	add("map.key.here", chart.Spot{Here: true}, func(s chart.Spot) bool { return s.Here })
	add(best, chart.Spot{Best: true}, func(s chart.Spot) bool { return s.Best })
	add("map.key.full", chart.Spot{}, func(s chart.Spot) bool { return plain(s) && s.Shape == chart.Full })
	add("map.key.hollow", chart.Spot{Shape: chart.Hollow}, func(s chart.Spot) bool { return plain(s) && s.Shape == chart.Hollow })
	add("map.key.crossed", chart.Spot{Shape: chart.Crossed}, func(s chart.Spot) bool { return s.Shape == chart.Crossed })
	if slices.ContainsFunc(spots, func(s chart.Spot) bool { return s.Cents > int(m.Edge) }) {
		keys = append(keys, mapKey{chart.BeyondKey(), v.Text.Must("map.key.edge")})
	}
	return keys
}

// leave says which tools the map does not show, and why.
func (p *priceMap) leave(v *view.View, m catalog.PriceMap) {
	if m.Categories == 1 && m.Ending > 0 && m.Placed-m.Ending >= mapLeastSaid {
		p.Notes = append(p.Notes, v.Text.Many("map.ending", m.Ending))
	}
	if left := m.Placed - len(m.Tools); left > 0 {
		p.Notes = append(p.Notes, counted(v, "map.left", left, len(m.Tools)))
	}
	if m.Unscored > 0 {
		p.Notes = append(p.Notes, v.Text.Many("map.unscored", m.Unscored))
	}
	if len(m.Others) == 0 {
		return
	}
	p.OthersSaid, p.Others = v.Text.Many("map.others", len(m.Others)), m.Others[:min(len(m.Others), mapOthers)]
	if more := len(m.Others) - len(p.Others); more > 0 {
		p.OthersMore = v.Text.Many("map.others.more", more)
	}
}
