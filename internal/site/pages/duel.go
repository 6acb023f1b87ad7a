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

var duelTexts = layout.Texts{
	"duel.caption":   {"%s face à %s", "%s against %s"},
	"duel.freshness": {"La fraîcheur est ce que l’obsolescence laisse de dix.", "Freshness is ten minus obsolescence."},
	"duel.prices":    {"Leurs prix", "Their prices"},
	"duel.monthly":   {"Par mois, ce qui est facturé à l’année compris.", "By month, with what is billed yearly."},
	"duel.cheaper":   {"%s coûte aujourd’hui %s de moins par mois que %s.", "%s costs %s a month less than %s today."},
	"duel.equal":     {"Les deux coûtent aujourd’hui %s par mois.", "Both cost %s a month today."},
	"duel.unchanged": {"L’écart était le même le %s.", "The gap was the same on %s."},
	"duel.was":       {"L’écart était de %s le %s.", "The gap was %s on %s."},
	"duel.was.other": {"Le %s, c’était %s le moins cher, de %s.", "On %s, %s was the cheaper one, by %s."},
	"duel.was.equal": {"Le %s, ils coûtaient autant.", "On %s they cost the same."},
	"duel.chart":     {"%s et %s\u00a0: les prix par mois depuis le %s. %s", "%s and %s: the monthly prices since %s. %s"},
}

// A duel is two tools face to face: what sets them apart on rulers from the middle, and their prices over time.
type duel struct {
	Caption string
	Names   [2]string
	Slugs   [2]string
	Rows    []compareRow
	Same    string // the names of equal properties, joined by commas; "" for none
	Alike   bool   // nothing sets them apart
	Prices  *priceDuel
}

// A priceDuel is two prices over time in one chart.
type priceDuel struct {
	Sentence     string
	Wide, Narrow template.HTML
}

func newDuel(v *view.View, tools [2]catalog.ComparedTool) *duel {
	d := &duel{}
	for i, t := range tools {
		d.Names[i], d.Slugs[i] = t.Name(), t.Slug()
	}
	d.Caption = v.Text.Must("duel.caption", d.Names[0], d.Names[1])
	d.Rows, d.Same = compareRows(v, tools[:])
	a, b := tools[0].Tool, tools[1].Tool
	if a == nil || b == nil {
		return d
	}
	d.Alike = true
	for i, r := range d.Rows {
		d.Rows[i].Gap = duelGap(v, r.key, a, b)
		d.Alike = d.Alike && r.Cells[0].equal == r.Cells[1].equal
	}
	d.Prices = newPriceDuel(v, a, b)
	return d
}

// duelGap says which of two tools is ahead in a property, and by how much; "" if the values say it all.
func duelGap(v *view.View, key string, a, b *catalog.Tool) string {
	measure := func(of func(*catalog.Tool) catalog.Measure) string {
		x, y := of(a), of(b)
		switch {
		case x == y:
			return v.Text.Must("gap.same")
		case !x.Known || !y.Known:
			return v.Text.Must("comparison.unmeasured")
		case x.Hundredths > y.Hundredths:
			return v.Text.Must("comparison.ahead", a.Name, measureGap(v, x, y))
		default:
			return v.Text.Must("comparison.ahead", b.Name, measureGap(v, y, x))
		}
	}
	switch key {
	case "comparison.score":
		return measure(scoreOf)
	case "comparison.verifiability":
		return measure(verifiabilityOf)
	case "comparison.obsolescence":
		return measure(func(t *catalog.Tool) catalog.Measure { return fresh(t.Obsolescence) })
	case "comparison.price":
		return cheaper(v, a, b)
	default:
		return ""
	}
}

// cheaper returns a sentence that says which of two tools costs less, and by how much.
func cheaper(v *view.View, a, b *catalog.Tool) string {
	x, xOK := monthlyCents(a.Price)
	y, yOK := monthlyCents(b.Price)
	free := xOK && x == 0 || yOK && y == 0
	switch {
	case xOK && yOK && x == y:
		return v.Text.Must("gap.same.price")
	case !free && (!xOK || !yOK):
		return v.Text.Must("gap.periods")
	case !yOK || xOK && x < y:
		return v.Text.Must("comparison.ahead", a.Name, priceGap(v, a.Price, b.Price))
	default:
		return v.Text.Must("comparison.ahead", b.Name, priceGap(v, b.Price, a.Price))
	}
}

