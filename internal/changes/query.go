package changes

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// The bounds of a page.
const (
	DefaultLimit = 200
	MaxLimit     = 1000
	MaxBytes     = 4 << 20
	MaxLooked    = 10_000 // entries that a filter looks at
)

// A Query asks for entries of the change log.
type Query struct {
	Since  catalog.Cursor // that the entries come after
	Newest bool           // the newest entries instead, whatever Since is
	Filter Filter
	Limit  int
}

// A Filter chooses entries. An empty list is all.
type Filter struct {
	Types      []catalog.EventType
	Categories []string
	Slugs      []string
}

// Empty reports whether the filter chooses all entries.
func (f Filter) Empty() bool { return len(f.Types)+len(f.Categories)+len(f.Slugs) == 0 }

// Has reports whether the filter chooses an entry. One about the catalog itself passes all but Types: whoever
// follows a few tools follows their categories.
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

// A Batch is what was found for a query: entries that the filter chooses, oldest first, as many as the limit
// allows.
type Batch struct {
	Entries []*catalog.LogEntry
	Looked  catalog.Cursor // the last entry that was looked at, if Entries are fewer than the limit
	More    bool           // there are entries after it
}

// find chooses from entries that are all there are.
func find(entries []*catalog.LogEntry, q Query, end catalog.Cursor) Batch {
	b := Batch{Looked: end}
	if q.Newest {
		for _, e := range slices.Backward(entries[max(0, len(entries)-MaxLooked):]) {
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
	if !q.Filter.Empty() && len(entries) >= MaxLooked {
		entries = entries[:MaxLooked]
		b.Looked, b.More = entries[MaxLooked-1].Cursor(), true
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
