package site

import (
	"html/template"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/params"
)

var pricesTexts = texts{
	"prices.title":         {"Les prix", "Prices"},
	"prices.title.of":      {"Les prix\u00a0: %s", "Prices: %s"},
	"prices.title.of-html": {"Les prix\u00a0: %s", "Prices: %s"},
	"prices.description": {
		"Hausses, baisses et outils devenus gratuits, du plus récent au plus ancien, et le prix médian de chaque catégorie.",
		"Rises, falls and tools that became free, newest first, and the median price of each category.",
	},
	"prices.lede": {
		"Ce qu’on demande pour un outil d’IA, et ce qu’on en demandait avant. Les éditeurs annoncent volontiers les baisses\u00a0; nous notons aussi le reste.",
		"What AI tools ask for, and what they used to ask. Makers like to announce the falls; we write down the rest as well.",
	},
	"prices.index": {"Le prix médian", "The median price"},
	"prices.now": {
		"La moitié des outils qui se paient coûtent %s par mois ou moins.",
		"Half of the tools that ask for money cost %s a month or less.",
	},
	"prices.ago":  {"C’était %s il y a un an (%s).", "A year ago it was %s (%s)."},
	"prices.same": {"Autant qu’il y a un an.", "The same as a year ago."},
	"prices.made": {
		"Calculé sur %s outil encore au catalogue.|Calculé sur %s outils encore au catalogue.",
		"Made of %s tool still in the catalog.|Made of %s tools still in the catalog.",
	},
	"prices.how": {
		"Outils payants et freemium, prix en fin de mois, ceux à l’année divisés par douze. Avant son premier changement connu, un outil compte au prix qu’il avait alors.",
		"Paid and freemium tools, prices at the end of each month, yearly ones divided by twelve. Until its first known change a tool counts at the price it had then.",
	},
	"prices.others": {
		"%s autre, vendu ni au mois ni à l’année, n’y est pas.|%s autres, vendus ni au mois ni à l’année, n’y sont pas.",
		"%s more, sold neither by the month nor by the year, is left out.|%s more, sold neither by the month nor by the year, are left out.",
	},
	"prices.few": {
		"Il faut cinq outils qui se paient au mois ou à l’année pour qu’une médiane dise quelque chose. Il y en a\u00a0%s.|Il faut cinq outils qui se paient au mois ou à l’année pour qu’une médiane dise quelque chose. Il y en a\u00a0%s.",
		"It takes five tools paid by the month or the year for a median to mean something. There is\u00a0%s.|It takes five tools paid by the month or the year for a median to mean something. There are\u00a0%s.",
	},
	"prices.short": {
		"Le relevé est trop court pour une courbe\u00a0: il en faut trois mois.",
		"The record is too short for a curve: it takes three months.",
	},
	"prices.curve": {
		"Prix mensuel médian entre %s et %s\u00a0: de %s à %s.",
		"Median monthly price, from %s to %s: from %s to %s.",
	},
	"prices.bars": {
		"Prix en hausse et en baisse chaque mois, entre %s et %s.",
		"Prices that rose and fell each month, from %s to %s.",
	},
	"prices.changes":     {"Hausses et baisses par mois", "Rises and falls per month"},
	"prices.up":          {"hausses", "rises"},
	"prices.down":        {"baisses", "falls"},
	"prices.table":       {"Mois par mois, en tableau", "Month by month, as a table"},
	"prices.month":       {"Mois", "Month"},
	"prices.median":      {"Médiane", "Median"},
	"prices.tools":       {"Outils", "Tools"},
	"prices.others.head": {"Autres périodes", "Other periods"},

	"prices.by":       {"Par catégorie", "By category"},
	"prices.all":      {"Tout le catalogue", "The whole catalog"},
	"prices.category": {"Catégorie", "Category"},
	"prices.year":     {"En un an", "In a year"},
	"prices.none":     {"–", "–"},
	"prices.only":     {"%s outil|%s outils", "%s tool|%s tools"},
	"prices.five":     {"Sous cinq outils, pas de médiane\u00a0: on les compte, sans plus.", "Below five tools there is no median: they are counted, no more."},

	"prices.moves":      {"Les mouvements", "Movements"},
	"prices.count":      {"%s changement|%s changements", "%s change|%s changes"},
	"prices.date":       {"Date", "Date"},
	"prices.tool":       {"Outil", "Tool"},
	"prices.before":     {"Avant", "Before"},
	"prices.after":      {"Après", "After"},
	"prices.difference": {"Écart", "Difference"},
	"prices.feed":       {"Suivre par flux Atom", "Follow by Atom feed"},
	"prices.still": {
		"Aucun prix n’a bougé jusqu’ici. Le premier changement s’inscrira ici.",
		"No price has moved so far. The first change will be noted here.",
	},
	"prices.still.category": {
		"Aucun prix n’a bougé dans cette catégorie. C’est assez rare pour être dit.",
		"No price has moved in this category. That is rare enough to be said.",
	},
	"prices.beyond": {"La liste s’arrête avant cette page.", "The list ends before this page."},
}

