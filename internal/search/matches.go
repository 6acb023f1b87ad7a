package search

import "slices"

// Matches are the documents that a query found. Whoever has them calls Release in the end, and uses them no
// more.
type Matches struct {
	search *search
	docs   bitmap
	// Near says that names are near the query: nothing has all its words.
	Near bool
}

// Search finds the documents that match a query as Fold gives it. Where nothing has its words as they were
// typed, names that are one slip away match, or else those two slips away.
func (x *Index) Search(folded string) *Matches {
	s, q := x.begin(), newQuery(folded)
	m := &Matches{search: s}
	if len(q.words) == 0 {
		m.docs = s.bitmap()
		return m
	}
	m.docs = s.match(q, 0)
	for slips := 1; slips <= maxSlips && m.docs.empty(); slips++ {
		s.drop(m.docs)
		m.docs, m.Near = s.match(q, slips), true
	}
	return m
}

// Release ends the use of the matches.
func (m *Matches) Release() {
	m.search.drop(m.docs)
	m.search.end()
	m.search, m.docs = nil, nil
}

// Has reports whether a document matches.
func (m *Matches) Has(id uint32) bool { return m.docs.has(id) }

// Page gives the best matches from start on, as many as limit at most, and how many there are. Order is the
// numbers of all documents: of those that match equally well, the first in it is the better one. The matches
// are given by their places in it. Keep says which places count; nil is all.
func (m *Matches) Page(order []uint32, keep func(place int) bool, start, limit int) (places []int, total int) {
	kept, counts := m.search.kept[:0], m.search.counts[:0]
	for place, doc := range order {
		if !m.docs.has(doc) || keep != nil && !keep(place) {
			continue
		}
		kept = append(kept, uint32(place))
		score := int(m.search.scores[doc])
		if score >= len(counts) {
			counts = append(counts, make([]int, score+1-len(counts))...)
		}
		counts[score]++
	}
	m.search.kept, m.search.counts = kept, counts
	if start >= len(kept) || limit < 1 {
		return nil, len(kept)
	}
	// Where the matches of each score begin.
	next := counts
	at := 0
	for score, n := range slices.Backward(counts) {
		next[score] = at
		at += n
	}
	places = make([]int, min(limit, len(kept)-start))
	for _, place := range kept {
		score := m.search.scores[order[place]]
		if i := next[score] - start; i >= 0 && i < len(places) {
			places[i] = int(place)
		}
		next[score]++
	}
	return places, len(kept)
}
