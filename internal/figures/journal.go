package figures

import (
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxJournalEntries is how many entries of an edition are shown. A larger one is counted.
const maxJournalEntries = 50

// A Journal is the change log by edition, as far as the snapshot has it.
type Journal struct {
	Editions []JournalEdition             // newest first
	Begins   bool                         // the oldest entry is the first there was
	Created  []*catalog.LogEntry          // newest first
	Retired  map[string]*catalog.LogEntry // by slug
	Endings  []*catalog.LogEntry          // the newest of each tool, newest first
}

// A JournalEdition is what an edition changed.
type JournalEdition struct {
	Number  int64
	At      time.Time
	First   bool
	Total   int
	Counts  map[catalog.EventType]int
	Entries []*catalog.LogEntry // the first of them, in the order of the log
}

func (b *builder) journal(amended AmendedLog) *Journal {
	x := &Journal{Retired: make(map[string]*catalog.LogEntry)}
	ending := make(map[string]bool)
	var entries []*catalog.LogEntry
	end := func() {
		if len(entries) > 0 {
			x.Editions = append(x.Editions, newJournalEdition(entries))
			entries = entries[:0]
		}
	}
	for e := range b.snapshot.RecentChanges() {
		b.throttle.Pause()
		if amended.Void(e) {
			continue
		}
		if len(entries) > 0 && entries[0].Edition != e.Edition {
			end()
		}
		entries = append(entries, e)
		switch e.Type {
		case catalog.ToolCreated:
			x.Created = append(x.Created, e)
		case catalog.ToolRetired:
			if x.Retired[e.Slug] == nil {
				x.Retired[e.Slug] = e
			}
		case catalog.ToolEnding:
			if !ending[e.Slug] {
				ending[e.Slug] = true
				x.Endings = append(x.Endings, e)
			}
		default:
		}
	}
	end()
	if n := len(x.Editions); n > 0 {
		x.Begins = x.Editions[n-1].First
	}
	return x
}

// newJournalEdition makes an edition of its entries, newest first.
func newJournalEdition(entries []*catalog.LogEntry) JournalEdition {
	oldest := entries[len(entries)-1]
	e := JournalEdition{
		Number: oldest.Edition, At: oldest.At, First: oldest.Seq == 1,
		Total: len(entries), Counts: make(map[catalog.EventType]int),
	}
	for _, entry := range entries {
		e.Counts[entry.Type]++
	}
	e.Entries = slices.Clone(entries[max(0, len(entries)-maxJournalEntries):])
	slices.Reverse(e.Entries)
	return e
}