func parsePrices(rawQuery string) (any, error) { return params.ParsePrices(rawQuery) }

// A pricesBody is what the page of prices shows.
type pricesBody struct {
	Call     call
	Category string // its name; "" for the whole catalog
	Feed     string // the path of what to follow
	Index    pricesIndex
	Rows     []pricesRow
	Total    int
	Moves    []pricesMove
	Empty    string // why there are none
	Pager    pager
}

// A pricesIndex is what tools of the category cost.
type pricesIndex struct {
	Sentences   []string
	Missing     string           // why it is not drawn
	Curve, Bars [2]template.HTML // wide and narrow
	Months      []pricesMonth    // newest first
}

type pricesMonth struct {
	Name          string
	Median        string
	Tools, Others int
	Up, Down      int
}

// A pricesRow is a category in the index.
type pricesRow struct {
	Name     string
	Ours     bool // the name is ours, not the catalog's
	Path     string
	Current  bool
	Median   string // "" where there are too few tools
	Tools    int
	Up, Down int // in a year
}

// A pricesMove is one movement.
type pricesMove struct {
	Date          catalog.Date
	Slug, Name    string
	Category      string
	Before, After string
	Direction     int
	Percent       int
	Remark        string
}

func viewPrices(r *request) (*document, error) {
	p := r.params.(params.Prices)
	page := r.prices.moves(p.Category, p.Paging)
	path := listPath("/api/v1/pricing", p.Values(), 1)
	body := pricesBody{
		Call: r.call(path), Index: r.pricesIndex(r.prices.category(p.Category)), Rows: r.pricesRows(p.Category),
		Feed: r.path("feed-prices", ""), Total: page.Total, Pager: newPager(r.path("prices", ""), p.Values(), page),
	}
	d := &document{
		Title: r.Must("prices.title"), Description: r.Must("prices.description"), API: []string{path},
	}
	if p.Category != "" {
		body.Category = r.category(p.Category)
		if r.hasCategory(p.Category) {
			body.Feed = r.path("feed-category", p.Category)
		}
		d.Title = r.Must("prices.title.of", body.Category)
	}
	for _, m := range page.Items {
		body.Moves = append(body.Moves, r.pricesMove(m))
	}
	switch {
	case len(page.Items) > 0:
	case page.Total > 0:
		body.Empty = r.Must("prices.beyond")
	case p.Category != "":
		body.Empty = r.Must("prices.still.category")
	default:
		body.Empty = r.Must("prices.still")
	}
	d.NoIndex = p != params.Prices{List: params.List{Paging: catalog.Paging{Page: 1, Limit: params.DefaultLimit}}}
	d.Body = body
	return d, nil
}

func (r *request) pricesMove(m movement) pricesMove {
	c := m.change()
	change := repricingOf(c)
	return pricesMove{
		Date: c.ChangedAt, Slug: m.tool.Slug, Name: m.tool.Name, Category: r.category(m.tool.Category),
		Before: r.offer(change.Before), After: r.offer(change.After),
		Direction: change.Direction, Percent: change.Percent, Remark: r.remark(change),
	}
}

