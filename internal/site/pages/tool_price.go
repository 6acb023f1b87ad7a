package pages

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var toolPriceTexts = layout.Texts{
	"toolprice.title":       {"Le prix", "The price"},
	"toolprice.next":        {"%s à partir du %s.", "%s from %s."},
	"toolprice.next.passed": {"L’éditeur annonçait %s à partir du %s. Ce jour est passé\u00a0: la rédaction doit encore confirmer le nouveau prix.", "The vendor announced %s from %s. That day has passed: the editors have yet to confirm the new price."},
	"toolprice.announced":   {"Annoncé\u00a0:", "Announced:"},
	"toolprice.source":      {"L’annonce", "The announcement"},
	"toolprice.last":        {"%s jusqu’à la fin, le %s.", "%s until the end, on %s."},
	"toolprice.same": {
		"%s. Le prix n’a pas changé depuis que nous le suivons.",
		"%s. The price has not changed since we began tracking it.",
	},
	"toolprice.model": {"%s depuis le %s, toujours à %s.", "%s since %s, still at %s."},
	"toolprice.since": {"%s depuis le %s", "%s since %s"},
	"toolprice.free":  {", après avoir été gratuit", ", after being free"},
	"toolprice.was":   {", contre %s auparavant", ", from %s before"},
	"toolprice.fell.before-html": {
		`, soit <b class="down">%s de moins</b> qu’auparavant`, `, <b class="down">%s less</b> than before`,
	},
	"toolprice.rose.before-html": {
		`, soit <b class="up">%s de plus</b> qu’auparavant`, `, <b class="up">%s more</b> than before`,
	},
	"toolprice.fell.year-html": {
		`, soit <b class="down">%s de moins</b> sur un an`, `, <b class="down">%s less</b> over a year`,
	},
	"toolprice.rose.year-html": {
		`, soit <b class="up">%s de plus</b> sur un an`, `, <b class="up">%s more</b> over a year`,
	},
	"toolprice.fell.first-html": {
		` et <b class="down">%s de moins</b> qu’à son entrée au catalogue`,
		` and <b class="down">%s less</b> than when it joined the catalogue`,
	},
	"toolprice.rose.first-html": {
		` et <b class="up">%s de plus</b> qu’à son entrée au catalogue`,
		` and <b class="up">%s more</b> than when it joined the catalogue`,
	},
	"toolprice.back": {
		", et le même prix qu’à son entrée au catalogue", ", and the same as when it joined the catalogue",
	},
	"toolprice.chart":   {"%s\u00a0: le prix par %s, en euros", "%s: the price per %s, in euros"},
	"toolprice.from-to": {", de %s le %s à %s le %s", ", from %s on %s to %s on %s"},
	"toolprice.steady":  {", %s depuis le %s", ", %s since %s"},
	"toolprice.tip":     {"%s\u00a0: %s", "%s: %s"},
	"toolprice.per":     {"Par %s", "Per %s"},
	"toolprice.changes": {"%s changement, en tableau|%s changements, en tableau", "%s change, as a table|%s changes, as a table"},
	"toolprice.date":    {"Date", "Date"},
	"toolprice.before":  {"Avant", "Before"},
	"toolprice.after":   {"Après", "After"},
}

// A pricePage is the data of the section about a tool's price over time.
type pricePage struct {
	Sentence template.HTML
	Next     string       // the announced price, in a sentence; "" if there is none
	Source   string       // where it was announced
	Charts   []priceChart // one for each of the last billing periods
	Changes  []catalog.PriceChange
}

// A priceChart is the chart of the prices with one billing period, drawn for both layouts.
type priceChart struct {
	Heading      string // "" if there is one chart
	Wide, Narrow template.HTML
}

func newPricePage(v *view.View, t *catalog.Tool) pricePage {
	steps := figures.PriceSteps(t)
	if len(steps) > 1 && t.Since != "" {
		steps[len(steps)-1].Since = t.Since
	}
	p := pricePage{Changes: t.History, Sentence: priceSentence(v, steps)}
	if len(steps) > 1 {
		p.Charts = priceCharts(v, t.Slug, t.Name, steps, v.Figures.Today)
	}
	if t.Next.Announced() {
		said := "toolprice.next"
		if t.Next.From < v.Figures.Today {
			said = "toolprice.next.passed"
		}
		price := v.Price(t.Next.Price)
		if t.Next.Pricing != t.Pricing {
			price += " (" + v.Text.Must("pricing."+string(t.Next.Pricing)) + ")"
		}
		p.Next, p.Source = v.Text.Must(said, price, v.Text.Date(t.Next.From.Time())), t.Next.Source
	}
	return p
}

// retiredPrices returns the prices of a retired tool over time; the zero pricePage if none is known.
func retiredPrices(v *view.View, r *catalog.Retired) (p pricePage) {
	var steps []catalog.PriceStep
	list, _ := v.Catalog.Intervals(r.Slug)
	for _, i := range slices.Backward(list) { // the oldest first
		if i.Field != catalog.PriceHistory {
			continue
		}
		if n := len(steps); n > 0 {
			was := steps[n-1]
			p.Changes = slices.Insert(p.Changes, 0, catalog.PriceChange{
				ChangedAt: i.From, OldPricing: was.Pricing, OldPrice: was.Price.String(), NewPricing: i.Pricing, NewPrice: i.Price,
			})
		}
		price, _ := catalog.ParsePrice(i.Price) // checked when it was published
		steps = append(steps, catalog.PriceStep{Since: i.From, Pricing: i.Pricing, Price: price})
	}
	if len(steps) == 0 {
		return pricePage{}
	}
	p.Sentence = view.Escaped(v.Text.Must("toolprice.last", offered(v, steps[len(steps)-1]), v.Text.Date(r.RetiredAt.Time())))
	if len(steps) > 1 {
		p.Charts = priceCharts(v, r.Slug, r.Name, steps, r.RetiredAt)
	}
	return p
}

