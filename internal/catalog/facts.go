package catalog

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/throttle"
)

// A FieldFact is the fact of one field. Value is the catalog's value; "" if it has none.
type FieldFact struct {
	Field FactField
	Value string
	Fact
}

// FactList returns the facts of a tool, in the order of the API.
func (t *Tool) FactList() []FieldFact {
	return []FieldFact{
		{PriceFact, t.Price, t.Facts.Price},
		{ScoreFact, t.Score.String(), t.Facts.Score},
		{DomainFact, t.Domain, t.Facts.Domain},
	}
}

// FactList returns the facts of a retired tool.
func (r *Retired) FactList() []FieldFact {
	return []FieldFact{{RetiredAtFact, string(r.RetiredAt), r.Facts.RetiredAt}}
}

// FactsJSON returns the sources of a tool, living or retired, as JSON.
func (s *Snapshot) FactsJSON(slug string) (Document, bool) {
	if t, ok := s.Tool(slug); ok {
		return NewDocument(encodeToolFacts(t)), true
	}
	if r, ok := s.Retired(slug); ok {
		return NewDocument(encodeRetiredFacts(r)), true
	}
	return Document{}, false
}

func encodeToolFacts(t *Tool) []byte {
	var ending []byte
	if t.Ending.Announced() {
		ending = encodeFactEnding(t.Ending)
	}
	return encodeFacts(t.Slug, t.Name, false, t.FactList(), ending)
}

// encodeRetiredFacts shows the retirement as the ending.
func encodeRetiredFacts(r *Retired) []byte {
	return encodeFacts(r.Slug, r.Name, true, r.FactList(), encodeFactEnding(Ending{r.RetiredAt, r.Facts.RetiredAt.Source, r.Successor}))
}

func encodeFactEnding(e Ending) []byte {
	o := newObject()
	o.string("ends_at", string(e.At))
	o.nullable("source", e.Source)
	o.nullable("successor", e.Successor)
	return o.close()
}

func encodeFacts(slug, name string, retired bool, facts []FieldFact, ending []byte) []byte {
	o := newObject()
	o.string("slug", slug)
	o.string("name", name)
	o.bool("retired", retired)
	o.raw("facts", appendArray(nil, facts, func(b []byte, f FieldFact) []byte {
		e := newObject()
		e.string("field", string(f.Field))
		switch {
		case f.Field == ScoreFact && f.Value != "":
			e.raw("value", []byte(f.Value)) // a number
		default:
			e.nullable("value", f.Value)
		}
		e.nullable("checked", string(f.Checked))
		e.nullable("source", f.Source)
		e.nullable("note", f.Note)
		return append(b, e.close()...)
	}))
	if ending == nil {
		ending = []byte("null")
	}
	o.raw("ending", ending)
	return o.close()
}

// Facts returns the name and the facts of a tool, living or retired.
func (s *Snapshot) Facts(slug string) (name string, facts []FieldFact) {
	if t, ok := s.Tool(slug); ok {
		return t.Name, t.FactList()
	}
	if r, ok := s.Retired(slug); ok {
		return r.Name, r.FactList()
	}
	return "", nil
}

// FactSlugs returns the slugs of all tools, living and retired, sorted. No slug is both.
func (s *Snapshot) FactSlugs(t *throttle.Throttle) []string {
	all := slices.Concat(s.ToolSlugs(t), s.RetiredSlugs(t))
	return sortedSlugs(all, func(slug string) string { return slug }, t)
}

// A FactStats counts how many values of a field have a source. Oldest and Median are "" if none
// has.
type FactStats struct {
	Field   FactField
	Total   int // non-empty values
	Sourced int // those with a source
	Oldest  Date
	Median  Date // of the dates of the checks; if two are in the middle, the older
	Days    []DayCount
}

// A DayCount is the number of values last checked on a day.
type DayCount struct {
	Day   Date
	Count int
}

// FactStats returns the statistics of every field, in the order of FactFields.
func (s *Snapshot) FactStats() []FactStats {
	fields := FactFields()
	all := make([]FactStats, 0, len(fields))
	days := make(map[FactField]map[Date]int)
	for _, f := range fields {
		all, days[f] = append(all, FactStats{Field: f}), make(map[Date]int)
	}
	count := func(facts []FieldFact) {
		for _, f := range facts {
			stats := &all[slices.Index(fields, f.Field)]
			if f.Value != "" {
				stats.Total++
			}
			if f.Known() {
				stats.Sourced++
				days[f.Field][f.Checked]++
			}
		}
	}
	for _, t := range s.byScoreDesc.list("") {
		count(t.FactList())
	}
	for _, r := range s.byLastRetired.list(retiredKey{}) {
		count(r.FactList())
	}
	for i := range all {
		all[i].sum(days[all[i].Field])
	}
	return all
}

