package changes

import (
	"slices"
	"strconv"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// A Page is a part of the change log, as clients get it.
type Page struct {
	Entries []*catalog.LogEntry // oldest first
	Body    []byte              // the entries as JSON
	Count   int                 // of the entries
	Next    catalog.Cursor      // where the page after it begins
	More    bool                // the page is full, or a filter has looked at enough: it never changes
}

// newPage encodes a batch. A page that is full ends early.
func newPage(b Batch, q Query) Page {
	p := Page{Next: b.Looked, More: b.More}
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

// Idle is the page after the end of the log: nothing has happened.
func Idle(end catalog.Cursor) Page {
	return newPage(Batch{Looked: end}, Query{Since: end, Limit: DefaultLimit})
}
