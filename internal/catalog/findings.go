package catalog

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/text"
)

// A FindingKind is a reason to reconsider a tool in use.
type FindingKind string

// The reasons.
const (
	FindingRetired  FindingKind = "retired"     // it is in the cemetery
	FindingEnding   FindingKind = "ending"      // its end is announced, whether or not that day has passed
	FindingDearer   FindingKind = "dearer"      // it costs more than a year before the edition
	FindingSoon     FindingKind = "dearer_soon" // an announced price is higher, whether or not its day has passed
	FindingLowScore FindingKind = "low_score"   // its score is below the minimum asked for
)

// FindingKinds lists the kinds in the order in which a Finding has them.
func FindingKinds() []FindingKind {
	return []FindingKind{FindingRetired, FindingEnding, FindingDearer, FindingSoon, FindingLowScore}
}

// LowScore is the default score below which a tool's score counts as low.
const LowScore = 5

// MaxInstead is the largest number of tools that a Finding recommends instead.
const MaxInstead = 5

// A Finding is what users of a tool should know about it. If there is nothing, only Slug is set.
type Finding struct {
	Slug    string
	Kinds   []FindingKind // in the order of FindingKinds
	Detail  string        // the facts, in English, a sentence or two for each kind
	Dearer  PriceChange   // with FindingDearer, the one that ended the price of a year before
	Instead []string      // the slugs of living tools, the best first
}

// Findings returns the finding of a tool, living or retired, and whether there is such a tool. With
// the zero Bound no score is low.
//
// It depends on the edition alone: a year ago is a year before the edition's day, not before today.
func (s *Snapshot) Findings(slug string, scoreMin Bound) (Finding, bool) {
	f := Finding{Slug: slug}
	if r, ok := s.Retired(slug); ok {
		f.add(FindingRetired, "Retired on "+string(r.RetiredAt)+"."+s.successorWords(" Its successor is ", r.Successor, "."))
		f.Instead = s.instead(slug, s.Alternatives(slug), scoreMin)
		return f, true
	}
	t, ok := s.Tool(slug)
	if !ok {
		return Finding{}, false
	}
	if t.Ending.Announced() {
		ends := "Ends on "
		if t.Ending.At < s.edition.Date() {
			ends = "Was to end on "
		}
		f.add(FindingEnding, ends+string(t.Ending.At)+s.successorWords("; its successor is ", t.Ending.Successor, "")+".")
	}
	if c, ok := s.dearer(t); ok { // both prices have been read, so they are plain
		f.add(FindingDearer, t.Price+", "+c.OldPrice+" until "+string(c.ChangedAt)+".")
		f.Dearer = c
	}
	if t.dearerSoon() {
		announced := "Will cost "
		if t.Next.From < s.edition.Date() {
			announced = "Was to cost "
		}
		f.add(FindingSoon, announced+t.Next.Price+" from "+string(t.Next.From)+"; "+t.Price+" today.")
	}
	if t.Score.Known && !scoreMin.least(t.Score) {
		f.add(FindingLowScore, "Score "+t.Score.String()+", below "+scoreMin.String()+".")
	}
	if len(f.Kinds) > 0 {
		f.Instead = s.instead(slug, s.Alternatives(slug), scoreMin)
	}
	return f, true
}

func (f *Finding) add(kind FindingKind, detail string) {
	if f.Kinds = append(f.Kinds, kind); f.Detail != "" {
		f.Detail += " "
	}
	f.Detail += detail
}

// successorWords names the successor of a tool; "" where there is none.
func (s *Snapshot) successorWords(before, successor, after string) string {
	name := ""
	if t, ok := s.Tool(successor); ok {
		name = t.Name
	} else if r, ok := s.Retired(successor); ok {
		name = r.Name
	}
	if name == "" {
		return ""
	}
	return before + text.Line(name) + after
}

// dearer returns the price change that ended the price in force a year before the edition, if the
// tool costs more now.
//
// Only amounts of one period are compared: a price for a month has nothing to do with one for a
// seat, nor with one for a year, which binds for longer. A price of 0 is the same in every period,
// so a tool that was free and no longer is counts as dearer. The pricing model does not matter: a
// tool that lost its free plan and costs what it cost is not dearer.
//
// It is unknown when a tool's first price began. It counts as the price of a year ago, unless the
// log still says that the tool was added later.
func (s *Snapshot) dearer(t *Tool) (ended PriceChange, ok bool) {
	day := DateOf(s.edition.Date().Time().AddDate(-1, 0, 0))
	later := 0 // how many changes there have been since; the newest come first
	for later < len(t.History) && t.History[later].ChangedAt > day {
		later++
	}
	first := later == len(t.History)
	for later > 0 && t.History[later-1].OldPrice == t.History[later-1].NewPrice {
		later-- // only the model changed
	}
	if later == 0 {
		return PriceChange{}, false
	}
	ended = t.History[later-1]
	if !costsMore(ended.OldPrice, t.Price) || first && s.cameAfter(t.Slug, day) {
		return PriceChange{}, false
	}
	return ended, true
}

