package digest

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Types returns the types of events that digests tell of. Others, those of later versions among them, say nothing to a
// digest.
func Types() []catalog.EventType {
	return []catalog.EventType{
		catalog.ToolUpdated, catalog.ToolRetired, catalog.ToolRemoved, catalog.ToolRenamed, catalog.ToolEnding,
		catalog.PriceChanged, catalog.CemeteryRenamed, catalog.CemeteryRemoved,
	}
}

// A Life says what became of a tool.
type Life string

// The lives. A tool that lived and lives has none.
const (
	Retired  Life = "retired"
	Removed  Life = "removed"  // taken out of the catalog without being retired
	Returned Life = "returned" // from the cemetery
)

// A Move is a value before and after. If it is Corrected, the value before was a mistake.
type Move[T comparable] struct {
	Was, Is   T
	Corrected bool
}

// A Change is what happened to a tool between two digests. It compares the ends: a value that moved and moved back is in
// none, and a mistake that was corrected meanwhile never happened.
type Change struct {
	Slug, Name string
	Page       bool // the tool has a page, living or retired

	Life      Life
	RetiredAt catalog.Date   // with Retired
	Reason    catalog.Reason // with Retired

	End       *Move[catalog.Date]    // of an announced end; "" for none
	Successor string                 // the name of the tool to use instead; "" for none, and if nothing says so anew
	Price     *Move[string]          // dearer, or corrected
	Score     *Move[catalog.Measure] // as pages round it
}

// rank orders changes: what ends comes first.
func (c Change) rank() int {
	switch {
	case c.Life != "":
		return 0
	case c.End != nil || c.Successor != "":
		return 1
	case c.Price != nil:
		return 2
	default:
		return 3
	}
}

// Empty reports whether there is nothing to tell.
func (c Change) Empty() bool {
	return c.Life == "" && c.End == nil && c.Successor == "" && c.Price == nil && c.Score == nil
}

// A Tool is what is known of a tool of a list when a digest is made.
type Tool struct {
	Slug      string
	Formerly  []string
	Name      string // "" if the catalog does not have it any more
	Living    bool
	Successor string // the slug; "" for none
}

// An item is what digests read of the objects of events.
type item struct {
	Name      string          `json:"name"`
	Pricing   catalog.Pricing `json:"pricing"`
	Price     string          `json:"price"`
	EndsAt    catalog.Date    `json:"ends_at"`
	Successor string          `json:"successor"`
	RetiredAt catalog.Date    `json:"retired_at"`
	Reason    catalog.Reason  `json:"reason"`
}

// items returns the item before and after an entry. What cannot be read says nothing: an entry must not stop the digests
// of all who follow its tool.
func items(e *catalog.LogEntry) (was, is item) {
	for _, side := range []struct {
		text []byte
		item *item
	}{{e.Previous, &was}, {e.Object, &is}} {
		if json.Unmarshal(side.text, side.item) != nil {
			*side.item = item{}
		}
	}
	return was, is
}

// Matters reports whether a digest may tell of an entry.
func Matters(e *catalog.LogEntry) bool {
	switch {
	case e.Repeats() || !slices.Contains(Types(), e.Type) || e.Type == catalog.CemeteryRenamed:
		return false
	case e.Type == catalog.ToolUpdated || e.Type == catalog.ToolRenamed:
		before, after := e.Scores()
		return before.Rounded() != after.Rounded()
	default:
		return true
	}
}

// Successors returns the slugs of the tools that entries name to use instead of others.
func Successors(entries []*catalog.LogEntry) (slugs []string) {
	for _, e := range entries {
		if _, is := items(e); e.Type == catalog.ToolEnding && is.Successor != "" {
			slugs = append(slugs, is.Successor)
		}
	}
	return slugs
}

// An end is an announced end.
type end struct {
	at        catalog.Date
	successor string
}

// A track follows a value through the log.
type track[T comparable] struct {
	known          bool
	mistaken       T // the value that readers may know, if it was corrected
	corrected      bool
	from, now      T
	ownCorrections []int64 // entries that corrected from
}

