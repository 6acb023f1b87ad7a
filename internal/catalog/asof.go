package catalog

import (
	"slices"
	"strings"
)

// RecordHistory returns the histories that an edition changes, for a catalog that is in no database. The edition has
// these log entries, and changes these tools.
func (s *Snapshot) RecordHistory(entries []*LogEntry, tools []*Tool) ([]ToolHistory, error) {
	known := make(Histories)
	for _, t := range tools {
		if h := s.histories.get(t.Slug); h != nil {
			known[t.Slug] = h.history.Rows()
		}
	}
	for _, e := range entries {
		for _, slug := range []string{e.Slug, e.RenamedFrom} {
			if h := s.histories.get(slug); h != nil && known[slug] == nil {
				known[slug] = h.history.Rows()
			}
		}
	}
	if err := known.Record(entries); err != nil {
		return nil, err
	}
	for _, t := range tools {
		known.State(t.Slug, t.Since)
	}
	var list []ToolHistory
	for slug, rows := range known {
		list = append(list, ToolHistory{slug, NewHistory(rows)})
	}
	slices.SortFunc(list, func(a, b ToolHistory) int { return strings.Compare(a.Slug, b.Slug) })
	return list, nil
}

// Intervals returns what was true of a tool, living or retired: prices, scores and lives, each newest first. An announced
// price comes before all others, even if its day has passed.
// ok is false if there is no such tool. A tool that was published by a program without histories may have none.
func (s *Snapshot) Intervals(slug string) (list []Interval, ok bool) {
	if s.tools.get(slug) == nil && s.retired.get(slug) == nil {
		return nil, false
	}
	if h := s.histories.get(slug); h != nil {
		list = h.history.Intervals()
	}
	if t := s.tools.get(slug); t != nil && t.Next.Announced() {
		next := Interval{Field: PriceHistory, Pricing: t.Next.Pricing, Price: t.Next.Price, From: t.Next.From, Basis: Announced}
		list = slices.Insert(list, 0, next)
	}
	return list, true
}

// IntervalCount returns the number of intervals of all tools. It is counted when somebody asks, once for each snapshot.
func (s *Snapshot) IntervalCount() int {
	s.lives.counting.Do(func() {
		for _, slug := range s.FactSlugs(nil) {
			list, _ := s.Intervals(slug)
			s.lives.intervals += len(list)
		}
	})
	return s.lives.intervals
}

// A State is what was true of a tool on a day. Fields that are not known are zero.
type State struct {
	Slug, Name, Category string // as of today
	Pricing              Pricing
	Price                string
	Score                Measure
}

// StateOn returns what was true of a tool on a day. ok is false if it is not known to have been published on it.
func (s *Snapshot) StateOn(slug string, day Date) (state State, ok bool) {
	list, _ := s.Intervals(slug)
	for _, i := range list {
		if i.Basis == Announced || !i.Covers(day) {
			continue
		}
		switch i.Field {
		case PriceHistory:
			state.Pricing, state.Price = i.Pricing, i.Price
		case ScoreHistory:
			state.Score = i.Score
		case LifeHistory:
			ok = i.From != ""
		}
	}
	state.Slug = slug
	state.Name, state.Category = s.nameOf(slug)
	return state, ok
}

// nameOf returns the name and the category of a tool, living or retired.
func (s *Snapshot) nameOf(slug string) (name, category string) {
	if e := s.tools.get(slug); e != nil {
		return e.Name, e.Category
	}
	if e := s.retired.get(slug); e != nil {
		return e.Name, e.Category
	}
	return "", ""
}

func (s *Snapshot) livesIn(category string) []life {
	s.lives.once.Do(func() {
		s.lives.byCategory = make(map[string][]life)
		for _, slug := range s.FactSlugs(nil) {
			h := s.histories.get(slug)
			if h == nil {
				continue
			}
			_, category := s.nameOf(slug)
			for _, i := range h.history.lives() {
				for _, key := range []string{"", category} {
					s.lives.byCategory[key] = append(s.lives.byCategory[key], life{slug, i.from, i.until})
				}
			}
		}
	})
	return s.lives.byCategory[category]
}

// A DayQuery asks for the tools that were published on a day.
type DayQuery struct {
	Day      Date
	Category string   // "" for all
	Slugs    []string // nil for all; they may be former ones
	Paging
}