// pricesRows lists the whole catalog and its categories.
func (r *request) pricesRows(current string) []pricesRow {
	list := r.path("prices", "")
	rows := []pricesRow{{Name: r.Must("prices.all"), Ours: true, Path: list}}
	slugs := []string{""}
	for _, c := range r.Categories() {
		if c.Tools == 0 {
			continue
		}
		rows = append(rows, pricesRow{Name: c.Label, Path: list + "?category=" + c.Slug})
		slugs = append(slugs, c.Slug)
	}
	for i, slug := range slugs {
		row := &rows[i]
		row.Current = slug == current
		months := r.prices.category(slug).months
		last := months[len(months)-1]
		if row.Tools = last.tools; last.tools >= minIndexTools {
			row.Median = r.Euros(last.median)
		}
		for _, m := range months[max(0, len(months)-12):] {
			row.Up, row.Down = row.Up+m.up, row.Down+m.down
		}
	}
	return rows
}

// pricesIndex says what the tools of a category cost, and draws it where there is enough.
func (r *request) pricesIndex(c *categoryPrices) pricesIndex {
	if len(c.months) == 0 {
		return pricesIndex{Missing: r.Many("prices.few", 0)}
	}
	last := c.months[len(c.months)-1]
	if last.tools < minIndexTools {
		return pricesIndex{Missing: r.Many("prices.few", last.tools)}
	}
	x := pricesIndex{Sentences: r.pricesSentences(c.months)}
	months, enough := c.drawn()
	if !enough {
		x.Missing = r.Must("prices.short")
		return x
	}
	for i, width := range []int{chart.Wide, chart.Narrow} {
		x.Curve[i], x.Bars[i] = r.pricesCurve(width, months), r.pricesBars(width, c.months)
	}
	for _, m := range slices.Backward(c.months) {
		row := pricesMonth{r.Month(m.first), r.Must("prices.none"), m.tools, m.others, m.up, m.down}
		if m.tools >= minIndexTools {
			row.Median = r.Euros(m.median)
		}
		x.Months = append(x.Months, row)
	}
	return x
}

// pricesSentences say what the months come to.
func (r *request) pricesSentences(months []priceMonth) []string {
	last := months[len(months)-1]
	sentences := []string{r.Must("prices.now", r.Euros(last.median))}
	if at := len(months) - 13; at >= 0 && months[at].tools >= minIndexTools {
		ago := catalog.Price{Cents: months[at].median, Period: "mois"}
		move := newRepricing(
			offer{catalog.Paid, ago.String()}, offer{catalog.Paid, catalog.Price{Cents: last.median, Period: "mois"}.String()})
		if move.Percent == 0 {
			sentences = append(sentences, r.Must("prices.same"))
		} else {
			sentences = append(sentences, r.Must("prices.ago", r.Euros(ago.Cents), r.Percent(move.Percent)))
		}
	}
	sentences = append(sentences, r.Many("prices.made", last.tools))
	if last.others > 0 {
		sentences = append(sentences, r.Many("prices.others", last.others))
	}
	return sentences
}

// chartFrame is what the charts of the page have in common.
func (r *request) chartFrame(width, height int, title string) chart.Frame {
	return chart.Frame{
		Title: title, Width: width, Height: height,
		Value: r.Integer, Month: r.ShortMonth, Day: r.DayMonth,
	}
}

func (r *request) pricesCurve(width int, months []priceMonth) template.HTML {
	from, until := months[0], months[len(months)-1]
	f := r.chartFrame(width, 250, r.Must("prices.curve",
		r.Month(from.first), r.Month(until.first), r.Euros(from.median), r.Euros(until.median)))
	f.Value = func(cents int) string { return r.Euros(int64(cents)) }
	f.Tip = func(month time.Time, cents int) string { return r.Month(month) + ", " + r.Euros(int64(cents)) }
	points := make([]chart.Point, len(months))
	for i, m := range months {
		points[i] = chart.Point{Day: m.first, Value: int(m.median)}
	}
	return chart.Line(f, points)
}

func (r *request) pricesBars(width int, months []priceMonth) template.HTML {
	title := r.Must("prices.bars", r.Month(months[0].first), r.Month(months[len(months)-1].first))
	moved := make([]chart.Movement, len(months))
	for i, m := range months {
		moved[i] = chart.Movement{Month: m.first, Up: m.up, Down: m.down}
	}
	words := chart.MovementWords{Up: r.Must("prices.up"), Down: r.Must("prices.down")}
	return chart.Movements(r.chartFrame(width, 190, title), words, moved)
}
