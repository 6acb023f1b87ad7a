package catalog

import (
	"crypto/sha256"
	"encoding/base64"
)

// A Document is a JSON body, ready to be sent, with a digest of its bytes.
type Document struct {
	Body []byte
	tag  tag
}

type tag [16]byte

// NewDocument makes a document of a JSON body, which must not change any more.
func NewDocument(body []byte) Document {
	return Document{Body: body, tag: shorten(sha256.Sum256(body))}
}

func shorten(sum [sha256.Size]byte) (t tag) {
	copy(t[:], sum[:])
	return t
}

// Tag identifies the document's bytes: equal tags mean equal bodies, on every
// node and across editions. It is what an entity tag is made of.
func (d Document) Tag() string { return base64.RawURLEncoding.EncodeToString(d.tag[:]) }

// A Page is one page of a list.
type Page struct {
	Items  []*Document
	Total  int // items before pagination
	Number int // the page asked for, from 1
	Limit  int // the most items a page holds
}

// Pages is how many pages the whole list has; 0 when nothing matches.
func (p Page) Pages() int { return (p.Total + p.Limit - 1) / p.Limit }

// Document joins the page's items into one body with its meta. The tag is made of
// the items' tags rather than of the body: hashing a kilobyte instead of a page.
func (p Page) Document() Document {
	meta := newObject()
	meta.int("total", p.Total)
	meta.int("page", p.Number)
	meta.int("limit", p.Limit)
	meta.int("pages", p.Pages())
	m := meta.close()

	size := len(m) + 32
	for _, d := range p.Items {
		size += len(d.Body) + 1
	}
	body := make([]byte, 0, size)
	sums := make([]byte, 0, len(p.Items)*len(tag{})+len(m))
	body = append(body, `{"data":[`...)
	for i, d := range p.Items {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, d.Body...)
		sums = append(sums, d.tag[:]...)
	}
	body = append(body, `],"meta":`...)
	body = append(body, m...)
	body = append(body, '}')
	return Document{Body: body, tag: shorten(sha256.Sum256(append(sums, m...)))}
}

func encodeCategories(categories []Category, lists map[string][]toolRow) []byte {
	o := newObject()
	o.raw("data", appendArray(nil, categories, func(b []byte, c Category) []byte {
		tools := lists[c.Slug]
		_, average := scored(tools)
		e := newObject()
		e.string("slug", c.Slug)
		e.string("label", c.Label)
		e.int("tool_count", len(tools))
		e.hundredths("avg_score", average)
		return append(b, e.close()...)
	}))
	return o.close()
}

func encodeStats(tools []toolRow, retired, comparisons int) []byte {
	tested, average := scored(tools)
	o := newObject()
	o.int("tools_total", len(tools))
	o.int("tools_tested", tested)
	o.hundredths("tools_avg_score", average)
	o.int("tools_retired", retired)
	o.int("comparatifs_total", comparisons)
	return o.close()
}

// scored counts the tools with a score and averages it in hundredths, rounded half up.
func scored(tools []toolRow) (n, average int) {
	sum := 0
	for _, t := range tools {
		if t.score.Known() {
			n++
			sum += t.score.Hundredths()
		}
	}
	if n == 0 {
		return 0, 0
	}
	return n, (2*sum + n) / (2 * n)
}