// DayJSON returns a page of the tools that are known to have been published on a day, by slug, as they were then, as
// JSON. Names and categories are those of today.
func (s *Snapshot) DayJSON(q DayQuery) JSONPage {
	day := uint32(dayNumber(q.Day)) //nolint:gosec // a day has 22 bits
	wanted := make(map[string]bool, len(q.Slugs))
	for _, slug := range s.toolSlugsNow(q.Slugs) {
		wanted[slug] = true
	}
	page := cutPage(s.livesIn(q.Category), q.Paging, func(l life) string { return l.slug }, func(l life) bool {
		return l.from <= day && (l.until == noDay || day < l.until) && (len(q.Slugs) == 0 || wanted[l.slug])
	})
	out := Page[*Document]{Total: page.Total, Number: page.Number, Limit: page.Limit, Items: make([]*Document, len(page.Items))}
	for i, slug := range page.Items {
		state, _ := s.StateOn(slug, q.Day)
		doc := NewDocument(encodeState(state))
		out.Items[i] = &doc
	}
	return JSONPage{out}
}

func encodeState(state State) []byte {
	o := newObject()
	o.string("slug", state.Slug)
	o.string("name", state.Name)
	o.string("category", state.Category)
	o.price(state.Pricing, state.Price, "price")
	o.measure("score", state.Score)
	return o.close()
}

// price writes a price with its pricing model, its cents and its period, or null for each. name is that of its text.
func (o *object) price(pricing Pricing, text, name string) {
	o.nullable("pricing", string(pricing))
	o.nullable(name, text)
	p, ok := ParsePrice(text)
	if !ok {
		o.raw("cents", []byte("null"))
	} else {
		o.int("cents", int(p.Cents))
	}
	o.nullable("period", p.Period)
}

// HistoryJSON returns the intervals of a tool, living or retired, as JSON: those of one field, or of all if it is "".
func (s *Snapshot) HistoryJSON(slug string, field HistoryField) (Document, bool) {
	list, ok := s.Intervals(slug)
	if !ok {
		return Document{}, false
	}
	if field != "" {
		list = slices.DeleteFunc(list, func(i Interval) bool { return i.Field != field })
	}
	o := newObject()
	name, _ := s.nameOf(slug)
	o.string("slug", slug)
	o.string("name", name)
	o.raw("data", appendArray(nil, list, func(b []byte, i Interval) []byte { return append(b, encodeInterval(i)...) }))
	return NewDocument(o.close()), true
}

func encodeInterval(i Interval) []byte {
	o := newObject()
	o.string("field", string(i.Field))
	switch i.Field {
	case PriceHistory:
		o.string("value", i.Price)
		p, _ := ParsePrice(i.Price)
		o.string("pricing", string(i.Pricing))
		o.int("cents", int(p.Cents))
		o.string("period", p.Period)
	case ScoreHistory:
		o.measure("value", i.Score)
	case LifeHistory:
		o.raw("value", []byte("null"))
	}
	o.nullable("from", string(i.From))
	o.nullable("until", string(i.Until))
	o.string("basis", string(i.Basis))
	o.bool("corrected", i.Corrected)
	return o.close()
}

// LastLife is what a retired tool was at its end. Fields that are not known are zero.
type LastLife struct {
	Entered Date
	Pricing Pricing
	Price   string
	Score   Measure
}

// LastLife returns what a retired tool was at its end.
func (s *Snapshot) LastLife(slug string) (last LastLife) {
	list, _ := s.Intervals(slug)
	for _, i := range slices.Backward(list) { // the oldest first
		switch i.Field {
		case PriceHistory:
			last.Pricing, last.Price = i.Pricing, i.Price
		case ScoreHistory:
			last.Score = i.Score
		case LifeHistory:
			last.Entered = i.From
		}
	}
	return last
}

// RetiredDetailJSON returns a retired tool with everything that is known of it, as JSON.
func (s *Snapshot) RetiredDetailJSON(slug string) (Document, bool) {
	r, ok := s.Retired(slug)
	if !ok {
		return Document{}, false
	}
	last := s.LastLife(slug)
	o := newObject()
	o.string("slug", r.Slug)
	o.string("name", r.Name)
	o.string("category", r.Category)
	o.nullable("domain", r.Domain)
	o.string("reason", string(r.Reason))
	o.string("retired_at", string(r.RetiredAt))
	o.string("note", r.Note)
	o.nullable("successor", r.Successor)
	o.nullable("entered", string(last.Entered))
	o.nullable("last_pricing", string(last.Pricing))
	o.nullable("last_price", last.Price)
	o.measure("last_score", last.Score)
	return NewDocument(o.close()), true
}
