package pages

import (
	"html/template"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var watchBillTexts = layout.Texts{
	"bill.title": {"Ce que coûte la liste", "What the list costs"},
	"bill.sum": {
		"%s en %s. %s sur les douze derniers mois, %s sur les douze prochains, aux prix d’aujourd’hui et à ceux qui sont annoncés.",
		"%s in %s. %s over the last twelve months, %s over the next twelve, at today’s prices and those announced.",
	},
	"bill.sum.next": {
		"%s sur les douze prochains mois, aux prix d’aujourd’hui et à ceux qui sont annoncés.",
		"%s over the next twelve months, at today’s prices and those announced.",
	},
	"bill.chart": {
		"Ce que coûte la liste chaque mois\u00a0: %s en %s, %s ce mois-ci, %s en %s",
		"What the list costs each month: %s in %s, %s this month, %s in %s",
	},
	"bill.today":       {"ce mois-ci", "this month"},
	"bill.tip":         {"%s\u00a0: %s", "%s: %s"},
	"bill.table":       {"Les mois, en tableau", "The months, as a table"},
	"bill.month":       {"Mois", "Month"},
	"bill.cost":        {"Coût", "Cost"},
	"bill.unknown":     {"inconnu", "unknown"},
	"bill.counted":     {"Un abonnement par outil, au prix du premier jour de chaque mois.", "One subscription of each tool, at the price of the first day of each month."},
	"bill.partly":      {"Avant que le prix de chaque outil soit connu, un mois ne compte que les autres.", "Before the price of each tool is known, a month counts the others only."},
	"bill.announced":   {"À un prix annoncé, dans les mois à venir\u00a0: %s.", "At an announced price, in the months to come: %s."},
	"bill.freemium":    {"Comptés à leur prix, bien qu’ils aient une formule gratuite\u00a0: %s.", "Counted at their price although they have a free plan: %s."},
	"bill.not-monthly": {"Hors du compte, faute d’un prix au mois ou à l’année\u00a0: %s.", "Left out, for lack of a price for a month or a year: %s."},
}

// billMonths is how many months the bill of a list has on either side of the end of this month.
const billMonths = 12

// A watchBill is what the tools of a list cost, month by month.
type watchBill struct {
	Sum          string
	Wide, Narrow template.HTML
	Months       []watchMonth
	Notes        []string
	Call         layout.Call
}

// A watchMonth is a row of the table.
type watchMonth struct {
	Month, Cost string
	Today       bool
}

// newWatchBill returns the bill of some tools, by slug; nil if nothing is known of what they cost.
func newWatchBill(v *view.View, slugs []string) *watchBill {
	today := catalog.MonthOf(v.Figures.Today.Time())
	q := catalog.BillQuery{From: today - billMonths + 1, To: today + billMonths}
	for _, slug := range slugs {
		if _, known := v.Catalog.Intervals(slug); known {
			q.Items = append(q.Items, catalog.BillItem{Input: slug, Times: 1})
		}
	}
	bill := v.Catalog.Bill(q)
	b := &watchBill{Notes: []string{v.Text.Must("bill.counted")}}
	var points []chart.Point
	var past, next int64
	partly, known := false, false
	announced := make(map[string]bool)
	var announcing []string
	for _, m := range bill.Months {
		points = append(points, chart.Point{Day: m.Month.Time(), Value: int(m.Cents)})
		row := watchMonth{v.Text.Month(m.Month.Time()), v.Text.Must("bill.unknown"), m.Month == today}
		if m.Known {
			row.Cost = v.Text.Euros(m.Cents)
		}
		b.Months = append(b.Months, row)
		if m.Month <= today {
			past += m.Cents
		} else {
			next += m.Cents
		}
		for _, l := range m.Lines {
			partly, known = partly || !l.Known, known || l.Known
			if l.Announced && !announced[l.Slug] {
				announced[l.Slug] = true
				announcing = append(announcing, l.Slug)
			}
		}
	}
	if !known {
		return nil
	}
	if partly {
		b.Notes = append(b.Notes, v.Text.Must("bill.partly"))
	}
	for _, note := range []struct {
		text  string
		slugs []string
	}{{"bill.announced", announcing}, {"bill.freemium", bill.Freemium}, {"bill.not-monthly", bill.NotMonthly}} {
		if len(note.slugs) > 0 {
			b.Notes = append(b.Notes, v.Text.Must(note.text, toolNames(v, note.slugs)))
		}
	}
	if now := bill.Months[billMonths-1]; now.Known {
		b.Sum = v.Text.Must("bill.sum", v.Text.Euros(now.Cents), v.Text.Month(now.Month.Time()), v.Text.Euros(past), v.Text.Euros(next))
	} else { // the first prices begin within this month
		b.Sum = v.Text.Must("bill.sum.next", v.Text.Euros(next))
	}
	b.draw(v, points)
	var items []string
	for _, item := range q.Items {
		items = append(items, item.Input)
	}
	b.Call = v.Call("/api/v1/bill?items=" + strings.Join(items, ",") + "&from=" + q.From.String() + "&to=" + q.To.String())
	return b
}

// draw draws the months for both layouts.
func (b *watchBill) draw(v *view.View, points []chart.Point) {
	first, now, last := b.Months[0], b.Months[billMonths-1], b.Months[len(b.Months)-1]
	wide := chart.Frame{
		Title: v.Text.Must("bill.chart", first.Cost, first.Month, now.Cost, last.Cost, last.Month), Width: chart.Wide, Height: 240,
		Value: func(cents int) string { return v.Text.Euros(int64(cents)) },
		Month: v.Text.ShortMonth, Day: v.Text.DayMonth,
		Tip: func(month time.Time, cents int) string {
			return v.Text.Must("bill.tip", v.Text.Month(month), v.Text.Euros(int64(cents)))
		},
	}
	narrow := wide
	narrow.Width, narrow.Height = chart.Narrow, 230
	today, word := v.Figures.Today.Time(), v.Text.Must("bill.today")
	b.Wide, b.Narrow = chart.Months(wide, points, today, word), chart.Months(narrow, points, today, word)
}

// toolNames joins the names of tools, living or retired.
func toolNames(v *view.View, slugs []string) string {
	names := make([]string, len(slugs))
	for i, slug := range slugs {
		names[i] = slug
		if t, ok := v.Catalog.Tool(slug); ok {
			names[i] = t.Name
		} else if r, ok := v.Catalog.Retired(slug); ok {
			names[i] = r.Name
		}
	}
	return strings.Join(names, ", ")
}
