package catalog

import (
	"maps"
	"slices"

	"github.com/palmares-hq/palmares/internal/throttle"
)

// A FieldFact is the fact of one field. Value is what the catalog says; "" where it says nothing.
type FieldFact struct {
	Field FactField
	Value string
	Fact
}

// FactList are the facts of a tool, in the order of the API.
func (t *Tool) FactList() []FieldFact {
	return []FieldFact{
		{PriceFact, t.Price, t.Facts.Price},
		{ScoreFact, t.Score.String(), t.Facts.Score},
		{DomainFact, t.Domain, t.Facts.Domain},
	}
}

// FactList are the facts of a retired tool.
func (r *Retired) FactList() []FieldFact {
	return []FieldFact{{RetiredAtFact, string(r.RetiredAt), r.Facts.RetiredAt}}
}

// FactsJSON is what is known of the sources of a tool, living or retired.
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

// encodeRetiredFacts has the day of the retirement as the end, which it was.
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

// Facts are the name and the facts of a tool, living or retired.
func (s *Snapshot) Facts(slug string) (name string, facts []FieldFact) {
	if t, ok := s.Tool(slug); ok {
		return t.Name, t.FactList()
	}
	if r, ok := s.Retired(slug); ok {
		return r.Name, r.FactList()
	}
	return "", nil
}

// FactSlugs are those of all tools, living and retired, sorted. No slug is both.
func (s *Snapshot) FactSlugs(t *throttle.Throttle) []string {
	all := slices.Concat(s.ToolSlugs(t), s.RetiredSlugs(t))
	return sortedSlugs(all, func(slug string) string { return slug }, t)
}

// A FactStats says how well a field is sourced. Days are "" where there is none.
type FactStats struct {
	Field   FactField
	Total   int // values that there are
	Sourced int // those with a source
	Oldest  Date
	Median  Date // of the checks; of two in the middle, the older
	Days    []DayCount
}

// A DayCount is how many values were last checked on a day.
type DayCount struct {
	Day   Date
	Count int
}

// FactStats are those of every field, in the order of FactFields.
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

// FactStatsJSON is FactStats as JSON, with the checks by month.
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

// months are the counts by month, whose days have no day.
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

// Endings lists the tools whose end is announced, the first to end first.
func (s *Snapshot) Endings(p Paging) Page[*Tool] {
	return cutPage(s.byEnding.list(""), p, func(t listedTool) *Tool { return t.Tool }, nil)
}

// EndingsJSON is Endings as JSON.
func (s *Snapshot) EndingsJSON(p Paging) JSONPage {
	return JSONPage{cutPage(s.byEnding.list(""), p, func(t listedTool) *Document {
		d := NewDocument(encodeEnding(t.Tool))
		return &d
	}, nil)}
}
