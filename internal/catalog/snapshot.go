package catalog

import (
	"bytes"
	"cmp"
	"errors"
	"strings"

	"github.com/palmares-hq/palmares/internal/search"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A Snapshot is one edition of the catalog, ready to serve: every item as a value and as JSON,
// every list sorted. It is immutable and safe for concurrent use; callers must not modify the
// values it returns. Apply makes the next Snapshot, which shares everything unchanged with this
// one.
type Snapshot struct {
	edition    Edition
	service    Service
	categories []CategoryStats
	stats      Stats

	tools       lookup[string, toolEntry]
	comparisons lookup[string, comparisonEntry]
	retired     lookup[string, retiredEntry]

	// The present slugs, by former slug. A former slug belongs to only one tool, living or retired.
	renamedTools       lookup[string, string]
	renamedComparisons lookup[string, string]

	// Lists of tools and comparisons by category; the list for "" has all of them.
	byScoreDesc   index[string, listedTool]
	byScoreAsc    index[string, listedTool]
	byNameAsc     index[string, listedTool]
	byNameDesc    index[string, listedTool]
	byPriceAsc    index[string, listedTool]
	byPriceDesc   index[string, listedTool]
	byNewest      index[string, *comparisonEntry]
	byTool        index[string, *comparisonEntry] // the comparisons of a tool, newest first
	byLastRetired index[retiredKey, *retiredEntry]
	byEnding      index[string, listedTool] // the tools whose end is announced, the first to end first, under ""
	embedded      index[string, listedTool] // the embeddings set, in its order, under ""

	toolSearch       searched // in the order of byScoreDesc
	comparisonSearch searched // in the order of byNewest
	retiredSearch    searched // in the order of byLastRetired

	histories  lookup[string, historyEntry] // of tools, living and retired
	lives      *lives                       // not shared with other snapshots
	identities *identities                  // not shared with other snapshots

	files     map[string]*OperatorFile // by name
	incidents []Incident
	markdown  markdownState
	log       []*LogEntry // the end of the change log, oldest first
	logEnd    Cursor

	categoriesJSON Document
	statsJSON      Document
	embeddedJSON   Document
}

// toolEntry is a tool with its JSON.
type toolEntry struct {
	*Tool
	number     uint32 // in the search index
	sortKey    []byte // of the name, in French
	perYear    int64  // cents; unknownPrice for a period that is neither month nor year
	item       Document
	priceItem  Document
	price      Document
	embeddings *Document // nil outside the set
}

// listedTool is a tool in a list. It repeats the measures that filters read: a filter then reads one
// list from end to end instead of following a pointer per tool.
type listedTool struct {
	*toolEntry
	score        Measure
	obsolescence Measure
}

func listed(e *toolEntry) listedTool { return listedTool{e, e.Score, e.Obsolescence} }

// comparisonEntry is a comparison, its tools as they are in this edition, and its JSON.
type comparisonEntry struct {
	ComparisonWithTools
	number uint32 // in the search index
	item   Document
	detail Document
}

// retiredEntry is a retired tool with its JSON.
type retiredEntry struct {
	*Retired
	number uint32 // in the search index
	item   Document
}

// retiredKey names a list of retired tools: those of a category, a reason, both or neither.
type retiredKey struct {
	category string
	reason   Reason
}

// Empty returns the snapshot before the first edition.
func Empty() *Snapshot {
	tools := func(compare func(a, b listedTool) int) index[string, listedTool] {
		return index[string, listedTool]{
			compare: func(a, b listedTool) int {
				if c := compare(a, b); c != 0 {
					return c // most often: no need to follow the pointers to the slugs
				}
				return strings.Compare(a.Slug, b.Slug)
			},
			keys: func(t listedTool) []string { return []string{"", t.Category} },
		}
	}
	newest := func(a, b *comparisonEntry) int {
		return cmp.Or(strings.Compare(string(b.UpdatedAt), string(a.UpdatedAt)), strings.Compare(a.Slug, b.Slug))
	}
	s := &Snapshot{
		identities:  new(identities),
		lives:       new(lives),
		byScoreDesc: tools(func(a, b listedTool) int { return b.score.compare(a.score) }),
		byScoreAsc: tools(func(a, b listedTool) int {
			if a.score.Known != b.score.Known {
				return b.score.compare(a.score) // absent comes last in this order too
			}
			return a.score.compare(b.score)
		}),
		byNameAsc:   tools(func(a, b listedTool) int { return bytes.Compare(a.sortKey, b.sortKey) }),
		byNameDesc:  tools(func(a, b listedTool) int { return bytes.Compare(b.sortKey, a.sortKey) }),
		byPriceAsc:  tools(func(a, b listedTool) int { return comparePrices(a.perYear, b.perYear, 1) }),
		byPriceDesc: tools(func(a, b listedTool) int { return comparePrices(a.perYear, b.perYear, -1) }),
		byNewest: index[string, *comparisonEntry]{
			compare: newest,
			keys: func(c *comparisonEntry) []string {
				if c.A.Category == c.B.Category {
					return []string{"", c.A.Category}
				}
				return []string{"", c.A.Category, c.B.Category}
			},
		},
		byTool: index[string, *comparisonEntry]{
			compare: newest,
			keys:    func(c *comparisonEntry) []string { return []string{c.ToolA, c.ToolB} },
		},
		byLastRetired: index[retiredKey, *retiredEntry]{
			compare: func(a, b *retiredEntry) int {
				return cmp.Or(strings.Compare(string(b.RetiredAt), string(a.RetiredAt)), strings.Compare(a.Slug, b.Slug))
			},
			keys: func(r *retiredEntry) []retiredKey {
				return []retiredKey{{}, {category: r.Category}, {reason: r.Reason}, {r.Category, r.Reason}}
			},
		},
		byEnding: someTools(func(t listedTool) bool { return t.Ending.Announced() }, func(a, b listedTool) int {
			return cmp.Or(strings.Compare(string(a.Ending.At), string(b.Ending.At)), strings.Compare(a.Slug, b.Slug))
		}),
		embedded: someTools(func(t listedTool) bool { return t.embeddings != nil }, func(a, b listedTool) int {
			return compareEmbedded(a.Tool, b.Tool)
		}),
	}
	for _, x := range []*searched{&s.toolSearch, &s.comparisonSearch, &s.retiredSearch} {
		x.index = search.New()
	}
	s.summarize(nil, nil)
	return s
}

// someTools returns an index with a single list, under "", of the tools for which has returns true.
func someTools(has func(listedTool) bool, compare func(a, b listedTool) int) index[string, listedTool] {
	return index[string, listedTool]{compare: compare, keys: func(t listedTool) []string {
		if !has(t) {
			return nil
		}
		return []string{""}
	}}
}

// summarize computes the figures and the documents about the whole catalog.
func (s *Snapshot) summarize(categories []Category, t *throttle.Throttle) {
	scores := func(list []listedTool) func(func(Measure) bool) {
		return func(yield func(Measure) bool) {
			for _, t := range list {
				if !yield(t.score) {
					return
				}
			}
		}
	}
	all := s.byScoreDesc.list("")
	s.stats = Stats{Tools: len(all), Retired: s.retired.count, Comparisons: s.comparisons.count}
	s.stats.Tested, s.stats.AverageScore = averageScore(scores(all))
	s.categories = make([]CategoryStats, len(categories))
	for i, c := range categories {
		list := s.byScoreDesc.list(c.Slug)
		_, average := averageScore(scores(list))
		s.categories[i] = CategoryStats{Category: c, Tools: len(list), AverageScore: average}
		t.Pause()
	}
	s.statsJSON = NewDocument(encodeStats(s.stats))
	s.categoriesJSON = NewDocument(encodeCategories(s.categories))
	embedded := make([]*Tool, 0, EmbeddingsSize)
	for _, t := range s.embedded.list("") {
		embedded = append(embedded, t.Tool)
	}
	s.embeddedJSON = NewDocument(encodeEmbeddingsList(s.service, embedded))
}

// Edition returns the edition of the snapshot.
func (s *Snapshot) Edition() Edition { return s.edition }

// Service returns the identity of the catalog.
func (s *Snapshot) Service() Service { return s.service }

// Stats returns the figures of the catalog.
func (s *Snapshot) Stats() Stats { return s.stats }

// StatsJSON returns Stats as JSON.
func (s *Snapshot) StatsJSON() Document { return s.statsJSON }

// Categories lists all categories in the editors' order.
func (s *Snapshot) Categories() []CategoryStats { return s.categories }

// CategoriesJSON returns Categories as JSON.
func (s *Snapshot) CategoriesJSON() Document { return s.categoriesJSON }

// Tool returns a living tool.
func (s *Snapshot) Tool(slug string) (*Tool, bool) {
	if e := s.tools.get(slug); e != nil {
		return e.Tool, true
	}
	return nil, false
}

// ToolJSON returns a living tool as JSON.
func (s *Snapshot) ToolJSON(slug string) (Document, bool) {
	if e := s.tools.get(slug); e != nil {
		return e.item, true
	}
	return Document{}, false
}

// PriceJSON returns the price of a living tool, with its history, as JSON.
func (s *Snapshot) PriceJSON(slug string) (Document, bool) {
	if e := s.tools.get(slug); e != nil {
		return e.price, true
	}
	return Document{}, false
}

// Comparison returns a published comparison with its tools.
func (s *Snapshot) Comparison(slug string) (ComparisonWithTools, bool) {
	if e := s.comparisons.get(slug); e != nil {
		return e.ComparisonWithTools, true
	}
	return ComparisonWithTools{}, false
}

// ComparisonJSON returns a published comparison as JSON.
func (s *Snapshot) ComparisonJSON(slug string) (Document, bool) {
	if e := s.comparisons.get(slug); e != nil {
		return e.detail, true
	}
	return Document{}, false
}

// OperatorFile returns one of the operator's files, by its name in pages/.
func (s *Snapshot) OperatorFile(name string) (*OperatorFile, bool) {
	f, ok := s.files[name]
	return f, ok
}

// Incidents lists the periods in which the service did not work as it should, newest first.
func (s *Snapshot) Incidents() []Incident { return s.incidents }

// Retired returns a retired tool.
func (s *Snapshot) Retired(slug string) (*Retired, bool) {
	if e := s.retired.get(slug); e != nil {
		return e.Retired, true
	}
	return nil, false
}

// The errors of EmbeddingsJSON.
var (
	ErrUnknownTool = errors.New("unknown tool")
	ErrNotEmbedded = errors.New("tool outside the embeddings set")
)

// EmbeddingsJSON returns the chunks of a tool as JSON. The error is ErrUnknownTool or
// ErrNotEmbedded.
func (s *Snapshot) EmbeddingsJSON(slug string) (Document, error) {
	e := s.tools.get(slug)
	switch {
	case e == nil:
		return Document{}, ErrUnknownTool
	case e.embeddings == nil:
		return Document{}, ErrNotEmbedded
	}
	return *e.embeddings, nil
}

// EmbeddingsListJSON returns the embeddings set in its order, without the chunks, as JSON.
func (s *Snapshot) EmbeddingsListJSON() Document { return s.embeddedJSON }