// priceSentence returns in words what the charts show: the price, since when, and how it compares with former prices.
func priceSentence(v *view.View, steps []catalog.PriceStep) template.HTML {
	plain := func(name string, args ...any) template.HTML {
		return view.Escaped(v.Text.Must(name, args...))
	}
	last := steps[len(steps)-1]
	if len(steps) == 1 {
		return plain("toolprice.same", offered(v, last))
	}
	before, first := steps[len(steps)-2], steps[0]
	since := v.Text.Date(last.Since.Time())
	if last.Price == before.Price {
		return plain("toolprice.model", v.Text.Must("pricing."+string(last.Pricing)), since, v.Text.SpokenPrice(last.Price))
	}
	s := plain("toolprice.since", offered(v, last), since)
	percent := figures.PercentMoved(before.Price, last.Price)
	switch {
	case before.Price.Cents == 0:
		s += plain("toolprice.free")
	case percent == 0:
		s += plain("toolprice.was", offered(v, before))
	case before.Price.Period != last.Price.Period:
		s += plain("toolprice.was", offered(v, before)) + moved(v, percent, "year")
	default:
		s += moved(v, percent, "before")
		if len(steps) == 2 {
			break
		}
		if first.Price == last.Price {
			s += plain("toolprice.back")
		} else if sinceFirst := figures.PercentMoved(first.Price, last.Price); sinceFirst != 0 {
			s += moved(v, sinceFirst, "first")
		}
	}
	return s + "."
}

// offered formats the price of a step, or the word for a free one.
func offered(v *view.View, s catalog.PriceStep) string {
	if s.Pricing == catalog.Free {
		return v.Text.Must("pricing." + string(s.Pricing))
	}
	return v.Text.SpokenPrice(s.Price)
}

// moved returns in words by how many percent a price rose or fell. than is the part of the text's name that says
// compared with what.
func moved(v *view.View, percent int, than string) template.HTML {
	name := "toolprice.rose." + than + "-html"
	if percent < 0 {
		name = "toolprice.fell." + than + "-html"
	}
	s, err := v.Text.HTML(name, strings.TrimLeft(v.Text.Percent(max(percent, -percent)), "+"))
	if err != nil {
		panic(err)
	}
	return s
}

// maxPriceCharts is the most drawings of a tool that often changes its billing period. The table has all changes.
const maxPriceCharts = 3

// priceCharts draws the steps, one chart for each run of steps with the same billing period, all on the same time axis.
func priceCharts(v *view.View, slug, name string, steps []catalog.PriceStep, until catalog.Date) []priceChart {
	if steps[0].Since == "" {
		steps[0].Since = v.Figures.FollowedFrom(slug, steps[1].Since)
	}
	var periods [][]catalog.PriceStep
	for i, s := range steps {
		if i == 0 || s.Price.Period != steps[i-1].Price.Period {
			periods = append(periods, nil)
		}
		last := &periods[len(periods)-1]
		*last = append(*last, s)
	}
	periods = periods[max(len(periods)-maxPriceCharts, 0):]
	span := chart.Span{From: periods[0][0].Since.Time(), Until: until.Time()}
	var charts []priceChart
	for i, period := range periods {
		own := span
		if i+1 < len(periods) {
			own.End = periods[i+1][0].Since.Time().AddDate(0, 0, -1)
		}
		charts = append(charts, newPriceChart(v, name, period, own))
	}
	if len(charts) == 1 {
		charts[0].Heading = ""
	}
	return charts
}

// stepsInWords returns a sentence with the first and the last price of a chart, for screen readers. The table has all
// of them.
func stepsInWords(v *view.View, steps []catalog.PriceStep) string {
	first, last := steps[0], steps[len(steps)-1]
	if len(steps) == 1 {
		return v.Text.Must("toolprice.steady", v.Text.Euros(first.Price.Cents), v.Text.Date(first.Since.Time()))
	}
	return v.Text.Must("toolprice.from-to", v.Text.Euros(first.Price.Cents), v.Text.Date(first.Since.Time()),
		v.Text.Euros(last.Price.Cents), v.Text.Date(last.Since.Time()))
}

// newPriceChart draws steps of one period.
func newPriceChart(v *view.View, name string, steps []catalog.PriceStep, span chart.Span) priceChart {
	points := make([]chart.Point, len(steps))
	for i, s := range steps {
		points[i] = chart.Point{Day: s.Since.Time(), Value: int(s.Price.Cents)}
	}
	unit := v.Text.Period(steps[0].Price.Period)
	wide := chart.Frame{
		Title: v.Text.Must("toolprice.chart", name, unit) + stepsInWords(v, steps), Width: chart.Wide, Height: 250,
		Value: func(cents int) string { return v.Text.Euros(int64(cents)) },
		Month: v.Text.ShortMonth, Day: v.Text.DayMonth,
		Tip: func(day time.Time, cents int) string {
			return v.Text.Must("toolprice.tip", v.Text.Date(day), v.Text.Euros(int64(cents)))
		},
	}
	narrow := wide
	narrow.Width, narrow.Height = chart.Narrow, 240
	return priceChart{
		Heading: v.Text.Must("toolprice.per", unit),
		Wide:    chart.Steps(wide, points, span), Narrow: chart.Steps(narrow, points, span),
	}
}
