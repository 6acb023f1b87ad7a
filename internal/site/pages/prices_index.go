package pages

import (
	"html/template"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var pricesManyTexts = layout.Texts{
	"prices.many":       {"Le prix médian, catégorie par catégorie", "The median price, category by category"},
	"prices.many.scale": {"Même échelle partout, de 0 à %s par mois.", "One scale for all, from 0 to %s a month."},
	"prices.many.chart": {
		"%s\u00a0: prix mensuel médian, de %s en %s à %s en %s.", "%s: median monthly price, from %s in %s to %s in %s.",
	},
	"prices.many.month": {"%s\u00a0%d", "%s\u00a0%d"},
	"prices.month.up":   {"%s hausse|%s hausses", "%s rise|%s rises"},
	"prices.month.down": {"%s baisse|%s baisses", "%s fall|%s falls"},
}

// A pricesMany has the median of each category that has enough tools, all on one scale.
type pricesMany struct {
	Scale  string
	Charts []pricesSmall // none for fewer than two categories
}

// A pricesSmall is the small chart of a category.
type pricesSmall struct {
	Name template.HTML
	Path string
	SVG  template.HTML
}

// newPricesMany draws the medians of these categories, of which the first row is the whole catalog.
func newPricesMany(v *view.View, rows []pricesRow) (m pricesMany) {
	type drawn struct {
		pricesRow
		months []figures.PriceMonth
	}
	var all []drawn
	var high int64
	var from, until time.Time
	for _, row := range rows {
		months, enough := v.Figures.Prices.Category(row.Slug).Drawn()
		if row.Slug == "" || !enough {
			continue
		}
		all = append(all, drawn{row, months})
		for _, month := range months {
			high = max(high, month.Median)
		}
		if first := months[0].First; from.IsZero() || first.Before(from) {
			from = first
		}
		if last := months[len(months)-1].First; last.After(until) {
			until = last
		}
	}
	if len(all) < 2 {
		return m
	}
	m.Scale = v.Text.Must("prices.many.scale", v.Text.Euros(high))
	for _, d := range all {
		first, last := d.months[0], d.months[len(d.months)-1]
		f := chartFrame(v, 0, 0, v.Text.Must("prices.many.chart", v.Category(d.Slug), v.Text.Euros(first.Median), v.Text.Month(first.First),
			v.Text.Euros(last.Median), v.Text.Month(last.First)))
		f.Value = func(cents int) string { return v.Text.Euros(int64(cents)) }
		f.Month = func(t time.Time) string { return v.Text.Must("prices.many.month", v.Text.ShortMonth(t), t.Year()) }
		points := make([]chart.Point, len(d.months))
		for i, month := range d.months {
			points[i] = chart.Point{Day: month.First, Value: int(month.Median)}
		}
		m.Charts = append(m.Charts, pricesSmall{d.Name, d.Path, chart.Multiple(f, points, int(high), from, until)})
	}
	return m
}

// A monthMoves has the changes of a month, the largest first, as far as they are on the page.
type monthMoves struct {
	Name     string
	Up, Down string // how many in the whole month, in words; "" for none
	Moves    []pricesMove
}

// byMonth groups the movements of a page by month.
func byMonth(v *view.View, category string, page []figures.Movement) (groups []monthMoves) {
	counted := make(map[time.Time]figures.PriceMonth)
	for _, m := range v.Figures.Prices.Category(category).Months {
		counted[m.First] = m
	}
	for _, m := range page {
		day := m.Change().ChangedAt.Time()
		first := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
		name := v.Text.Month(first)
		if n := len(groups); n == 0 || groups[n-1].Name != name {
			g := monthMoves{Name: name}
			if c := counted[first]; c.Up > 0 {
				g.Up = v.Text.Many("prices.month.up", c.Up)
			}
			if c := counted[first]; c.Down > 0 {
				g.Down = v.Text.Many("prices.month.down", c.Down)
			}
			groups = append(groups, g)
		}
		last := &groups[len(groups)-1]
		last.Moves = append(last.Moves, newPricesMove(v, m))
	}
	return groups
}

// A pricesRow is the row of a category, or of the whole catalog, in the table of categories.
type pricesRow struct {
	Slug     string // "" for the whole catalog
	Name     template.HTML
	Path     string
	Current  bool
	Median   string // "" if there are too few tools
	Tools    int
	Up, Down int // how many prices rose and fell in the last twelve months
}

// A pricesMove is one change of price.
type pricesMove struct {
	Date          catalog.Date
	Slug, Name    string
	Category      template.HTML
	Before, After string
	Direction     int
	Percent       int
	Remark        string
}

func newPricesMove(v *view.View, m figures.Movement) pricesMove {
	c := m.Change()
	change := figures.RepricingOf(c)
	return pricesMove{
		Date: c.ChangedAt, Slug: m.Tool.Slug, Name: m.Tool.Name, Category: v.MarkedCategory(m.Tool.Category),
		Before: v.Offer(change.Before), After: v.Offer(change.After),
		Direction: change.Direction, Percent: change.Percent, Remark: v.Remark(change),
	}
}
