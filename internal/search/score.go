package search

import "math/bits"

// score adds to the scores of those of alive that are in hits and not in seen yet, and to seen.
func (s *search) score(hits, seen, alive bitmap, points uint16) {
	for i, x := range hits {
		if x == 0 {
			continue
		}
		x &^= seen[i]
		seen[i] |= x
		hits[i] = 0
		scores := s.scores[i*64:]
		for x &= alive[i]; x != 0; x &= x - 1 {
			scores[bits.TrailingZeros64(x)] += points
		}
	}
}

// word finds the documents that have a word anywhere, and scores those that are alive by the best place. Slips
// are forgiven in names.
func (s *search) word(w word, slips int, alive bitmap) bitmap {
	x, seen, hits := s.index, s.bitmap(), s.bitmap()
	defer s.drop(hits)
	if w.parts != nil {
		x.fields[inDomain].prefixed(w.text, hits)
		s.score(hits, seen, alive, exactName)
		s.parts(w, slips, seen, alive)
		return seen
	}
	x.fields[inNames].exact(w.text, hits)
	s.score(hits, seen, alive, exactName)
	x.fields[inStems].exact(w.stem, hits)
	if w.stem != w.text {
		x.fields[inNames].exact(w.stem, hits)
	}
	s.score(hits, seen, alive, stemOfName)
	if w.last {
		x.fields[inNames].prefixed(w.text, hits)
		s.score(hits, seen, alive, prefixName)
		x.fields[inDomain].prefixed(w.text, hits)
	} else {
		x.fields[inDomain].exact(w.text, hits)
	}
	s.score(hits, seen, alive, anyDomain)
	x.inGroups(w, hits)
	s.score(hits, seen, alive, anyGroup)
	x.fields[inTexts].exact(w.stem, hits)
	s.score(hits, seen, alive, exactText)
	if w.last {
		x.fields[inTexts].prefixed(w.text, hits)
		s.score(hits, seen, alive, prefixText)
	}
	if slips > 0 {
		s.near(w.text, slips, seen, alive)
	}
	return seen
}

// parts finds the documents that have all words of what could be a domain as well.
func (s *search) parts(w word, slips int, seen, alive bitmap) {
	all := s.bitmap()
	all.or(alive)
	for _, part := range w.parts {
		hits := s.word(part, slips, all)
		for i := range all {
			all[i] &= hits[i]
		}
		s.drop(hits)
	}
	seen.or(all)
	s.drop(all)
}

// inGroups adds the documents of the groups that a word names.
func (x *Index) inGroups(w word, to bitmap) {
	for _, g := range x.groups {
		for _, term := range g.words {
			if term == w.stem || w.last && len(term) >= len(w.text) && term[:len(w.text)] == w.text {
				x.fields[inGroup].exact(cut(g.name), to)
				break
			}
		}
	}
}

// The lengths from which one and two slips are forgiven in a word: too much is near a short one.
const (
	minOneSlip  = 3
	minTwoSlips = 6
)

// forgiven is how many of so many slips may be in a word.
func forgiven(w string, slips int) int {
	switch {
	case len(w) < minOneSlip:
		return 0
	case len(w) < minTwoSlips:
		return min(slips, 1)
	default:
		return slips
	}
}

// near finds the documents in whose names a word is that could be meant.
func (s *search) near(w string, slips int, seen, alive bitmap) {
	for class, hits := range s.classes(inNames, w, slips) {
		if hits != nil {
			s.score(hits, seen, alive, uint16(max(nearName-class, 1)))
			s.drop(hits)
		}
	}
}

// names finds the documents whose whole name is the query or begins with it, or is near it.
func (s *search) names(whole string, slips int, found bitmap) {
	if whole == "" {
		return
	}
	hits, seen, alive := s.bitmap(), s.bitmap(), s.bitmap()
	defer s.drop(hits, seen, alive)
	for i := range alive {
		alive[i] = ^uint64(0)
	}
	s.index.fields[inWhole].exact(whole, hits)
	found.or(hits)
	s.score(hits, seen, alive, wholeName)
	s.index.fields[inWhole].prefixed(whole, hits)
	found.or(hits)
	s.score(hits, seen, alive, startOfName)
	for class, near := range s.classes(inWhole, whole, slips) {
		if near != nil {
			found.or(near)
			s.score(near, seen, alive, uint16(wholeName-perClass*class))
			s.drop(near)
		}
	}
}

// classes are the documents with a term near a word, the nearest first: two classes for each number of slips.
// The first is of terms that have all that was typed, and perhaps a letter more, in whatever order. Whoever
// types leaves one out, or swaps two, in few ways, and takes a wrong one in many.
func (s *search) classes(field int, w string, slips int) (found [2*maxSlips + 1]bitmap) {
	slips = forgiven(w, slips)
	if slips == 0 {
		return found
	}
	wanted := signatureOf(w)
	s.index.fields[field].near(w, slips, func(b *block, i, distance int) {
		class := 2 * distance
		has := b.signatures[i]
		if n := len(b.term(i)); class > 0 && (n > len(w) && has&wanted == wanted || n == len(w) && has == wanted) {
			class--
		}
		if found[class] == nil {
			found[class] = s.bitmap()
		}
		b.addTo(i, found[class])
	})
	return found
}
