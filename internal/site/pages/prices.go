package pages

import (
	"html/template"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var pricesTexts = layout.Texts{
	"prices.title":         {"Les prix", "Prices"},
	"prices.title.of":      {"Les prix\u00a0: %s", "Prices: %s"},
	"prices.title.of-html": {"Les prix\u00a0: %s", "Prices: %s"},
	"prices.description": {
		"Hausses, baisses et outils devenus gratuits, du plus récent au plus ancien, et le prix médian de chaque catégorie.",
		"Rises, falls and tools that became free, newest first, and the median price of each category.",
	},
	"prices.lede": {
		"Ce que coûtent les outils d’IA, et ce qu’ils coûtaient avant. Les éditeurs annoncent volontiers les baisses\u202f; nous relevons aussi les hausses.",
		"What AI tools cost, and what they used to cost. Vendors announce cuts; we record the rises too.",
	},
	"prices.index": {"Le prix médian", "The median price"},
	"prices.now": {
		"La moitié des outils payants ou freemium coûtent %s par mois ou moins.",
		"Half of the paid and freemium tools cost %s a month or less.",
	},
	"prices.ago":  {"C’était %s il y a un an (%s).", "A year ago it was %s (%s)."},
	"prices.same": {"Autant qu’il y a un an.", "The same as a year ago."},
	"prices.made": {
		"Calculé sur %s outil encore au catalogue.|Calculé sur %s outils encore au catalogue.",
		"Based on %s tool still in the catalogue.|Based on %s tools still in the catalogue.",
	},
	"prices.how": {
		"Outils payants et freemium, prix en fin de mois, ceux à l’année divisés par douze. Avant le premier changement connu, un outil compte à son prix d’origine.",
		"Paid and freemium tools, prices at the end of each month, yearly ones divided by twelve. Until its first known change, a tool counts at its original price.",
	},
	"prices.others": {
		"%s autre, facturé ni au mois ni à l’année, n’y est pas.|%s autres, facturés ni au mois ni à l’année, n’y sont pas.",
		"%s more, billed neither by the month nor by the year, is left out.|%s more, billed neither by the month nor by the year, are left out.",
	},
	"prices.few": {
		"Il faut cinq outils facturés au mois ou à l’année pour qu’une médiane ait un sens. Il y en a\u00a0%s.|Il faut cinq outils facturés au mois ou à l’année pour qu’une médiane ait un sens. Il y en a\u00a0%s.",
		"A median needs at least five tools billed by the month or the year. There is\u00a0%s.|A median needs at least five tools billed by the month or the year. There are\u00a0%s.",
	},
	"prices.short": {
		"Il faut trois mois de relevés pour tracer une courbe.",
		"A curve needs three months of records.",
	},
	"prices.curve": {
		"Prix mensuel médian entre %s et %s\u00a0: de %s à %s.",
		"Median monthly price, from %s to %s: from %s to %s.",
	},
	"prices.bars": {
		"Prix en hausse et en baisse chaque mois, entre %s et %s.",
		"Prices that rose and fell each month, from %s to %s.",
	},
	"prices.bars.sum":    {" En tout\u00a0: %s en hausse, %s en baisse.", " In all, %s rose and %s fell."},
	"prices.changes":     {"Hausses et baisses par mois", "Rises and falls per month"},
	"prices.up":          {"hausses", "rises"},
	"prices.down":        {"baisses", "falls"},
	"prices.table":       {"Mois par mois, en tableau", "Month by month, as a table"},
	"prices.month":       {"Mois", "Month"},
	"prices.median":      {"Médiane", "Median"},
	"prices.tools":       {"Outils", "Tools"},
	"prices.others.head": {"Autres unités", "Other billing units"},

	"prices.by":       {"Par catégorie", "By category"},
	"prices.all":      {"Tout le catalogue", "The whole catalogue"},
	"prices.category": {"Catégorie", "Category"},
	"prices.year":     {"Mouvements sur un an", "Changes over a year"},
	"prices.none":     {"–", "–"},
	"prices.only":     {"%s outil|%s outils", "%s tool|%s tools"},
	"prices.five":     {"En dessous de cinq outils, pas de médiane\u00a0: seul leur nombre est donné.", "Below five tools there is no median: only their number is shown."},

	"prices.moves":      {"Les mouvements", "Changes"},
	"prices.count":      {"%s changement|%s changements", "%s change|%s changes"},
	"prices.date":       {"Date", "Date"},
	"prices.tool":       {"Outil", "Tool"},
	"prices.before":     {"Avant", "Before"},
	"prices.after":      {"Après", "After"},
	"prices.difference": {"Écart", "Difference"},
	"prices.feed":       {"Suivre par flux Atom", "Follow by Atom feed"},
	"prices.still": {
		"Aucun prix n’a encore changé. Le premier changement s’affichera ici.",
		"No price has changed so far. The first change will appear here.",
	},
	"prices.still.category": {
		"Aucun prix n’a changé dans cette catégorie. C’est assez rare pour être signalé.",
		"No price has changed in this category. Rare enough to mention.",
	},
	"prices.beyond": {"La liste s’arrête avant cette page.", "The list ends before this page."},
}

// A pricesBody is the data of the page of prices.
type pricesBody struct {
	Call     layout.Call
	Category template.HTML // the name of the chosen category; "" for the whole catalog
	Feed     string        // the path of the feed
	Index    pricesIndex
	Rows     []pricesRow
	Total    int
	Many     pricesMany
	Months   []monthMoves
	Empty    string // why there are no Months
	Pager    layout.Pager
}

// A pricesIndex is the price index of a category.
type pricesIndex struct {
	Sentences   []string
	Missing     string           // why there is no chart; "" if there is one
	Curve, Bars [2]template.HTML // each for a wide and a narrow layout
	Months      []pricesMonth    // newest first
}

type pricesMonth struct {
	Name          string
	Median        string
	Tools, Others int
	Up, Down      int
}

// Prices returns the page of prices.
func Prices(v *view.View, p params.Prices) (*view.Document, error) {
	page := v.Figures.Prices.MovesByMonth(p.Category, p.Paging)
	path := listPath("/api/v1/pricing", p.Values(), 1)
	body := pricesBody{
		Call: v.Call(path), Index: newPricesIndex(v, v.Figures.Prices.Category(p.Category)), Rows: pricesRows(v, p.Category),
		Feed: v.Path(address.FeedPrices), Total: page.Total, Pager: newPager(v.Path(address.Prices), p.Values(), page),
	}
	d := &view.Document{
		Template: "prices", Image: v.Path(address.PricesCard), Section: address.Prices, Feeds: []address.Page{address.FeedPrices},
		Title: v.Text.Must("prices.title"), Description: v.Text.Must("prices.description"), API: []string{path},
	}
	if p.Category != "" {
		body.Category = v.MarkedCategory(p.Category)
		if v.HasCategory(p.Category) {
			body.Feed = v.Path(address.FeedCategory, p.Category)
		}
		d.Title = v.Text.Must("prices.title.of", v.Category(p.Category))
	}
	if p.Category == "" && page.Number == 1 {
		body.Many = newPricesMany(v, body.Rows)
	}
	body.Months = byMonth(v, p.Category, page.Items)
	switch {
	case len(page.Items) > 0:
	case page.Total > 0:
		body.Empty = v.Text.Must("prices.beyond")
	case p.Category != "":
		body.Empty = v.Text.Must("prices.still.category")
	default:
		body.Empty = v.Text.Must("prices.still")
	}
	d.NoIndex = p != params.Prices{List: params.List{Paging: catalog.Paging{Page: 1, Limit: params.DefaultLimit}}}
	d.Body = body
	return d, nil
}

// pricesRows returns a row for the whole catalog and one for each category that has tools.
func pricesRows(v *view.View, current string) []pricesRow {
	list := v.Path(address.Prices)
	rows := []pricesRow{{Name: view.Escaped(v.Text.Must("prices.all")), Path: list}}
	slugs := []string{""}
	for _, c := range v.Catalog.Categories() {
		if c.Tools == 0 {
			continue
		}
		rows = append(rows, pricesRow{Slug: c.Slug, Name: v.Text.Translated(c.Label, c.English), Path: list + "?category=" + c.Slug})
		slugs = append(slugs, c.Slug)
	}
	for i, slug := range slugs {
		row := &rows[i]
		row.Current = slug == current
		months := v.Figures.Prices.Category(slug).Months
		last := months[len(months)-1]
		if row.Tools = last.Tools; last.Tools >= figures.MinIndexTools {
			row.Median = v.Text.Euros(last.Median)
		}
		for _, m := range months[max(0, len(months)-12):] {
			row.Up, row.Down = row.Up+m.Up, row.Down+m.Down
		}
	}
	return rows
}

// newPricesIndex returns the price index of a category, drawn if there is enough data.
func newPricesIndex(v *view.View, c *figures.CategoryPrices) pricesIndex {
	if len(c.Months) == 0 {
		return pricesIndex{Missing: v.Text.Many("prices.few", 0)}
	}
	last := c.Months[len(c.Months)-1]
	if last.Tools < figures.MinIndexTools {
		return pricesIndex{Missing: v.Text.Many("prices.few", last.Tools)}
	}
	x := pricesIndex{Sentences: pricesSentences(v, c.Months)}
	months, enough := c.Drawn()
	if !enough {
		x.Missing = v.Text.Must("prices.short")
		return x
	}
	for i, width := range []int{chart.Wide, chart.Narrow} {
		x.Curve[i], x.Bars[i] = pricesCurve(v, width, months), pricesBars(v, width, c.Months)
	}
	for _, m := range slices.Backward(c.Months) {
		row := pricesMonth{v.Text.Month(m.First), v.Text.Must("prices.none"), m.Tools, m.Others, m.Up, m.Down}
		if m.Tools >= figures.MinIndexTools {
			row.Median = v.Text.Euros(m.Median)
		}
		x.Months = append(x.Months, row)
	}
	return x
}

// pricesSentences returns sentences that sum up the months: the median price, how it changed within a year, and how
// many tools it is made of.
func pricesSentences(v *view.View, months []figures.PriceMonth) []string {
	last := months[len(months)-1]
	sentences := []string{v.Text.Must("prices.now", v.Text.Euros(last.Median))}
	if at := len(months) - 13; at >= 0 && months[at].Tools >= figures.MinIndexTools {
		ago, now := catalog.Price{Cents: months[at].Median, Period: "mois"}, catalog.Price{Cents: last.Median, Period: "mois"}
		if percent := figures.PercentMoved(ago, now); percent == 0 {
			sentences = append(sentences, v.Text.Must("prices.same"))
		} else {
			sentences = append(sentences, v.Text.Must("prices.ago", v.Text.Euros(ago.Cents), v.Text.Percent(percent)))
		}
	}
	sentences = append(sentences, v.Text.Many("prices.made", last.Tools))
	if last.Others > 0 {
		sentences = append(sentences, v.Text.Many("prices.others", last.Others))
	}
	return sentences
}

func pricesCurve(v *view.View, width int, months []figures.PriceMonth) template.HTML {
	from, until := months[0], months[len(months)-1]
	f := chartFrame(v, width, 250, v.Text.Must("prices.curve",
		v.Text.Month(from.First), v.Text.Month(until.First), v.Text.Euros(from.Median), v.Text.Euros(until.Median)))
	f.Value = func(cents int) string { return v.Text.Euros(int64(cents)) }
	f.Tip = func(month time.Time, cents int) string {
		return v.Text.Month(month) + ", " + v.Text.Euros(int64(cents))
	}
	points := make([]chart.Point, len(months))
	for i, m := range months {
		points[i] = chart.Point{Day: m.First, Value: int(m.Median)}
	}
	return chart.Line(f, points)
}

func pricesBars(v *view.View, width int, months []figures.PriceMonth) template.HTML {
	title := v.Text.Must("prices.bars", v.Text.Month(months[0].First), v.Text.Month(months[len(months)-1].First))
	moved := make([]chart.Movement, len(months))
	up, down := 0, 0
	for i, m := range months {
		moved[i] = chart.Movement{Month: m.First, Up: m.Up, Down: m.Down}
		up, down = up+m.Up, down+m.Down
	}
	title += v.Text.Must("prices.bars.sum", v.Text.Integer(up), v.Text.Integer(down))
	words := chart.MovementWords{Up: v.Text.Must("prices.up"), Down: v.Text.Must("prices.down")}
	return chart.Movements(chartFrame(v, width, 190, title), words, moved)
}
