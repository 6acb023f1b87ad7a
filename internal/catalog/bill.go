package catalog

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// A Month is a month of the calendar: 12 for each year, and 0 to 11.
type Month int

// ParseMonth parses a month such as 2026-03.
func ParseMonth(s string) (Month, error) {
	t, err := time.Parse("2006-01", s)
	if err != nil || t.Year() == 0 {
		return 0, errors.New("not a month such as 2026-03")
	}
	return MonthOf(t), nil
}

// MonthOf returns the month of a time.
func MonthOf(t time.Time) Month { return Month(12*t.Year() + int(t.Month()) - 1) }

// Day returns the first day of the month.
func (m Month) Day() Date { return DateOf(m.Time()) }

// Time returns the beginning of the month.
func (m Month) Time() time.Time {
	return time.Date(int(m)/12, time.Month(int(m)%12+1), 1, 0, 0, 0, 0, time.UTC)
}

// String formats the month for ParseMonth.
func (m Month) String() string { return m.Time().Format("2006-01") }

// MaxBillMonths is the largest number of months of a bill.
const MaxBillMonths = 120

// A BillQuery asks what some tools cost, month by month.
type BillQuery struct {
	Items    []BillItem
	From, To Month
}

// A BillItem is a text that names a tool, and how many times that tool is paid for.
type BillItem struct {
	Input string
	Times int
}

// A Bill is what some tools cost, month by month.
type Bill struct {
	Months     []BillMonth
	NotMonthly []string // the slugs of tools that at times are paid for neither by the month nor by the year
	Freemium   []string // the slugs of tools whose price is counted although they have a free plan
	missed     missedInputs
}

// A BillMonth is a month of a bill.
type BillMonth struct {
	Month Month
	Cents int64 // of the lines whose price is known
	Known bool  // a price is known, or there is nothing to pay
	Lines []BillLine
}

// A BillLine is what a tool costs in a month.
type BillLine struct {
	Slug      string
	Known     bool // its price is
	Cents     int64
	Announced bool // the price is one to come
}

// A billed is a tool of a bill. Its intervals are the newest first of each field.
type billed struct {
	slug      string
	times     int64
	intervals []Interval
}

// newBill returns the bill of some tools. A month costs what its first day does. A tool has no line in a month on whose
// first day it had ended, and none where its price is of a period that is neither a month nor a year.
func newBill(tools []billed, from, to Month, today Date) Bill {
	var b Bill
	for m := from; m <= to; m++ {
		month, day := BillMonth{Month: m}, m.Day()
		for _, t := range tools {
			price, ended := t.on(day, today)
			line := BillLine{Slug: t.slug, Known: price.Price != "", Announced: price.Basis == Announced}
			if line.Known {
				p, _ := ParsePrice(price.Price) // checked when it was published
				cents, monthly := p.In(m)
				if line.Cents = t.times * cents; !monthly {
					b.NotMonthly = append(b.NotMonthly, t.slug)
					continue
				}
				if price.Pricing == Freemium && cents > 0 {
					b.Freemium = append(b.Freemium, t.slug)
				}
			} else if ended {
				continue
			}
			month.Cents += line.Cents
			month.Known = month.Known || line.Known
			month.Lines = append(month.Lines, line)
		}
		month.Known = month.Known || len(month.Lines) == 0
		b.Months = append(b.Months, month)
	}
	for _, list := range []*[]string{&b.NotMonthly, &b.Freemium} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return b
}

// on returns the price of a tool on a day; the zero Interval if it is unknown, or if the tool had ended. Of a price whose
// beginning nobody knows, it is known that it is today's: it counts from this month on. An announced price whose day has
// come, and which the tool does not have, never counts.
func (t billed) on(day, today Date) (price Interval, ended bool) {
	for _, i := range t.intervals {
		switch {
		case i.Basis == Announced && i.From <= today:
		case i.Field == PriceHistory && i.Covers(day):
			if i.From == "" && (i.Until != "" || day < MonthOf(today.Time()).Day()) {
				return Interval{}, false
			}
			return i, false
		case i.Field == LifeHistory && i.Until != "" && i.Until <= day:
			ended = true
		}
	}
	return Interval{}, ended
}

// In returns what the price costs in a month, in cents: of a yearly price the share that makes twelve months the year,
// and 0 for anything free. ok is false for other periods.
func (p Price) In(m Month) (cents int64, ok bool) {
	if p.Period == yearly {
		until := func(months int64) int64 { return (2*p.Cents*months + 12) / 24 } // rounded half up
		k := int64(m) % 12
		return until(k+1) - until(k), true
	}
	return p.Cents, p.Cents == 0 || p.Period == monthly
}

// Bill returns the bill of some tools. A tool that several inputs name counts as often as they say together.
func (s *Snapshot) Bill(q BillQuery) Bill {
	missed := missedInputs{near: newObject()}
	var tools []billed
	for _, item := range q.Items {
		_, slug, meant := s.Resolve(item.Input)
		if slug == "" {
			missed.add(s, item.Input, meant)
			continue
		}
		i := slices.IndexFunc(tools, func(t billed) bool { return t.slug == slug })
		if i < 0 {
			i = len(tools)
			intervals, _ := s.Intervals(slug)
			tools = append(tools, billed{slug: slug, intervals: intervals})
		}
		tools[i].times += int64(item.Times)
	}
	b := newBill(tools, q.From, q.To, s.edition.Date())
	b.missed = missed
	return b
}

// BillJSON returns the bill of some tools as JSON, and how many inputs name a tool.
func (s *Snapshot) BillJSON(q BillQuery) (d Document, known int) {
	b := s.Bill(q)
	o := newObject()
	o.raw("months", appendArray(nil, b.Months, appendBillMonth))
	o.raw("not_monthly", appendArray(nil, b.NotMonthly, appendString))
	o.raw("freemium", appendArray(nil, b.Freemium, appendString))
	b.missed.encode(&o, len(q.Items))
	return NewDocument(o.close()), len(q.Items) - len(b.missed.unknown)
}

func appendBillMonth(b []byte, m BillMonth) []byte {
	b = append(append(b, `{"month":"`...), m.Month.String()...)
	b = appendCents(append(b, `","cents":`...), m.Cents, m.Known)
	b = appendArray(append(b, `,"items":`...), m.Lines, func(b []byte, l BillLine) []byte {
		b = append(append(b, `{"slug":"`...), l.Slug...)
		b = appendCents(append(b, `","cents":`...), l.Cents, l.Known)
		return append(strconv.AppendBool(append(b, `,"announced":`...), l.Announced), '}')
	})
	return append(b, '}')
}

// appendCents appends an amount, or null if it is not known.
func appendCents(b []byte, cents int64, known bool) []byte {
	if !known {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, cents, 10)
}
