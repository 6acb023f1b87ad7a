package catalog

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/search"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// searched is a list with its search index. The index knows an item by the number in its entry.
// Items that match equally well are in the order of the list.
type searched struct {
	index *search.Index
	order []uint32 // the numbers of all items, in the order of the list
}

// revised is an item's entry before and after a delta. old is nil for a new item, and new for a
// removed one.
type revised[E any] struct{ old, new *E }

// revisionsOf pairs the changed entries with the old ones.
func revisionsOf[E any](old lookup[string, E], changed map[string]*E) []revised[E] {
	items := make([]revised[E], 0, len(changed))
	for slug, e := range changed {
		if was := old.get(slug); was != nil || e != nil {
			items = append(items, revised[E]{was, e})
		}
	}
	return items
}

// searchable defines how entries of a kind are searched.
type searchable[E any] struct {
	document func(*E) search.Document
	number   func(*E) *uint32
}

var (
	searchableTools = searchable[toolEntry]{
		func(e *toolEntry) search.Document {
			return e.SearchDocument()
		},
		func(e *toolEntry) *uint32 { return &e.number },
	}
	searchableComparisons = searchable[comparisonEntry]{
		func(e *comparisonEntry) search.Document {
			return search.Document{Names: []string{e.A.Name, e.B.Name}, Texts: texts(e.Title, e.English.Title)}
		},
		func(e *comparisonEntry) *uint32 { return &e.number },
	}
	searchableRetired = searchable[retiredEntry]{
		func(e *retiredEntry) search.Document {
			return search.Document{Names: []string{e.Name}, Group: e.Category}
		},
		func(e *retiredEntry) *uint32 { return &e.number },
	}
)

// SearchDocument returns the searchable text of a tool.
func (t *Tool) SearchDocument() search.Document {
	d := search.Document{
		Names: []string{t.Name}, Keywords: slices.Concat(t.Keywords.French, t.Keywords.English),
		Texts: texts(t.Tagline, t.English.Tagline), Traits: []string{planWords[t.Pricing], publicWords[t.ICP]},
		Domain: t.Domain, Group: t.Category,
	}
	if t.Pricing == Freemium {
		d.Hints = []string{planWords[Free]}
	}
	for _, opening := range []string{t.Review.Opening, t.English.Review.Opening} {
		if opening != "" {
			d.Openings = append(d.Openings, opening)
		}
	}
	return d
}

// The words by which people ask for tools of a plan or for a public.
var (
	planWords   = map[Pricing]string{Free: "gratuit gratis free", Freemium: "freemium", Paid: "payant paid"}
	publicWords = map[ICP]string{VibeCoder: "vibe coder", AgenticEngineer: "agentic engineer ingénieur", Mixed: "mixte mixed"}
)

// texts returns a text and its translation, if there is one.
func texts(french string, t Translation) []string {
	if t.Text == "" {
		return []string{french}
	}
	return []string{french, t.Text}
}

// apply returns the index after the revisions, and numbers the new entries. An item keeps its
// number, and one whose searched words did not change costs nothing.
func (s searchable[E]) apply(x *search.Index, items []revised[E], groups []search.Group, t *throttle.Throttle) *search.Index {
	var changed []search.Change
	var entries []*E
	for _, item := range items {
		var c search.Change
		if item.old != nil {
			d := s.document(item.old)
			c.ID, c.Old = *s.number(item.old), &d
		}
		if item.new != nil {
			d := s.document(item.new)
			c.New = &d
		}
		if c.Old != nil && c.New != nil && c.Old.Equal(*c.New) {
			*s.number(item.new) = c.ID
			continue
		}
		changed, entries = append(changed, c), append(entries, item.new)
	}
	next, numbers := x.Apply(changed, groups, t.Pause)
	for i, e := range entries {
		if e != nil {
			*s.number(e) = numbers[i]
		}
	}
	return next
}

// searchGroups returns the categories as groups of the search index.
func searchGroups(categories []Category) []search.Group {
	groups := make([]search.Group, len(categories))
	for i, c := range categories {
		groups[i] = c.SearchGroup()
	}
	return groups
}

// SearchGroup returns the words that find the tools of a category.
func (c Category) SearchGroup() search.Group {
	return search.Group{
		Name: c.Slug, Labels: texts(c.Label, c.English), Synonyms: slices.Concat(c.Synonyms.French, c.Synonyms.English),
	}
}

// rank records the order of the searchable lists.
func (s *Snapshot) rank(t *throttle.Throttle) {
	s.toolSearch.order = numbers(s.byScoreDesc.list(""), func(e listedTool) uint32 { return e.number }, t)
	s.comparisonSearch.order = numbers(s.byNewest.list(""), func(e *comparisonEntry) uint32 { return e.number }, t)
	s.retiredSearch.order = numbers(s.byLastRetired.list(retiredKey{}), func(e *retiredEntry) uint32 { return e.number }, t)
}

func numbers[E any](list []E, number func(E) uint32, t *throttle.Throttle) []uint32 {
	const often = 1024
	out := make([]uint32, len(list))
	for i, e := range list {
		out[i] = number(e)
		if i%often == 0 {
			t.Pause()
		}
	}
	return out
}

// searchPage returns a page of the items that a query finds, the best first. A nil keep accepts
// all.
func searchPage[E, T any](x searched, query string, list []E, p Paging, item func(E) T, keep func(E) bool) Page[T] {
	found := x.index.Search(query, x.order)
	defer found.Release()
	var kept func(int) bool
	if keep != nil {
		kept = func(place int) bool { return keep(list[place]) }
	}
	places, total := found.Page(x.order, kept, p.start(len(list)), p.Limit)
	out := Page[T]{Number: p.Page, Limit: p.Limit, Total: total, Found: found.Found, Searched: true, Items: make([]T, len(places))}
	for i, place := range places {
		out.Items[i] = item(list[place])
	}
	return out
}

// NearTools returns at most n tools whose names resemble a query that found nothing, the nearest
// first.
func (s *Snapshot) NearTools(query string, n int) []*Tool {
	list := s.byScoreDesc.list("")
	places := s.toolSearch.index.Near(query, s.toolSearch.order, n)
	tools := make([]*Tool, len(places))
	for i, place := range places {
		tools[i] = list[place].Tool
	}
	return tools
}

// Synonym returns the keyword of a tool, or the synonym of its category, by which a query finds it
// that has a word of it nowhere else; "" if there is none.
func (s *Snapshot) Synonym(query string, t *Tool) string {
	group := search.Group{Name: t.Category}
	for _, c := range s.categories {
		if c.Slug == t.Category {
			group = c.SearchGroup()
		}
	}
	return search.Synonym(query, t.SearchDocument(), group)
}
