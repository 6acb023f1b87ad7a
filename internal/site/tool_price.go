package site

import (
	"html/template"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
)

var toolPriceTexts = texts{
	"toolprice.title": {"Le prix", "The price"},
	"toolprice.same": {
		"%s. Le prix n’a pas bougé depuis que nous le suivons.",
		"%s. The price has not moved since we began to follow it.",
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
		` and <b class="down">%s less</b> than when it entered the catalog`,
	},
	"toolprice.rose.first-html": {
		` et <b class="up">%s de plus</b> qu’à son entrée au catalogue`,
		` and <b class="up">%s more</b> than when it entered the catalog`,
	},
	"toolprice.back": {
		", et le même prix qu’à son entrée au catalogue", ", and the same as when it entered the catalog",
	},
	"toolprice.chart":   {"%s\u00a0: le prix par %s, en euros", "%s: the price per %s, in euros"},
	"toolprice.tip":     {"%s\u00a0: %s", "%s: %s"},
	"toolprice.per":     {"Par %s", "Per %s"},
	"toolprice.changes": {"%s changement, en tableau|%s changements, en tableau", "%s change, as a table|%s changes, as a table"},
	"toolprice.date":    {"Date", "Date"},
	"toolprice.before":  {"Avant", "Before"},
	"toolprice.after":   {"Après", "After"},
}

// A pricePage is the price of a tool over time.
type pricePage struct {
	Sentence template.HTML
	Charts   []priceChart // one for each period that it was charged for, the last ones
	Changes  []catalog.PriceChange
}

// A priceChart is the price while it was charged for one period, drawn for both layouts.
type priceChart struct {
	Heading      string // "" when there is one chart
	Wide, Narrow template.HTML
}

func (r *request) pricePage(t *catalog.Tool) pricePage {
	steps := heldSteps(t)
	p := pricePage{Changes: t.History, Sentence: r.priceSentence(steps)}
	if len(steps) > 1 {
		p.Charts = r.priceCharts(t, steps)
	}
	return p
}

// heldSteps are the prices that a tool had for a day at least, each different from the one before.
func heldSteps(t *catalog.Tool) []catalog.PriceStep {
	var held []catalog.PriceStep
	steps := t.PriceSteps()
	for i, s := range steps {
		again := len(held) > 0 && held[len(held)-1].Price == s.Price && held[len(held)-1].Pricing == s.Pricing
		if again || i+1 < len(steps) && steps[i+1].Since == s.Since {
			continue
		}
		held = append(held, s)
	}
	return held
}

// priceSentence says what the drawing shows: the price, since when, and how it compares.
func (r *request) priceSentence(steps []catalog.PriceStep) template.HTML {
	plain := func(name string, args ...any) template.HTML {
		return raw(template.HTMLEscapeString(r.Must(name, args...)))
	}
	last := steps[len(steps)-1]
	if len(steps) == 1 {
		return plain("toolprice.same", r.offered(last))
	}
	before, first := steps[len(steps)-2], steps[0]
	since := r.Date(last.Since.Time())
	if last.Price == before.Price {
		return plain("toolprice.model", r.Must("pricing."+string(last.Pricing)), since, r.Price(last.Price))
	}
	s := plain("toolprice.since", r.offered(last), since)
	moved := percentMoved(before.Price, last.Price)
	switch {
	case before.Price.Cents == 0:
		s += plain("toolprice.free")
	case moved == 0:
		s += plain("toolprice.was", r.offered(before))
	case before.Price.Period != last.Price.Period:
		s += plain("toolprice.was", r.offered(before)) + r.moved(moved, "year")
	default:
		s += r.moved(moved, "before")
		if len(steps) == 2 {
			break
		}
		if first.Price == last.Price {
			s += plain("toolprice.back")
		} else if sinceFirst := percentMoved(first.Price, last.Price); sinceFirst != 0 {
			s += r.moved(sinceFirst, "first")
		}
	}
	return s + "."
}

// offered writes what a step asks for: what is free has no amount.
func (r *request) offered(s catalog.PriceStep) string {
	if s.Pricing == catalog.Free {
		return r.Must("pricing." + string(s.Pricing))
	}
	return r.Price(s.Price)
}

// moved says by how much a price moved, compared with what the name of the text says.
func (r *request) moved(percent int, than string) template.HTML {
	name := "toolprice.rose." + than + "-html"
	if percent < 0 {
		name = "toolprice.fell." + than + "-html"
	}
	s, err := r.HTML(name, strings.TrimLeft(r.Percent(max(percent, -percent)), "+"))
	if err != nil {
		panic(err)
	}
	return s
}

// maxPriceCharts bounds the drawings of a tool that changes its period all the time. The table has
// all changes.
const maxPriceCharts = 3

// priceCharts draws the steps, those of one period together, on one axis of time.
func (r *request) priceCharts(t *catalog.Tool, steps []catalog.PriceStep) []priceChart {
	steps[0].Since = r.followedFrom(t.Slug, steps[1].Since)
	var periods [][]catalog.PriceStep
	for i, s := range steps {
		if i == 0 || s.Price.Period != steps[i-1].Price.Period {
			periods = append(periods, nil)
		}
		last := &periods[len(periods)-1]
		*last = append(*last, s)
	}
	periods = periods[max(len(periods)-maxPriceCharts, 0):]
	span := chart.Span{From: periods[0][0].Since.Time(), Until: r.today.Time()}
	var charts []priceChart
	for i, period := range periods {
		own := span
		if i+1 < len(periods) {
			own.End = periods[i+1][0].Since.Time().AddDate(0, 0, -1)
		}
		charts = append(charts, r.priceChart(t, period, own))
	}
	if len(charts) == 1 {
		charts[0].Heading = ""
	}
	return charts
}

// priceChart draws steps of one period.
func (r *request) priceChart(t *catalog.Tool, steps []catalog.PriceStep, span chart.Span) priceChart {
	points := make([]chart.Point, len(steps))
	for i, s := range steps {
		points[i] = chart.Point{Day: s.Since.Time(), Value: int(s.Price.Cents)}
	}
	unit := r.Period(steps[0].Price.Period)
	wide := chart.Frame{
		Title: r.Must("toolprice.chart", t.Name, unit), Width: chart.Wide, Height: 250,
		Value: func(cents int) string { return r.Euros(int64(cents)) },
		Month: r.ShortMonth, Day: r.DayMonth,
		Tip: func(day time.Time, cents int) string {
			return r.Must("toolprice.tip", r.Date(day), r.Euros(int64(cents)))
		},
	}
	narrow := wide
	narrow.Width, narrow.Height = chart.Narrow, 240
	return priceChart{
		Heading: r.Must("toolprice.per", unit),
		Wide:    chart.Steps(wide, points, span), Narrow: chart.Steps(narrow, points, span),
	}
}

// followedFrom is the day from which the first price of a tool is drawn: when it entered the
// catalog, or a while before its first change where the change log no longer tells.
func (r *request) followedFrom(slug string, firstChange catalog.Date) catalog.Date {
	if created := r.toolLogs[slug].created; created != "" && created < firstChange {
		return created
	}
	const least = 30 * 24 * time.Hour
	first := firstChange.Time()
	return catalog.DateOf(first.Add(-max(r.today.Time().Sub(first)/8, least)))
}
