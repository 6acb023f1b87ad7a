package catalog

import (
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/palmares-hq/palmares/internal/search"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A Delta carries a snapshot from one edition to a later one: the new and changed items, whole, and
// the slugs of those that are gone. A Delta from nothing holds the whole catalog.
type Delta struct {
	From       int64 // the edition it starts from; 0 is nothing
	Edition    Edition
	Service    Service
	Categories []Category
	Incidents  []Incident // all of them

	Tools       []*Tool
	Comparisons []*Comparison
	Retired     []*Retired
	Files       []*OperatorFile

	GoneTools       []string
	GoneComparisons []string
	GoneRetired     []string
	GoneFiles       []string

	Histories []ToolHistory // of the new and changed tools, living and retired

	Dictionaries []Dictionary // trained since From

	Log      []*LogEntry // the entries of the change log since, oldest first, as far as LogLimit keeps them
	LogStart int64       // the oldest entry that the log still has
	LogEnd   Cursor      // the end of the log; if zero, it is after the last entry of Log
}

// parallelFrom is the size from which a delta is applied on all processors. A smaller one takes
// milliseconds on one processor, and leaves the others to requests.
const parallelFrom = 5000

// Apply returns the snapshot that the delta leads to. Its cost grows with the delta, except that
// every sorted list that changes is copied.
func (s *Snapshot) Apply(d Delta) *Snapshot { return s.ApplyThrottled(d, nil) }

// ApplyThrottled is Apply for a process that serves requests meanwhile: it pauses between steps,
// unless the delta is so large that it takes all processors.
func (s *Snapshot) ApplyThrottled(d Delta, t *throttle.Throttle) *Snapshot {
	next := *s
	b := builder{old: s, next: &next, groups: searchGroups(d.Categories), throttle: t}
	next.edition, next.service, next.incidents = d.Edition, d.Service, d.Incidents
	next.identities = new(identities)
	next.applyFiles(d)
	next.applyHistories(d)

	tools := d.Tools
	if d.Service.Site != s.service.Site {
		tools = s.withUnchanged(tools, d.GoneTools) // every URL may change
	}
	changed := make(map[string]*toolEntry, len(tools)+len(d.GoneTools))
	for _, slug := range d.GoneTools {
		changed[slug] = nil
	}
	large := len(tools)+len(d.GoneTools)+len(d.Comparisons) >= parallelFrom
	if large {
		b.throttle = nil // it is for one goroutine
	}
	for _, e := range b.encodeTools(d.Service, tools) {
		changed[e.Slug] = e
	}
	var gone, added []listedTool
	for slug, e := range changed {
		if old := s.tools.get(slug); old != nil {
			gone = append(gone, listed(old))
		}
		if e != nil {
			added = append(added, listed(e))
		}
	}
	next.tools = s.tools.with(changed)
	next.markdown = s.markdown.apply(gone, added, d.Dictionaries)
	next.applyLog(d)

	steps := []func(){
		func() { next.byScoreDesc = s.byScoreDesc.apply(gone, added, b.throttle) },
		func() { next.byScoreAsc = s.byScoreAsc.apply(gone, added, b.throttle) },
		func() { next.byNameAsc = s.byNameAsc.apply(gone, added, b.throttle) },
		func() { next.byNameDesc = s.byNameDesc.apply(gone, added, b.throttle) },
		func() { next.byPriceAsc = s.byPriceAsc.apply(gone, added, b.throttle) },
		func() { next.byPriceDesc = s.byPriceDesc.apply(gone, added, b.throttle) },
		func() {
			next.toolSearch.index = searchableTools.apply(s.toolSearch.index, revisionsOf(s.tools, changed), b.groups, b.throttle)
		},
		func() { next.byEnding = s.byEnding.apply(gone, added, b.throttle) },
		func() { next.embedded = s.embedded.apply(gone, added, b.throttle) },
		func() { b.applyComparisons(d, changed) },
		func() { b.applyRetired(d, gone, added) },
	}
	var wg sync.WaitGroup
	for _, step := range steps {
		if large {
			wg.Go(step)
		} else {
			step()
		}
	}
	wg.Wait()
	next.rank(b.throttle)
	next.summarize(d.Categories, b.throttle)
	return &next
}

// applyLog appends the log entries of a delta.
func (s *Snapshot) applyLog(d Delta) {
	s.log = keepLog(s.log, d.Log, d.LogStart, d.Edition)
	switch {
	case d.LogEnd != Cursor{}:
		s.logEnd = d.LogEnd
	case len(s.log) > 0:
		s.logEnd = s.log[len(s.log)-1].Cursor()
	}
}

// A builder makes the next snapshot from an old one.
type builder struct {
	old, next *Snapshot
	groups    []search.Group
	throttle  *throttle.Throttle
}

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
	for _, r := range s.byScoreDesc.list("") {
		if !skip[r.Slug] {
			all = append(all, r.Tool)
		}
	}
	return all
}

