package catalog

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/throttle"
)

// ToolSlugs returns the slugs of all living tools, sorted.
func (s *Snapshot) ToolSlugs(t *throttle.Throttle) []string {
	return sortedSlugs(s.byScoreDesc.list(""), func(e listedTool) string { return e.Slug }, t)
}

// ComparisonSlugs returns the slugs of all published comparisons, sorted.
func (s *Snapshot) ComparisonSlugs(t *throttle.Throttle) []string {
	return sortedSlugs(s.byNewest.list(""), func(e *comparisonEntry) string { return e.Slug }, t)
}

// RetiredSlugs returns the slugs of all retired tools, sorted.
func (s *Snapshot) RetiredSlugs(t *throttle.Throttle) []string {
	return sortedSlugs(s.byLastRetired.list(retiredKey{}), func(e *retiredEntry) string { return e.Slug }, t)
}

// EmbeddedSlugs returns the slugs of the embeddings set, sorted.
func (s *Snapshot) EmbeddedSlugs(t *throttle.Throttle) []string {
	return sortedSlugs(s.embedded.list(""), func(e listedTool) string { return e.Slug }, t)
}

// sortedSlugs returns the slugs of a list, sorted. It works in small steps and pauses between them:
// sorting a hundred thousand slugs at once would keep a processor from requests all that time.
func sortedSlugs[E any](list []E, slug func(E) string, t *throttle.Throttle) []string {
	const step = 1024
	sorted, merged := make([]string, len(list)), make([]string, len(list))
	for i, e := range list {
		sorted[i] = slug(e)
		if i%step == 0 {
			t.Pause()
		}
	}
	for run := range slices.Chunk(sorted, step) {
		slices.Sort(run)
		t.Pause()
	}
	for size := step; size < len(sorted); size *= 2 {
		for start := 0; start < len(sorted); start += 2 * size {
			middle, end := min(start+size, len(sorted)), min(start+2*size, len(sorted))
			a, b, out := sorted[start:middle], sorted[middle:end], merged[start:start]
			for len(a) > 0 && len(b) > 0 {
				if a[0] <= b[0] {
					out, a = append(out, a[0]), a[1:]
				} else {
					out, b = append(out, b[0]), b[1:]
				}
				if len(out)%step == 0 {
					t.Pause()
				}
			}
			copy(merged[start+len(out):], a) // one of them is empty
			copy(merged[start+len(out):], b)
		}
		sorted, merged = merged, sorted
	}
	return sorted
}

// LoggedComparisonJSON returns a published comparison as its events show it.
func (s *Snapshot) LoggedComparisonJSON(slug string) ([]byte, bool) {
	if e := s.comparisons.get(slug); e != nil {
		return encodeLoggedComparison(s.service, e.ComparisonWithTools), true
	}
	return nil, false
}

// RetiredJSON returns a retired tool as JSON.
func (s *Snapshot) RetiredJSON(slug string) ([]byte, bool) {
	if e := s.retired.get(slug); e != nil {
		return e.item.Body, true
	}
	return nil, false
}

// HashedEmbeddingsJSON is EmbeddingsJSON with the hash of each chunk's text. It returns false for a
// tool outside the embeddings set.
func (s *Snapshot) HashedEmbeddingsJSON(slug string) ([]byte, bool) {
	e := s.tools.get(slug)
	if e == nil || e.embeddings == nil {
		return nil, false
	}
	return encodeEmbeddings(s.service, e.Tool, true), true
}

// JSON returns the category as the API shows it.
func (c CategoryStats) JSON() []byte { return encodeCategory(c) }
