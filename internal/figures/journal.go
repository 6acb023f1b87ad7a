package figures

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Weight says how much a change matters to readers: the first is the heaviest.
type Weight int

// The weights of changes.
const (
	Arrived Weight = iota // what is new
	Ended                 // what went, or will go
	Priced
	Scored
	Renamed // items that changed their slug, and the catalog itself
	Edited  // all else
	weights
)

// Weights returns all weights, the heaviest first.
func Weights() []Weight {
	all := make([]Weight, weights)
	for i := range all {
		all[i] = Weight(i)
	}
	return all
}

// A Journal is the change log by edition, as far as the snapshot has it.
type Journal struct {
	Editions []JournalEdition             // newest first
	Begins   bool                         // the oldest entry is the first of all
	Created  []*catalog.LogEntry          // newest first
	Retired  map[string]*catalog.LogEntry // by slug
	Endings  []*catalog.LogEntry          // the newest of each tool, newest first
}

// A JournalEdition is what an edition changed.
type JournalEdition struct {
	Number int64
	At     time.Time
	First  bool
	Counts map[catalog.EventType]int
	Items  []JournalItem // the heaviest first, then in the order of the log; none of the first edition
}

// A JournalItem is what an edition changed of one item.
type JournalItem struct {
	Weight  Weight // of the heaviest entry
	Entries []*catalog.LogEntry
}

// newJournalEdition returns the edition that published the entries, which come newest first.
func newJournalEdition(entries []*catalog.LogEntry, amended AmendedLog) JournalEdition {
	oldest := entries[len(entries)-1]
	e := JournalEdition{
		Number: oldest.Edition, At: oldest.At, First: oldest.Seq == 1, Counts: make(map[catalog.EventType]int),
	}
	for _, entry := range slices.Backward(entries) {
		e.Counts[entry.Type]++
		if e.First {
			continue
		}
		weight := amended.weight(entry)
		if n := len(e.Items); n > 0 && OfOneItem(e.Items[n-1].Entries[0], entry) {
			last := &e.Items[n-1]
			last.Entries, last.Weight = append(last.Entries, entry), min(last.Weight, weight)
			continue
		}
		e.Items = append(e.Items, JournalItem{weight, []*catalog.LogEntry{entry}})
	}
	slices.SortStableFunc(e.Items, func(a, b JournalItem) int { return cmp.Compare(a.Weight, b.Weight) })
	return e
}

// OfOneItem reports whether two entries of an edition that follow each other are about the same item.
func OfOneItem(a, b *catalog.LogEntry) bool { return a.Slug == b.Slug && Noun(a.Type) == Noun(b.Type) }

// Noun returns the kind of item that an event is about. The slug does not tell: the same one may name a tool, an entry of
// the cemetery, a comparison and the catalog.
func Noun(t catalog.EventType) string {
	switch noun, _, _ := strings.Cut(string(t), "."); noun {
	case "price", "embeddings":
		return "tool"
	default:
		return noun
	}
}

func (l AmendedLog) weight(e *catalog.LogEntry) Weight {
	switch e.Type {
	case catalog.ToolCreated, catalog.ComparisonPublished:
		return Arrived
	case catalog.ToolRetired, catalog.ToolRemoved, catalog.ToolEnding, catalog.ComparisonUnpublished, catalog.CemeteryAdded, catalog.CemeteryRemoved:
		return Ended
	case catalog.PriceChanged, catalog.PriceAnnounced:
		return Priced
	case catalog.ToolRenamed, catalog.ComparisonRenamed, catalog.CemeteryRenamed, catalog.CatalogUpdated:
		return Renamed
	case catalog.ToolUpdated:
		x := l[e.Seq]
		before, after := l.Scores(e)
		switch {
		case x != nil && x.Price:
			return Priced
		case x != nil && x.Score, before != after:
			return Scored
		}
	default:
	}
	return Edited
}
