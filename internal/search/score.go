package search

import "math/bits"

// score adds points to the documents of hits that are in alive and not yet in seen. It moves the
// hits to seen and leaves hits empty.
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

// word returns the documents that have a word anywhere, with typos allowed in names. It scores
// those in alive, each by the best place where it has the word.
func (s *search) word(w word, typos int, alive bitmap) bitmap {
	x, seen, hits := s.index, s.bitmap(), s.bitmap()
	defer s.drop(hits)
	if w.parts != nil {
		x.fields[inDomain].prefixed(w.text, hits)
		s.score(hits, seen, alive, exactName)
		s.parts(w, typos, seen, alive)
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
	if typos > 0 {
		s.near(w.text, typos, seen, alive)
	}
	return seen
}

// parts adds to seen the documents in alive that have all words of something that looks like a
// domain, and scores them.
func (s *search) parts(w word, typos int, seen, alive bitmap) {
	all := s.bitmap()
	all.or(alive)
	for _, part := range w.parts {
		hits := s.word(part, typos, all)
		for i := range all {
			all[i] &= hits[i]
		}
		s.drop(hits)
	}
	seen.or(all)
	s.drop(all)
}

// inGroups adds the documents of the groups that a word finds to a bitmap.
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

// The shortest words in which one and two typos are allowed: too many words are near a short one.
const (
	minOneTypo  = 3
	minTwoTypos = 6
)

// allowed returns how many typos to allow in a word: the given number, or fewer if the word is
// short.
func allowed(w string, typos int) int {
	switch {
	case len(w) < minOneTypo:
		return 0
	case len(w) < minTwoTypos:
		return min(typos, 1)
	default:
		return typos
	}
}

// near scores the documents in alive that have a similar word in their names, and adds them to
// seen.
func (s *search) near(w string, typos int, seen, alive bitmap) {
	for class, hits := range s.classes(inNames, w, typos) {
		if hits != nil {
			s.score(hits, seen, alive, uint16(max(nearName-class, 1)))
			s.drop(hits)
		}
	}
}

// names adds to found the documents whose whole name is the query, begins with it or is near it,
// and scores them.
func (s *search) names(whole string, typos int, found bitmap) {
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
	for class, near := range s.classes(inWhole, whole, typos) {
		if near != nil {
			found.or(near)
			s.score(near, seen, alive, uint16(wholeName-perClass*class))
			s.drop(near)
		}
	}
}

// classes returns the documents that have a term near a word, nearest first, in two classes per
// number of typos; the bitmap of an empty class is nil. The nearer class has the terms with all
// letters that were typed, in any order, and perhaps more. There are few ways to leave a letter out
// or swap two, but many to type a wrong one, so these terms are more likely to be meant.
func (s *search) classes(field int, w string, typos int) (found [2*maxTypos + 1]bitmap) {
	typos = allowed(w, typos)
	if typos == 0 {
		return found
	}
	wanted := signatureOf(w)
	s.index.fields[field].near(w, typos, func(b *block, i, distance int) {
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
