package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
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
	ToolRenamed           EventType = "tool.renamed" // it has another slug
	ToolEnding            EventType = "tool.ending"  // its end was announced, moved or taken back
	PriceChanged          EventType = "price.changed"
	PriceAnnounced        EventType = "price.announced" // a price to come was announced, moved or withdrawn
	ComparisonPublished   EventType = "comparatif.published"
	ComparisonUpdated     EventType = "comparatif.updated"
	ComparisonRenamed     EventType = "comparatif.renamed"
	ComparisonUnpublished EventType = "comparatif.unpublished"
	CemeteryAdded         EventType = "cimetiere.added" // unless ToolRetired reports it
	CemeteryUpdated       EventType = "cimetiere.updated"
	CemeteryRenamed       EventType = "cimetiere.renamed"
	CemeteryRemoved       EventType = "cimetiere.removed"
	EmbeddingsUpdated     EventType = "embeddings.updated"
	CatalogUpdated        EventType = "catalog.updated" // its name, address or categories
)

// EventTypes returns every event type, in the order above, in which lists show them.
func EventTypes() []EventType {
	return []EventType{
		ToolCreated, ToolUpdated, ToolRetired, ToolRemoved, ToolRenamed, ToolEnding, PriceChanged, PriceAnnounced,
		ComparisonPublished, ComparisonUpdated, ComparisonRenamed, ComparisonUnpublished,
		CemeteryAdded, CemeteryUpdated, CemeteryRenamed, CemeteryRemoved, EmbeddingsUpdated, CatalogUpdated,
	}
}

// CatalogSlug stands for the catalog itself in the log.
const CatalogSlug = "catalog"

// An Event is one change of the catalog. Object is the item as the API shows it and Previous the
// item before, both JSON; either may be empty.
type Event struct {
	Type       EventType
	Slug       string
	Categories []string
	Object     []byte
	Previous   []byte

	// Correction is the number of the entry that this one corrects; 0 for none.
	Correction int64

	// RenamedFrom is the item's former slug, and RenamedTo its new one. The event of a rename has
	// both; an event that follows from it has the one that is not Slug.
	RenamedFrom, RenamedTo string
}

// Repeats reports whether an event repeats the preceding rename for clients that do not know
// renames: as the removal of the old slug, as the creation of the new one, or as the announced end
// of the item.
func (e *Event) Repeats() bool { return (e.RenamedFrom != "") != (e.RenamedTo != "") }

// A LogEntry is one entry of the change log: an event, and the edition that published it. The log
// grows only at its end, and its numbers have no holes.
type LogEntry struct {
	Seq       int64
	Edition   int64
	EditionID string    // unique, even among editions of the same number
	At        time.Time // of the edition
	Event
}

// Cursor returns the place after the entry.
func (e *LogEntry) Cursor() Cursor { return NewCursor(e.Seq, e.EditionID) }

// size returns roughly how much memory the entry takes.
func (e *LogEntry) size() int {
	const fields = 256
	n := fields + len(e.Slug) + len(e.Object) + len(e.Previous)
	for _, c := range e.Categories {
		n += len(c)
	}
	return n
}

// A snapshot keeps the end of the log: the last minLog entries, and older ones of the last logAge
// while all of them fit in maxLog bytes.
const (
	minLog = 1000
	logAge = 30 * 24 * time.Hour
	maxLog = 16 << 20
)

// A LogLimit decides which entries of the log a snapshot keeps. Ask it about one entry after the
// other, from the newest to the oldest, until it refuses one.
//
// Its answers depend on the newer entries alone. So a node that adds each edition's entries to
// those it has keeps the same ones as a node that reads the log for the first time.
type LogLimit struct {
	since time.Time
	count int
	size  int
	next  int64 // the number of the entry asked about before
}

// NewLogLimit returns the limit for the snapshot of an edition.
func NewLogLimit(e Edition) *LogLimit { return &LogLimit{since: e.PublishedAt.Add(-logAge)} }

// Keeps reports whether the snapshot keeps an entry. It refuses an entry that does not directly
// precede the one it was last asked about: those in between were already too old or too much.
func (l *LogLimit) Keeps(e *LogEntry) bool {
	l.count++
	l.size += e.size()
	consecutive := l.next == 0 || e.Seq == l.next-1
	l.next = e.Seq
	return consecutive && (l.count <= minLog || l.size <= maxLog && !e.At.Before(l.since))
}

// keepLog returns the end of the log after appending more, without entries older than start.
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

// A Cursor is a place in the change log: right after the entry with that number. It also names the
// entry's edition, because a database restored from a backup gives the same numbers to other
// entries. The zero Cursor is the beginning.
type Cursor struct {
	Seq     int64
	Edition string // the first 16 hexadecimal digits of its id; "" is any
}

// editionDigits is how many digits of an edition's id a cursor has: enough to distinguish editions
// of the same number.
const editionDigits = 16

// NewCursor returns the cursor right after an entry of an edition.
func NewCursor(seq int64, editionID string) Cursor {
	switch digits := strings.ReplaceAll(editionID, "-", ""); {
	case seq == 0:
		return Cursor{}
	case editionID == "":
		return Cursor{Seq: seq}
	case len(digits) >= editionDigits && areDigits(digits):
		return Cursor{seq, digits[:editionDigits]}
	default: // an id that no database gave
		sum := sha256.Sum256([]byte(editionID))
		return Cursor{seq, hex.EncodeToString(sum[:editionDigits/2])}
	}
}

func areDigits(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// String returns the cursor as clients see it.
func (c Cursor) String() string {
	if c.Edition == "" {
		return strconv.FormatInt(c.Seq, 10)
	}
	return strconv.FormatInt(c.Seq, 10) + "-" + c.Edition
}

// ParseCursor parses what String returns. It also accepts a number alone, such as that of a
// delivered event.
func ParseCursor(text string) (c Cursor, ok bool) {
	number, digits, named := strings.Cut(text, "-")
	seq, err := strconv.ParseUint(number, 10, 63)
	if err != nil || number != strconv.FormatUint(seq, 10) {
		return Cursor{}, false
	}
	if named && (seq == 0 || len(digits) != editionDigits || !areDigits(digits)) {
		return Cursor{}, false
	}
	return Cursor{int64(seq), digits}, true
}