// encodeTools makes the entries of many tools on all cores: building a large snapshot spends most
// of its time on this, not on sorting.
func (b *builder) encodeTools(service Service, tools []*Tool) []*toolEntry {
	entries := make([]*toolEntry, len(tools))
	size := max(len(tools)/runtime.GOMAXPROCS(0)+1, parallelFrom)
	var wg sync.WaitGroup
	for start := 0; start < len(tools); start += size {
		wg.Go(func() {
			names := newSorter()
			for i := start; i < min(start+size, len(tools)); i++ {
				entries[i] = encodeToolEntry(service, tools[i], names)
				b.throttle.Pause()
			}
		})
	}
	wg.Wait()
	return entries
}

func encodeToolEntry(service Service, t *Tool, names *sorter) *toolEntry {
	e := &toolEntry{
		Tool:      t,
		perYear:   perYear(t.Price),
		sortKey:   names.key(t.Name),
		item:      NewDocument(encodeTool(service, t)),
		priceItem: NewDocument(encodePriceItem(t)),
		price:     NewDocument(encodePrice(t)),
	}
	if t.Embedded {
		doc := NewDocument(encodeEmbeddings(service, t, false))
		e.embeddings = &doc
	}
	return e
}

// applyComparisons applies the comparisons of a delta. It encodes those of changed tools again,
// because they show the tools' names and scores and follow their categories.
func (b *builder) applyComparisons(d Delta, tools map[string]*toolEntry) {
	old, next := b.old, b.next
	wanted := make(map[string]*Comparison, len(d.Comparisons)) // nil for what is gone
	if d.Service.Site.Comparison != old.service.Site.Comparison {
		for _, e := range old.byNewest.list("") {
			wanted[e.Slug] = e.Comparison
		}
	}
	for slug := range tools {
		for _, e := range old.byTool.list(slug) {
			wanted[e.Slug] = e.Comparison
		}
	}
	for _, c := range d.Comparisons {
		wanted[c.Slug] = c
	}
	for _, slug := range d.GoneComparisons {
		wanted[slug] = nil
	}

	changed := make(map[string]*comparisonEntry, len(wanted))
	var gone, added []*comparisonEntry
	for slug, c := range wanted {
		if e := old.comparisons.get(slug); e != nil {
			gone = append(gone, e)
		}
		changed[slug] = nil
		if c == nil {
			continue
		}
		first, second := next.tools.get(c.ToolA), next.tools.get(c.ToolB)
		if first == nil || second == nil {
			continue // its tool is gone in this edition, and so is the comparison
		}
		e := encodeComparisonEntry(d.Service, ComparisonWithTools{c, first.Tool, second.Tool})
		changed[slug] = e
		added = append(added, e)
		b.throttle.Pause()
	}
	next.comparisons = old.comparisons.with(changed)
	next.byNewest = old.byNewest.apply(gone, added, b.throttle)
	next.byTool = old.byTool.apply(gone, added, b.throttle)
	next.applyRenamedComparisons(old, gone, added)
	next.comparisonSearch.index = searchableComparisons.apply(
		old.comparisonSearch.index, revisionsOf(old.comparisons, changed), b.groups, b.throttle)
}

