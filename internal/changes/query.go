package changes

import (
	"slices"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// The bounds of a page.
const (
	DefaultLimit = 200
	MaxLimit     = 1000
	MaxBytes     = 4 << 20
	MaxScanned   = 10_000 // entries that a filter reads
)

// A Query selects entries of the change log.
type Query struct {
	Since  catalog.Cursor // the entries after it
	From   time.Time      // if set, the entries from then on instead, ignoring Since
	Newest bool           // the newest entries instead, ignoring Since
	Filter Filter
	Limit  int
	Until  int64 // the number of the last entry to read; 0 is the end of the log
}

// A Filter selects entries. An empty list matches all.
type Filter struct {
	Types      []catalog.EventType
	Categories []string
	Slugs      []string
}

// Empty reports whether the filter matches all entries.
func (f Filter) Empty() bool { return len(f.Types)+len(f.Categories)+len(f.Slugs) == 0 }

// withRenames returns the filter with the other present and former slugs of the items that it names.
func (f Filter) withRenames(s *catalog.Snapshot) Filter {
	var slugs []string
	for _, slug := range f.Slugs {
		slugs = append(slugs, s.SlugsOf(slug)...)
	}
	f.Slugs = slugs
	return f
}

// Has reports whether the filter matches an entry. An entry about the catalog itself needs to match
// only Types, because clients that follow a few tools also follow their categories.
func (f Filter) Has(e *catalog.LogEntry) bool {
	if len(f.Types) > 0 && !slices.Contains(f.Types, e.Type) {
		return false
	}
	if e.Type == catalog.CatalogUpdated {
		return true
	}
	return (len(f.Slugs) == 0 || slices.Contains(f.Slugs, e.Slug)) &&
		(len(f.Categories) == 0 || slices.ContainsFunc(e.Categories, func(c string) bool { return slices.Contains(f.Categories, c) }))
}

// A Batch is the result of a query: the matching entries, oldest first, as many as the limit
// allows.
type Batch struct {
	Entries   []*catalog.LogEntry
	ScannedTo catalog.Cursor // the last entry read, if Entries are fewer than the limit
	More      bool           // there are entries after it

	Since  catalog.Cursor // of a query with From: the place before the entries
	Begins time.Time      // of such a query: when the log begins, if that is later than From
}

// find answers a query from entries, the part of a snapshot's log that the query covers. end is the
// end of that log.
func find(entries []*catalog.LogEntry, q Query, end catalog.Cursor) Batch {
	b := Batch{ScannedTo: end}
	if q.Newest {
		for _, e := range slices.Backward(entries[max(0, len(entries)-MaxScanned):]) {
			if len(b.Entries) == q.Limit {
				break
			}
			if q.Filter.Has(e) {
				b.Entries = append(b.Entries, e)
			}
		}
		slices.Reverse(b.Entries)
		return b
	}
	if !q.Filter.Empty() && len(entries) >= MaxScanned {
		entries = entries[:MaxScanned]
		b.ScannedTo, b.More = entries[MaxScanned-1].Cursor(), true
	}
	for _, e := range entries {
		if len(b.Entries) == q.Limit {
			break
		}
		if q.Filter.Has(e) {
			b.Entries = append(b.Entries, e)
		}
	}
	return b
}

// A Page is a part of the change log, in the form that clients get.
type Page struct {
	Entries []*catalog.LogEntry // oldest first
	Body    []byte              // the entries as JSON
	Count   int                 // number of entries
	Next    catalog.Cursor      // where the next page begins
	More    bool                // the page is full, or its filter has read MaxScanned entries: it never changes

	Since  catalog.Cursor // as of Batch
	Begins time.Time      // as of Batch
}

// newPage encodes a batch. It ends the page early once it would be larger than MaxBytes.
func newPage(b Batch, q Query) Page {
	p := Page{Next: b.ScannedTo, More: b.More, Since: b.Since, Begins: b.Begins}
	var elements [][]byte
	size := 0
	take := func(e *catalog.LogEntry) bool {
		body := webhook.Event{LogEntry: *e}.Body()
		if size += len(body) + 1; size > MaxBytes && len(elements) > 0 {
			return false
		}
		elements, p.Entries = append(elements, body), append(p.Entries, e)
		return true
	}
	if q.Newest {
		for _, e := range slices.Backward(b.Entries) {
			if !take(e) {
				break
			}
		}
		slices.Reverse(elements)
		slices.Reverse(p.Entries)
	} else {
		for i, e := range b.Entries {
			if !take(e) {
				p.Next, p.More = b.Entries[i-1].Cursor(), true
				break
			}
			if i+1 == q.Limit {
				p.Next, p.More = e.Cursor(), true
			}
		}
	}
	p.Count = len(elements)
	p.Body = make([]byte, 0, size+64)
	p.Body = append(p.Body, `{"data":[`...)
	for i, element := range elements {
		if i > 0 {
			p.Body = append(p.Body, ',')
		}
		p.Body = append(p.Body, element...)
	}
	p.Body = append(p.Body, `],"next":"`...)
	p.Body = append(p.Body, p.Next.String()...)
	p.Body = append(p.Body, `","more":`...)
	p.Body = append(strconv.AppendBool(p.Body, p.More), '}')
	return p
}

// Idle returns the empty page at the end of the log.
func Idle(end catalog.Cursor) Page {
	return newPage(Batch{ScannedTo: end}, Query{Since: end, Limit: DefaultLimit})
}
