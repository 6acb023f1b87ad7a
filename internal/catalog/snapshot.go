package catalog

import (
	"bytes"
	"cmp"
	"strings"
)

// A Snapshot is one edition of the catalog, ready to be served: every item
// encoded, every order sorted. It never changes, so any number of requests may
// read it at once; the next edition is a new Snapshot made by Apply, which shares
// with this one all that did not change.
type Snapshot struct {
	edition    Edition
	service    Service
	categories []Category

	tools       lookup[toolEntry]
	comparisons lookup[comparisonEntry]
	retired     lookup[retiredEntry]

	byScoreDesc   index[string, toolRow] // the lists are by category; "" has all
	byScoreAsc    index[string, toolRow]
	byNameAsc     index[string, toolRow]
	byNameDesc    index[string, toolRow]
	byNewest      index[string, *comparisonEntry]
	byLastRetired index[plot, *retiredEntry]
	embedded      index[string, toolRow] // the embeddings set, in its order, under ""

	categoriesDoc Document
	statsDoc      Document
	embeddedDoc   Document
}

// toolEntry is a tool with all that is served of it.
type toolEntry struct {
	*Tool
	sortKey    []byte // of the name, in French
	item       Document
	priceItem  Document
	price      Document
	embeddings *Document // nil outside the set
}

// toolRow repeats the filtered measures beside the pointer: a filter then reads
// one list from end to end instead of chasing a pointer per tool.
type toolRow struct {
	*toolEntry
	score        Measure
	obsolescence Measure
}

type comparisonEntry struct {
	*Comparison
	categories []string
	item       Document
	detail     Document
}

type retiredEntry struct {
	*Retired
	item Document
}

// A plot is a part of the cemetery: a category, a reason, both or neither.
type plot struct {
	category string
	reason   Reason
}

// Empty is the snapshot before the first edition.
func Empty() *Snapshot {
	tools := func(compare func(a, b toolRow) int) index[string, toolRow] {
		return index[string, toolRow]{
			compare: func(a, b toolRow) int {
				if c := compare(a, b); c != 0 {
					return c // most often: no need to reach for the slugs
				}
				return strings.Compare(a.Slug, b.Slug)
			},
			keys: func(t toolRow) []string { return []string{"", t.Category} },
		}
	}
	s := &Snapshot{
		byScoreDesc: tools(func(a, b toolRow) int { return cmp.Compare(b.score, a.score) }), // absent is 0: last
		byScoreAsc: tools(func(a, b toolRow) int {
			// One below absent is the largest value: last again.
			return cmp.Compare(a.score-1, b.score-1)
		}),
		byNameAsc:  tools(func(a, b toolRow) int { return bytes.Compare(a.sortKey, b.sortKey) }),
		byNameDesc: tools(func(a, b toolRow) int { return bytes.Compare(b.sortKey, a.sortKey) }),
		byNewest: index[string, *comparisonEntry]{
			compare: func(a, b *comparisonEntry) int {
				return cmp.Or(strings.Compare(string(b.UpdatedAt), string(a.UpdatedAt)), strings.Compare(a.Slug, b.Slug))
			},
			keys: func(c *comparisonEntry) []string { return c.categories },
		},
		byLastRetired: index[plot, *retiredEntry]{
			compare: func(a, b *retiredEntry) int {
				return cmp.Or(strings.Compare(string(b.RetiredAt), string(a.RetiredAt)), strings.Compare(a.Slug, b.Slug))
			},
			keys: func(r *retiredEntry) []plot {
				return []plot{{}, {category: r.Category}, {reason: r.Reason}, {r.Category, r.Reason}}
			},
		},
		embedded: index[string, toolRow]{
			compare: func(a, b toolRow) int { return compareEmbedded(a.Tool, b.Tool) },
			keys: func(t toolRow) []string {
				if t.embeddings == nil {
					return nil
				}
				return []string{""}
			},
		},
	}
	s.finish()
	return s
}

// finish encodes the documents that are about the whole catalog.
func (s *Snapshot) finish() {
	s.categoriesDoc = NewDocument(encodeCategories(s.categories, s.byScoreDesc.lists))
	s.embeddedDoc = NewDocument(encodeEmbeddingsList(s.service, s.embedded.lists[""]))
	s.statsDoc = NewDocument(encodeStats(s.byScoreDesc.lists[""], s.retired.count, s.comparisons.count))
}

// Edition is the edition the snapshot shows.
func (s *Snapshot) Edition() Edition { return s.edition }

// Service is the identity of the catalog.
func (s *Snapshot) Service() Service { return s.service }

// Tool is one living tool.
func (s *Snapshot) Tool(slug string) (Document, bool) {
	if e := s.tools.get(slug); e != nil {
		return e.item, true
	}
	return Document{}, false
}

// Price is the price of one living tool, with its history.
func (s *Snapshot) Price(slug string) (Document, bool) {
	if e := s.tools.get(slug); e != nil {
		return e.price, true
	}
	return Document{}, false
}

// Comparison is one published comparison.
func (s *Snapshot) Comparison(slug string) (Document, bool) {
	if e := s.comparisons.get(slug); e != nil {
		return e.detail, true
	}
	return Document{}, false
}

// Retired is one tool of the cemetery.
func (s *Snapshot) Retired(slug string) (*Retired, bool) {
	if e := s.retired.get(slug); e != nil {
		return e.Retired, true
	}
	return nil, false
}

// Embeddings is the chunks of one tool. The error tells an unknown tool from one
// outside the embeddings set.
func (s *Snapshot) Embeddings(slug string) (Document, error) {
	e := s.tools.get(slug)
	switch {
	case e == nil:
		return Document{}, ErrUnknownTool
	case e.embeddings == nil:
		return Document{}, ErrNotEmbedded
	}
	return *e.embeddings, nil
}

// EmbeddingsList is the embeddings set in its order, without the chunks.
func (s *Snapshot) EmbeddingsList() Document { return s.embeddedDoc }

// Categories is the list of all categories.
func (s *Snapshot) Categories() Document { return s.categoriesDoc }

// CategorySlugs lists the slugs of all categories.
func (s *Snapshot) CategorySlugs() []string {
	slugs := make([]string, len(s.categories))
	for i, c := range s.categories {
		slugs[i] = c.Slug
	}
	return slugs
}

// Stats is the catalog in figures.
func (s *Snapshot) Stats() Document { return s.statsDoc }

// Contents is the state of the catalog that the snapshot shows.
func (s *Snapshot) Contents() *Contents {
	d := s.Whole()
	c := &Contents{Service: d.Service, Categories: d.Categories, Tools: d.Tools, Comparisons: d.Comparisons, Retired: d.Retired}
	c.Sort()
	return c
}