func encodeComparisonEntry(service Service, m ComparisonWithTools) *comparisonEntry {
	return &comparisonEntry{
		ComparisonWithTools: m,
		item:                NewDocument(encodeComparisonItem(service, m)),
		detail:              NewDocument(encodeComparison(m)),
	}
}

// applyRetired applies the retired tools of a delta. It also updates the former slugs, which living
// and retired tools share.
func (b *builder) applyRetired(d Delta, goneTools, addedTools []listedTool) {
	changed := make(map[string]*retiredEntry, len(d.Retired)+len(d.GoneRetired))
	for _, slug := range d.GoneRetired {
		changed[slug] = nil
	}
	for _, r := range d.Retired {
		changed[r.Slug] = &retiredEntry{Retired: r, item: NewDocument(encodeRetired(r))}
	}
	var gone, added []*retiredEntry
	for slug, e := range changed {
		if was := b.old.retired.get(slug); was != nil {
			gone = append(gone, was)
		}
		if e != nil {
			added = append(added, e)
		}
	}
	b.next.retired = b.old.retired.with(changed)
	b.next.byLastRetired = b.old.byLastRetired.apply(gone, added, b.throttle)
	b.next.applyRenames(b.old, goneTools, addedTools, gone, added)
	b.next.retiredSearch.index = searchableRetired.apply(
		b.old.retiredSearch.index, revisionsOf(b.old.retired, changed), b.groups, b.throttle)
}

// applyFiles applies the operator's files of a delta, to a copy: other snapshots share the map.
func (s *Snapshot) applyFiles(d Delta) {
	if len(d.Files)+len(d.GoneFiles) == 0 {
		return
	}
	files := make(map[string]*OperatorFile, len(s.files)+len(d.Files))
	maps.Copy(files, s.files)
	for _, name := range d.GoneFiles {
		delete(files, name)
	}
	for _, f := range d.Files {
		files[f.Name] = f
	}
	s.files = files
}

// applyHistories applies the histories of a delta. A tool that is gone has none.
func (s *Snapshot) applyHistories(d Delta) {
	s.lives = new(lives)
	changed := make(map[string]*historyEntry, len(d.Histories)+len(d.GoneTools)+len(d.GoneRetired))
	for _, slug := range slices.Concat(d.GoneTools, d.GoneRetired) {
		changed[slug] = nil
	}
	for _, h := range d.Histories {
		changed[h.Slug] = &historyEntry{h.Slug, h.History}
	}
	s.histories = s.histories.with(changed)
}

// Whole returns the delta that leads from nothing to this snapshot.
func (s *Snapshot) Whole() Delta {
	d := Delta{
		Edition: s.edition, Service: s.service, Incidents: s.incidents, Dictionaries: s.markdown.dictionaries,
		Log: s.log, LogEnd: s.logEnd,
	}
	for _, c := range s.categories {
		d.Categories = append(d.Categories, c.Category)
	}
	for _, r := range s.byScoreDesc.list("") {
		d.Tools = append(d.Tools, r.Tool)
	}
	for _, c := range s.byNewest.list("") {
		d.Comparisons = append(d.Comparisons, c.Comparison)
	}
	for _, r := range s.byLastRetired.list(retiredKey{}) {
		d.Retired = append(d.Retired, r.Retired)
	}
	for _, t := range d.Tools {
		d.addHistory(s, t.Slug)
	}
	for _, r := range d.Retired {
		d.addHistory(s, r.Slug)
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		d.Files = append(d.Files, s.files[name])
	}
	return d
}

func (d *Delta) addHistory(s *Snapshot, slug string) {
	if e := s.histories.get(slug); e != nil {
		d.Histories = append(d.Histories, ToolHistory{e.slug, e.history})
	}
}

// Contents returns the state of the catalog that the snapshot shows.
func (s *Snapshot) Contents() *Contents {
	d := s.Whole()
	c := &Contents{
		Service: d.Service, Categories: d.Categories, Tools: d.Tools, Comparisons: d.Comparisons,
		Retired: d.Retired, Files: d.Files, Incidents: d.Incidents,
	}
	c.Sort()
	return c
}