func (f *FactStats) sum(days map[Date]int) {
	before := 0
	for _, day := range slices.Sorted(maps.Keys(days)) {
		f.Days = append(f.Days, DayCount{day, days[day]})
		if f.Oldest == "" {
			f.Oldest = day
		}
		if before += days[day]; f.Median == "" && 2*before >= f.Sourced {
			f.Median = day
		}
	}
}

// FactStatsJSON returns FactStats as JSON, with the checks by month.
func (s *Snapshot) FactStatsJSON() Document {
	o := newObject()
	o.raw("data", appendArray(nil, s.FactStats(), func(b []byte, f FactStats) []byte {
		e := newObject()
		e.string("field", string(f.Field))
		e.int("total", f.Total)
		e.int("sourced", f.Sourced)
		e.nullable("oldest", string(f.Oldest))
		e.nullable("median", string(f.Median))
		e.raw("months", appendArray(nil, f.months(), func(b []byte, m DayCount) []byte {
			month := newObject()
			month.string("month", string(m.Day))
			month.int("count", m.Count)
			return append(b, month.close()...)
		}))
		return append(b, e.close()...)
	}))
	return NewDocument(o.close())
}

// months returns the counts by month. Their Day is YYYY-MM.
func (f FactStats) months() (months []DayCount) {
	for _, d := range f.Days {
		month := d.Day[:len("2006-01")]
		if n := len(months); n > 0 && months[n-1].Day == month {
			months[n-1].Count += d.Count
		} else {
			months = append(months, DayCount{month, d.Count})
		}
	}
	return months
}

// Endings returns a page of the tools whose end is announced, the first to end first.
func (s *Snapshot) Endings(p Paging) Page[*Tool] {
	return cutPage(s.byEnding.list(""), p, func(t listedTool) *Tool { return t.Tool }, nil)
}

// EndingsJSON returns Endings as JSON.
func (s *Snapshot) EndingsJSON(p Paging) JSONPage {
	return JSONPage{cutPage(s.byEnding.list(""), p, func(t listedTool) *Document {
		d := NewDocument(encodeEnding(t.Tool))
		return &d
	}, nil)}
}

// An ItemFact is the fact of one value of a tool, living or retired.
type ItemFact struct {
	Slug string
	Tier int // 0 for a retired tool
	FieldFact
}

// Facts returns the facts of all values, sourced or not, by slug and in the order of the API.
func (c *Contents) Facts() []ItemFact {
	var all []ItemFact
	add := func(slug string, tier int, facts []FieldFact) {
		for _, f := range facts {
			if f.Value != "" {
				all = append(all, ItemFact{slug, tier, f})
			}
		}
	}
	for _, t := range c.Tools {
		add(t.Slug, t.Tier, t.FactList())
	}
	for _, r := range c.Retired {
		add(r.Slug, 0, r.FactList())
	}
	slices.SortStableFunc(all, func(a, b ItemFact) int { return strings.Compare(a.Slug, b.Slug) })
	return all
}

// NextPriceFact names an announced price in the list of what is due. It is no field with a source in the API.
const NextPriceFact FactField = "price_next"

// DuePrices returns the announced prices whose day has come, by slug. Checked is that day.
func (c *Contents) DuePrices(today Date) (due []ItemFact) {
	for _, t := range c.Tools {
		if t.Next.Announced() && t.Next.From <= today {
			due = append(due, ItemFact{t.Slug, t.Tier, FieldFact{NextPriceFact, t.Next.Price, Fact{Source: t.Next.Source, Checked: t.Next.From}}})
		}
	}
	return due
}

// Age returns the days since the source was last checked; negative for a future date.
func (f Fact) Age(today Date) int {
	return int(today.Time().Sub(f.Checked.Time()) / (24 * time.Hour))
}

// Overdue returns the facts whose source was last checked more than the given number of days ago:
// the highest tier first, retired tools last, and the oldest first within a tier.
func Overdue(facts []ItemFact, today Date, days int) []ItemFact {
	var overdue []ItemFact
	for _, f := range facts {
		if f.Known() && f.Age(today) > days {
			overdue = append(overdue, f)
		}
	}
	rank := func(f ItemFact) int {
		if f.Tier == 0 {
			return math.MaxInt
		}
		return f.Tier
	}
	fields := FactFields()
	slices.SortFunc(overdue, func(a, b ItemFact) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			cmp.Compare(a.Checked, b.Checked),
			strings.Compare(a.Slug, b.Slug),
			cmp.Compare(slices.Index(fields, a.Field), slices.Index(fields, b.Field)),
		)
	})
	return overdue
}