// costsMore reports whether a price is higher than another one, as dearer says.
func costsMore(before, after string) bool {
	was, wasRead := ParsePrice(before)
	is, isRead := ParsePrice(after)
	return wasRead && isRead && (was.Period == is.Period || was.Cents == 0) && is.Cents > was.Cents
}

// dearerSoon reports whether the tool's announced price is higher than the present one.
func (t *Tool) dearerSoon() bool { return t.Next.Announced() && costsMore(t.Price, t.Next.Price) }

// cameAfter reports whether the snapshot's log says that a tool was added after a day.
func (s *Snapshot) cameAfter(slug string, day Date) bool {
	for e := range s.RecentChanges() { // the newest first
		switch {
		case e.Slug != slug || e.Repeats():
		case e.Type == ToolCreated:
			return DateOf(e.At) > day
		case e.Type == ToolRenamed:
			slug = e.RenamedFrom
		}
	}
	return false
}

// instead returns the tools to use instead of another: the successor, then the alternatives,
// without those that will end or whose score is too low.
func (s *Snapshot) instead(slug string, alternatives []*Tool, scoreMin Bound) []string {
	var list []string
	add := func(t *Tool) {
		low := t.Score.Known && !scoreMin.least(t.Score)
		if len(list) < MaxInstead && t.Slug != slug && !t.Ending.Announced() && !low && !slices.Contains(list, t.Slug) {
			list = append(list, t.Slug)
		}
	}
	if t, ok := s.Successor(slug); ok {
		add(t)
	}
	for _, t := range alternatives {
		add(t)
	}
	return list
}

// Successor returns the first tool that is living and has no announced end: the tool itself, or
// else the next one in its chain of successors that is. It returns false if there is none.
func (s *Snapshot) Successor(slug string) (*Tool, bool) {
	for seen := []string{}; slug != "" && !slices.Contains(seen, slug); {
		seen = append(seen, slug)
		if r, ok := s.Retired(slug); ok {
			slug = r.Successor
			continue
		}
		t, ok := s.Tool(slug)
		if !ok || !t.Ending.Announced() {
			return t, ok
		}
		slug = t.Ending.Successor
	}
	return nil, false
}

// A FindingsQuery asks for the findings of some tools.
type FindingsQuery struct {
	Inputs   []string // each once
	Slugs    bool     // inputs are slugs only, and nothing else that Identify recognises
	ScoreMin Bound
}

// maxNearInputs is the most inputs of a query that the nearest tools are looked up for. A look-up
// takes some milliseconds in a large catalog.
const maxNearInputs = 10

// FindingsJSON returns the findings of some tools as JSON, a row for each input that names exactly
// one tool, in the order of the inputs, and the number of rows. It lists all other inputs as
// unknown, with the tools that they may mean.
func (s *Snapshot) FindingsJSON(q FindingsQuery) (d Document, known int) {
	var rows []byte
	missed := missedInputs{near: newObject()}
	for _, input := range q.Inputs {
		by, slug, meant := BySlug, s.ToolSlug(input), []string(nil)
		if !q.Slugs {
			by, slug, meant = s.Resolve(input)
		}
		f, ok := s.Findings(slug, q.ScoreMin)
		if !ok {
			missed.add(s, input, meant)
			continue
		}
		if known++; known > 1 {
			rows = append(rows, ',')
		}
		rows = append(rows, encodeFinding(f, input, by)...)
	}
	o := newObject()
	o.raw("data", slices.Concat([]byte("["), rows, []byte("]")))
	missed.encode(&o, len(q.Inputs))
	return NewDocument(o.close()), known
}

// missedInputs are the inputs of a query that do not name exactly one tool, with the tools that
// they may mean.
type missedInputs struct {
	unknown  []string
	near     object
	searched int
}

// add adds an input. meant are the tools that it names, if there are several.
func (m *missedInputs) add(s *Snapshot, input string, meant []string) {
	m.unknown = append(m.unknown, input)
	if len(meant) == 0 && m.searched < maxNearInputs {
		meant = s.NearestTo(input)
		m.searched++
	}
	if len(meant) > 0 {
		m.near.member(input, appendArray(nil, meant, appendString))
	}
}

// encode adds what an answer says of its inputs.
func (m *missedInputs) encode(o *object, asked int) {
	o.int("asked", asked)
	o.int("known", asked-len(m.unknown))
	o.raw("unknown", appendArray(nil, m.unknown, appendString))
	o.raw("near", m.near.close())
}

func encodeFinding(f Finding, input, by string) []byte {
	o := newObject()
	o.string("slug", f.Slug)
	o.raw("findings", appendArray(nil, f.Kinds, func(b []byte, k FindingKind) []byte { return appendString(b, string(k)) }))
	o.nullable("detail", f.Detail)
	o.raw("instead", appendArray(nil, f.Instead, appendString))
	o.string("input", input)
	o.string("matched_by", by)
	return o.close()
}
