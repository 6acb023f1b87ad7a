package catalog

import (
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
)

// Why there are no embeddings for a slug.
var (
	ErrUnknownTool = errors.New("unknown tool")
	ErrNotEmbedded = errors.New("tool outside the embeddings set")
)

// A Delta carries a snapshot from one edition to a later one: the items that are
// new or changed, whole, and the slugs of those that are gone. A Delta from
// nothing holds the whole catalog.
type Delta struct {
	From       int64 // the edition it starts from; 0 is nothing
	Edition    Edition
	Service    Service
	Categories []Category

	Tools       []*Tool
	Comparisons []*Comparison
	Retired     []*Retired

	GoneTools       []string
	GoneComparisons []string
	GoneRetired     []string
}

// Apply gives the snapshot that the delta leads to. It costs by the size of the
// delta, but for copies of the slug maps and of the orders that change.
func (s *Snapshot) Apply(d Delta) *Snapshot {
	next := *s
	next.edition, next.service, next.categories = d.Edition, d.Service, d.Categories

	tools, goneTools := d.Tools, d.GoneTools
	if d.Service.Site != s.service.Site {
		tools = s.withUnchanged(tools, goneTools) // every URL moves
	}
	added := encodeTools(d.Service, tools)
	var gone, addedRows []toolRow
	next.tools = maps.Clone(s.tools)
	if next.tools == nil {
		next.tools = make(map[string]*toolEntry, len(added))
	}
	drop := func(slug string) {
		if old, ok := next.tools[slug]; ok {
			gone = append(gone, row(old))
			delete(next.tools, slug)
		}
	}
	for _, slug := range goneTools {
		drop(slug)
	}
	for _, e := range added {
		drop(e.Slug)
		next.tools[e.Slug] = e
		addedRows = append(addedRows, row(e))
	}

	var wg sync.WaitGroup
	for _, x := range []*index[string, toolRow]{&next.byScoreDesc, &next.byScoreAsc, &next.byNameAsc, &next.byNameDesc} {
		wg.Go(func() { *x = x.apply(gone, addedRows) })
	}
	wg.Go(func() { next.applyComparisons(s, d, gone, addedRows) })
	wg.Go(func() { next.applyRetired(s, d) })
	wg.Wait()
	next.finish()
	return &next
}

func row(e *toolEntry) toolRow { return toolRow{e, e.Score, e.Obsolescence} }

// withUnchanged adds to the changed tools all those that stay as they are.
func (s *Snapshot) withUnchanged(changed []*Tool, gone []string) []*Tool {
	skip := make(map[string]bool, len(changed)+len(gone))
	for _, t := range changed {
		skip[t.Slug] = true
	}
	for _, slug := range gone {
		skip[slug] = true
	}
	all := slices.Clone(changed)
	for slug, e := range s.tools {
		if !skip[slug] {
			all = append(all, e.Tool)
		}
	}
	return all
}

// encodeTools makes the entries of many tools on all cores: this, not sorting, is
// what building a large snapshot spends its time on.
func encodeTools(service Service, tools []*Tool) []*toolEntry {
	entries := make([]*toolEntry, len(tools))
	size := max(len(tools)/runtime.GOMAXPROCS(0)+1, 64)
	var wg sync.WaitGroup
	for start := 0; start < len(tools); start += size {
		wg.Go(func() {
			names := newSorter()
			for i := start; i < min(start+size, len(tools)); i++ {
				entries[i] = encodeToolEntry(service, tools[i], names)
			}
		})
	}
	wg.Wait()
	return entries
}

func encodeToolEntry(service Service, t *Tool, names *sorter) *toolEntry {
	e := &toolEntry{
		Tool:      t,
		sortKey:   names.key(t.Name),
		item:      NewDocument(encodeTool(service, t)),
		priceItem: NewDocument(encodePriceItem(t)),
		price:     NewDocument(encodePrice(t)),
	}
	if t.Embedded {
		doc := NewDocument(encodeEmbeddings(service, t))
		e.embeddings = &doc
	}
	return e
}

// applyComparisons also encodes anew the comparisons of tools that changed: they
// show the tools' names and scores and follow their categories.
func (s *Snapshot) applyComparisons(old *Snapshot, d Delta, gone, added []toolRow) {
	touched := make(map[string]bool, len(gone)+len(added))
	for _, rows := range [][]toolRow{gone, added} {
		for _, r := range rows {
			touched[r.Slug] = true
		}
	}
	changed := make(map[string]*Comparison, len(d.Comparisons))
	for slug, e := range old.comparisons {
		if touched[e.ToolA] || touched[e.ToolB] || d.Service.Site.Comparison != old.service.Site.Comparison {
			changed[slug] = e.Comparison
		}
	}
	for _, c := range d.Comparisons {
		changed[c.Slug] = c
	}
	for _, slug := range d.GoneComparisons {
		changed[slug] = nil
	}
	if len(changed) == 0 {
		return
	}

	s.comparisons = maps.Clone(old.comparisons)
	if s.comparisons == nil {
		s.comparisons = make(map[string]*comparisonEntry, len(changed))
	}
	var out, in []*comparisonEntry
	for slug, c := range changed {
		if e, ok := s.comparisons[slug]; ok {
			out = append(out, e)
			delete(s.comparisons, slug)
		}
		if c == nil {
			continue
		}
		a, b := s.tools[c.ToolA], s.tools[c.ToolB]
		if a == nil || b == nil {
			continue // its tool has gone with this edition, and so has it
		}
		e := encodeComparisonEntry(d.Service, matchup{c, a.Tool, b.Tool})
		s.comparisons[slug] = e
		in = append(in, e)
	}
	s.byNewest = s.byNewest.apply(out, in)
}

func encodeComparisonEntry(service Service, m matchup) *comparisonEntry {
	categories := []string{"", m.a.Category}
	if m.b.Category != m.a.Category {
		categories = append(categories, m.b.Category)
	}
	return &comparisonEntry{
		Comparison: m.Comparison,
		categories: categories,
		item:       NewDocument(encodeComparisonItem(service, m)),
		detail:     NewDocument(encodeComparison(m)),
	}
}

func (s *Snapshot) applyRetired(old *Snapshot, d Delta) {
	if len(d.Retired)+len(d.GoneRetired) == 0 {
		return
	}
	s.retired = maps.Clone(old.retired)
	if s.retired == nil {
		s.retired = make(map[string]*retiredEntry, len(d.Retired))
	}
	var out, in []*retiredEntry
	drop := func(slug string) {
		if e, ok := s.retired[slug]; ok {
			out = append(out, e)
			delete(s.retired, slug)
		}
	}
	for _, slug := range d.GoneRetired {
		drop(slug)
	}
	for _, r := range d.Retired {
		drop(r.Slug)
		e := &retiredEntry{r, NewDocument(encodeRetired(r))}
		s.retired[r.Slug] = e
		in = append(in, e)
	}
	s.byLastRetired = s.byLastRetired.apply(out, in)
}

// Whole is the delta that leads from nothing to this snapshot.
func (s *Snapshot) Whole() Delta {
	d := Delta{Edition: s.edition, Service: s.service, Categories: s.categories}
	for _, r := range s.byScoreDesc.lists[""] {
		d.Tools = append(d.Tools, r.Tool)
	}
	for _, c := range s.byNewest.lists[""] {
		d.Comparisons = append(d.Comparisons, c.Comparison)
	}
	for _, r := range s.byLastRetired.lists[plot{}] {
		d.Retired = append(d.Retired, r.Retired)
	}
	return d
}