// move notes that an entry changed the value. since is the entry that the last digest ended with.
func (t *track[T]) move(e *catalog.LogEntry, was, is T, since int64) {
	if !t.known {
		t.known, t.from, t.now = true, was, was
	}
	before := e.Correction != 0 && (e.Correction <= since || slices.Contains(t.ownCorrections, e.Correction))
	if before && t.now == t.from {
		if !t.corrected {
			t.corrected, t.mistaken = true, t.from
		}
		t.from, t.ownCorrections = is, append(t.ownCorrections, e.Seq)
	}
	t.now = is
}

// moved returns the change of the value: the real one if it is to be told, else the correction of the one before; nil for
// none.
func (t *track[T]) moved(told func(was, is T) bool) *Move[T] {
	switch {
	case !t.known:
		return nil
	case t.from != t.now && told(t.from, t.now):
		return &Move[T]{Was: t.from, Is: t.now}
	case t.corrected && t.mistaken != t.now:
		return &Move[T]{Was: t.mistaken, Is: t.now, Corrected: true}
	default:
		return nil
	}
}

// A tracker follows a tool through the log.
type tracker struct {
	price   track[string]
	score   track[catalog.Measure]
	end     track[end]
	life    track[Life] // "" while it lives
	retired item        // by the last retirement
	name    string      // the last one
}

// read notes what an entry says. living says whether the tool lives now.
func (x *tracker) read(e *catalog.LogEntry, living bool, since int64) {
	was, is := items(e)
	x.name = cmp.Or(is.Name, was.Name, x.name)
	switch e.Type {
	case catalog.PriceChanged:
		x.price.move(e, was.Price, is.Price, since)
	case catalog.ToolUpdated, catalog.ToolRenamed:
		before, after := e.Scores()
		x.score.move(e, before.Rounded(), after.Rounded(), since)
	case catalog.ToolEnding:
		x.end.move(e, end{was.EndsAt, was.Successor}, end{is.EndsAt, is.Successor}, since)
	case catalog.ToolRetired:
		x.retired = is
		x.live(e, "", Retired, since)
	case catalog.ToolRemoved:
		x.live(e, "", Removed, since)
	case catalog.CemeteryRemoved:
		life := Removed
		if living {
			life = ""
		}
		x.live(e, Retired, life, since)
	default:
	}
}

// live notes that a life began or ended. What was told of the one before is over with it.
func (x *tracker) live(e *catalog.LogEntry, was, is Life, since int64) {
	x.life.move(e, was, is, since)
	x.price, x.score, x.end = track[string]{}, track[catalog.Measure]{}, track[end]{}
}

// ChangeOf returns what happened to a tool after the entry since, from the entries after it that are about the tool, in
// order. names has the names of tools by slug.
func ChangeOf(t Tool, entries []*catalog.LogEntry, since int64, names map[string]string) Change {
	var x tracker
	for _, e := range entries {
		if Matters(e) {
			x.read(e, t.Living, since)
		}
	}
	c := Change{Slug: t.Slug, Name: cmp.Or(t.Name, x.name, t.Slug), Page: t.Name != ""}
	switch life := x.life.now; {
	case x.life.from == life && life != "": // it was gone, came back and went
	case x.life.from == life:
		x.tell(&c, names)
	case life == "":
		c.Life = Returned
	default:
		if c.Life = life; life == Retired {
			c.RetiredAt, c.Reason, c.Successor = x.retired.RetiredAt, x.retired.Reason, names[t.Successor]
		}
	}
	return c
}

// tell adds what happened to a tool that lived and lives.
func (x *tracker) tell(c *Change, names map[string]string) {
	c.Price = x.price.moved(dearer)
	c.Score = x.score.moved(func(_, _ catalog.Measure) bool { return true })
	was, is := x.end.from, x.end.now
	if was.at != is.at {
		c.End = &Move[catalog.Date]{Was: was.at, Is: is.at}
	}
	if was != is && is.at != "" {
		c.Successor = names[is.successor]
	}
}

// dearer reports whether a price is higher than another. As in findings, amounts of one period alone are compared, and
// nothing is as cheap as a price of 0.
func dearer(was, is string) bool {
	a, known := catalog.ParsePrice(was)
	b, read := catalog.ParsePrice(is)
	return known && read && (a.Period == b.Period || a.Cents == 0) && b.Cents > a.Cents
}