// newPriceDuel returns the prices of two tools over time; nil if they cannot be compared, or if neither ever changed.
func newPriceDuel(v *view.View, a, b *catalog.Tool) *priceDuel {
	today := v.Figures.Today
	first, second := monthlyPrices(v, a), monthlyPrices(v, b)
	if len(first) == 0 || len(second) == 0 || len(first)+len(second) < 3 {
		return nil
	}
	from := first[0].Day
	switch {
	case from.IsZero(): // its beginning is unknown, and it never changed
		from = second[0].Day
	case !second[0].Day.IsZero() && second[0].Day.Before(from):
		from = second[0].Day
	}
	for _, points := range [][]chart.Point{first, second} {
		if points[0].Day.IsZero() {
			points[0].Day = from
		}
	}
	p := &priceDuel{Sentence: duelSentence(v, a, b, first, second)}
	frame := chart.Frame{
		Title: v.Text.Must("duel.chart", a.Name, b.Name, v.Text.Date(from), p.Sentence), Width: chart.Wide, Height: 240,
		Value: func(cents int) string { return v.Text.Euros(int64(cents)) }, Month: v.Text.ShortMonth, Day: v.Text.DayMonth,
		Tip: func(day time.Time, cents int) string {
			return v.Text.Must("toolprice.tip", v.Text.Date(day), v.Text.Euros(int64(cents)))
		},
	}
	span := chart.Span{From: from, Until: today.Time()}
	lines := [2]chart.Series{{Name: a.Name, Prices: first}, {Name: b.Name, Prices: second}}
	p.Wide = chart.Pair(frame, lines[0], lines[1], span)
	frame.Width, frame.Height = chart.Narrow, 230
	p.Narrow = chart.Pair(frame, lines[0], lines[1], span)
	return p
}

// monthlyPrices returns the prices of a tool since it is billed by month or year, in cents a month; none if it is not.
// The zero day is one that nobody knows.
func monthlyPrices(v *view.View, t *catalog.Tool) []chart.Point {
	steps := figures.PriceSteps(t)
	if len(steps) > 1 && steps[0].Since == "" {
		steps[0].Since = v.Figures.FollowedFrom(t.Slug, steps[1].Since)
	} else if steps[0].Since == "" {
		steps[0].Since = v.Figures.ToolLogs[t.Slug].Created
	}
	var points []chart.Point
	for _, s := range steps {
		cents, ok := s.Price.Monthly()
		if !ok {
			points = nil
			continue
		}
		p := chart.Point{Value: int(cents)}
		if s.Since != "" {
			p.Day = s.Since.Time()
		}
		points = append(points, p)
	}
	return points
}

// duelSentence says what sets the two prices apart today, and what did when both were first known.
func duelSentence(v *view.View, a, b *catalog.Tool, first, second []chart.Point) string {
	gap := first[len(first)-1].Value - second[len(second)-1].Value
	euros := func(cents int) string { return v.Text.Euros(int64(max(cents, -cents))) }
	cheap := func(gap int) (cheaper, dearer string) {
		if gap < 0 {
			return a.Name, b.Name
		}
		return b.Name, a.Name
	}
	said := v.Text.Must("duel.equal", euros(first[len(first)-1].Value))
	if gap != 0 {
		cheaper, dearer := cheap(gap)
		said = v.Text.Must("duel.cheaper", cheaper, euros(gap), dearer)
	}
	day := first[0].Day
	if second[0].Day.After(day) {
		day = second[0].Day
	}
	before := priceOn(first, day) - priceOn(second, day)
	on := v.Text.Date(day)
	switch {
	case before == gap:
		return said + " " + v.Text.Must("duel.unchanged", on)
	case before == 0:
		return said + " " + v.Text.Must("duel.was.equal", on)
	case gap != 0 && (before < 0) == (gap < 0):
		return said + " " + v.Text.Must("duel.was", euros(before), on)
	default:
		cheaper, _ := cheap(before)
		return said + " " + v.Text.Must("duel.was.other", on, cheaper, euros(before))
	}
}

// priceOn returns the price on a day.
func priceOn(points []chart.Point, day time.Time) int {
	value := points[0].Value
	for _, p := range points {
		if !p.Day.After(day) {
			value = p.Value
		}
	}
	return value
}
