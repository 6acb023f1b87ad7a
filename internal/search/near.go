package search

import (
	"cmp"
	"slices"
)

// Near gives the places in order of at most n documents with names that somebody who typed a query could have
// meant, the nearest first: whole names and words of names up to three slips away. It is for when Search finds
// nothing.
func (x *Index) Near(folded string, order []uint32, n int) []int {
	q := newQuery(folded)
	best := make(map[uint32]int) // distances
	note := func(b *block, i, distance int) {
		for _, doc := range b.set(i).list() {
			if d, known := best[doc]; !known || distance < d {
				best[doc] = distance
			}
		}
	}
	x.fields[inWhole].near(q.whole, far(q.whole), note)
	for _, w := range q.words[:min(len(q.words), maxNearWords)] {
		x.fields[inNames].near(w.text, far(w.text), func(b *block, i, distance int) { note(b, i, distance+1) })
	}
	type candidate struct{ place, distance int }
	var found []candidate
	for place, doc := range order {
		if d, ok := best[doc]; ok {
			found = append(found, candidate{place, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	places := make([]int, 0, n)
	for _, c := range found[:min(n, len(found))] {
		places = append(places, c.place)
	}
	return places
}

// far is how many slips Near forgives in a word: less than half of it.
func far(w string) int { return min(max((len(w)-1)/2, 0), maxDistance) }
