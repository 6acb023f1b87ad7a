package catalog

import (
	"slices"
	"time"
)

// An EventType names what happened to an item.
type EventType string

// The events of the log.
const (
	ToolCreated           EventType = "tool.created"
	ToolUpdated           EventType = "tool.updated"
	ToolRetired           EventType = "tool.retired"
	ToolRemoved           EventType = "tool.removed" // taken out without being retired
	ToolEnding            EventType = "tool.ending"  // its end was announced, moved or taken back
	PriceChanged          EventType = "price.changed"
	ComparisonPublished   EventType = "comparatif.published"
	ComparisonUpdated     EventType = "comparatif.updated"
	ComparisonUnpublished EventType = "comparatif.unpublished"
	CemeteryAdded         EventType = "cimetiere.added" // of what ToolRetired does not tell
	CemeteryUpdated       EventType = "cimetiere.updated"
	CemeteryRemoved       EventType = "cimetiere.removed"
	EmbeddingsUpdated     EventType = "embeddings.updated"
	CatalogUpdated        EventType = "catalog.updated" // its name, address or categories
)

// CatalogSlug stands for the catalog itself in the log.
const CatalogSlug = "catalog"

// An Event is one change of the catalog. Object is the item as the API shows it, Previous what it
// was before, both JSON; either may be empty.
type Event struct {
	Type       EventType
	Slug       string
	Categories []string
	Object     []byte
	Previous   []byte

	// Correction is the number of the entry that told what this one corrects; 0 for none.
	Correction int64
}

// A LogEntry is one entry of the change log: an event, and the edition that published it. The log
// only ever grows at its end, and its numbers have no holes.
type LogEntry struct {
	Seq       int64
	Edition   int64
	EditionID string    // that no other edition has, not even one with the same number
	At        time.Time // of the edition
	Event
}

// Cursor is the place after the entry.
func (e *LogEntry) Cursor() Cursor { return NewCursor(e.Seq, e.EditionID) }

// size is about what the entry takes in memory.
func (e *LogEntry) size() int {
	const fields = 256
	n := fields + len(e.Slug) + len(e.Object) + len(e.Previous)
	for _, c := range e.Categories {
		n += len(c)
	}
	return n
}

// A snapshot keeps the end of the log: the last minLog entries, and before them those of the last
// logAge as far as maxLog bytes hold them.
const (
	minLog = 1000
	logAge = 30 * 24 * time.Hour
	maxLog = 16 << 20
)

// A LogLimit decides which entries of the log the snapshot of an edition keeps. It is asked about
// one entry after the other, from the newest to the oldest, until it refuses one.
//
// What a limit keeps depends on the newer entries alone. So a node that adds the entries of every
// edition to those it has keeps the same ones as a node that reads the log for the first time.
type LogLimit struct {
	since time.Time
	count int
	size  int
	next  int64 // the number of the entry asked about before
}

// NewLogLimit makes the limit for the snapshot of an edition.
func NewLogLimit(e Edition) *LogLimit { return &LogLimit{since: e.PublishedAt.Add(-logAge)} }

// Keeps reports whether the snapshot keeps an entry. It refuses an entry that is not the one right
// before the last: what lies between was left out because it was too old or too much.
func (l *LogLimit) Keeps(e *LogEntry) bool {
	l.count++
	l.size += e.size()
	consecutive := l.next == 0 || e.Seq == l.next-1
	l.next = e.Seq
	return consecutive && (l.count <= minLog || l.size <= maxLog && !e.At.Before(l.since))
}

// keepLog gives the end of the log after more entries, without what is older than start.
func keepLog(log, more []*LogEntry, start int64, e Edition) []*LogEntry {
	limit := NewLogLimit(e)
	all := slices.Concat(log, more)
	for i, entry := range slices.Backward(all) {
		if entry.Seq < start || !limit.Keeps(entry) {
			return all[i+1:]
		}
	}
	return all
}
