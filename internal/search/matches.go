package search

import "slices"

// Matches are the documents that a query found. Callers must call Release when done with them.
type Matches struct {
	search *search
	docs   bitmap
	Found
}

// Found says how a query was read.
type Found struct {
	Some    bool     // no document has all words of the query: these have some
	Near    bool     // names and synonyms similar to words of the query were taken for them
	Ignored []string // the words, folded, that play no part in what was found
}

// Search finds the documents that match a query folded by Fold: those that have all of its words, or
// else have them when words that no document has are read with typos, or else have some of them.
// order lists the numbers of all documents; of those that have some words equally well, the first
// count.
func (x *Index) Search(folded string, order []uint32) *Matches {
	s, q := x.begin(), newQuery(folded)
	m := &Matches{search: s}
	m.docs = s.match(&q, 0)
	if !m.docs.empty() || q.empty() {
		m.Some = m.docs.empty()
		m.Ignored = s.ignored(&q, nil, m.docs)
		return m
	}
	list := s.readings(&q)
	defer func() {
		for _, r := range list {
			s.drop(r.places[:]...)
		}
	}()
	s.guess(&q, list)
	for typos := 1; typos <= maxTypos && m.docs.empty(); typos++ {
		s.drop(m.docs)
		m.docs, m.Near = s.match(&q, typos), true
	}
	if !m.docs.empty() {
		m.Ignored = s.ignored(&q, nil, m.docs)
		return m
	}
	s.drop(m.docs)
	m.docs, m.Some, m.Near = s.relax(list, order), true, false
	m.Ignored = s.ignored(&q, list, m.docs)
	return m
}

// Release returns the memory of the matches for reuse.
func (m *Matches) Release() {
	m.search.drop(m.docs)
	m.search.end()
	m.search, m.docs = nil, nil
}

// Has reports whether a document matches.
func (m *Matches) Has(id uint32) bool { return m.docs.has(id) }

// Page returns at most limit matches from start on, best first, and the number of all matches.
// order lists the numbers of all documents: of equal matches, the first in order comes first.
// Matches are returned as indexes in order, which are also what keep gets. A nil keep accepts all.
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

// Near returns the places in order of at most n documents whose names resemble a query, the nearest
// first: whole names and words of names up to three typos away. It is meant for queries that find
// nothing.
func (x *Index) Near(folded string, order []uint32, n int) []int {
	q := newQuery(folded)
	best := make([]uint8, x.size) // distances plus one; 0 is too far
	note := func(b *block, i, distance int) {
		reached := uint8(distance + 1) //nolint:gosec // maxDistance + 2 at most
		for _, doc := range b.set(i).list() {
			if best[doc] == 0 || reached < best[doc] {
				best[doc] = reached
			}
		}
	}
	x.fields[inWhole].near(q.whole, far(q.whole), note)
	for _, w := range q.words[:min(len(q.words), maxNearWords)] {
		x.fields[inNames].near(w.text, far(w.text), func(b *block, i, distance int) { note(b, i, distance+1) })
	}
	var nearest [maxDistance + 3][]int // places, by distance plus one
	for place, doc := range order {
		if d := best[doc]; d > 0 && len(nearest[d]) < n {
			nearest[d] = append(nearest[d], place)
		}
	}
	places := slices.Concat(nearest[:]...)
	return places[:min(n, len(places))]
}

// far returns how many typos Near allows in a word: less than half of it.
func far(w string) int { return min(max((len(w)-1)/2, 0), maxDistance) }
