package site

import (
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxJournalEntries is how many entries of an edition are shown. A larger one is counted.
const maxJournalEntries = 50

// A journalIndex is the change log by edition, as far as the snapshot has it. It is made once per
// edition.
type journalIndex struct {
	editions []journalEdition             // newest first
	begins   bool                         // the oldest entry is the first there was
	created  []*catalog.LogEntry          // newest first
	retired  map[string]*catalog.LogEntry // by slug
}

// A journalEdition is what an edition changed.
type journalEdition struct {
	number  int64
	at      time.Time
	first   bool
	total   int
	counts  map[catalog.EventType]int
	entries []*catalog.LogEntry // the first of them, in the order of the log
}

func newJournalIndex(s *catalog.Snapshot, amended amendedLog, rest func()) *journalIndex {
	x := &journalIndex{retired: make(map[string]*catalog.LogEntry)}
	var entries []*catalog.LogEntry
	end := func() {
		if len(entries) > 0 {
			x.editions = append(x.editions, newJournalEdition(entries))
			entries = entries[:0]
		}
	}
	for e := range s.RecentChanges() {
		rest()
		if amended.void(e) {
			continue
		}
		if len(entries) > 0 && entries[0].Edition != e.Edition {
			end()
		}
		entries = append(entries, e)
		switch e.Type {
		case catalog.ToolCreated:
			x.created = append(x.created, e)
		case catalog.ToolRetired:
			if x.retired[e.Slug] == nil {
				x.retired[e.Slug] = e
			}
		default:
		}
	}
	end()
	if n := len(x.editions); n > 0 {
		x.begins = x.editions[n-1].first
	}
	return x
}

// newJournalEdition makes an edition of its entries, newest first.
func newJournalEdition(entries []*catalog.LogEntry) journalEdition {
	oldest := entries[len(entries)-1]
	e := journalEdition{
		number: oldest.Edition, at: oldest.At, first: oldest.Seq == 1,
		total: len(entries), counts: make(map[catalog.EventType]int),
	}
	for _, entry := range entries {
		e.counts[entry.Type]++
	}
	e.entries = slices.Clone(entries[max(0, len(entries)-maxJournalEntries):])
	slices.Reverse(e.entries)
	return e
}
