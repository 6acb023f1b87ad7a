package search

import (
	"math/bits"
	"slices"
	"strings"
)

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

// word returns the documents that have a word anywhere, or in their names alone if it says nothing,
// with typos allowed in names and synonyms if no document has it. It scores those in alive, each by
// the best place where it has the word.
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
	}
	if w.nothing {
		return seen
	}
	if w.last {
		x.fields[inDomain].prefixed(w.text, hits)
	} else {
		x.fields[inDomain].exact(w.text, hits)
	}
	s.score(hits, seen, alive, anyDomain)
	x.inGroups(w, hits)
	s.score(hits, seen, alive, anyGroup)
	x.fields[inKeywords].exact(w.stem, hits)
	s.score(hits, seen, alive, anyKeyword)
	x.fields[inTraits].exact(w.stem, hits)
	s.score(hits, seen, alive, anyTrait)
	x.fields[inTexts].exact(w.stem, hits)
	x.inParts(w.stem, hits)
	s.score(hits, seen, alive, exactText)
	x.fields[inHints].exact(w.stem, hits)
	s.score(hits, seen, alive, anyHint)
	if w.last {
		x.fields[inTexts].prefixed(w.text, hits)
		s.score(hits, seen, alive, prefixText)
	}
	x.fields[inOpenings].exact(w.stem, hits)
	s.score(hits, seen, alive, anyOpening)
	if typos > 0 && w.absent {
		s.near(w, typos, seen, alive)
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
		_, found := slices.BinarySearch(g.words, w.stem)
		if !found && w.last {
			at, _ := slices.BinarySearch(g.words, w.text)
			found = at < len(g.words) && strings.HasPrefix(g.words[at], w.text)
		}
		if found {
			x.fields[inGroup].exact(g.name, to)
		}
	}
}

// inParts adds the documents of the groups that have a synonym with a word, among others, to a bitmap.
func (x *Index) inParts(stem string, to bitmap) {
	for _, g := range x.groups {
		if _, found := slices.BinarySearch(g.parts, stem); found {
			x.fields[inGroup].exact(g.name, to)
		}
	}
}

// phrase returns the documents that words find as one keyword; nil for none.
func (s *search) phrase(words []word) bitmap {
	if slices.ContainsFunc(words, func(w word) bool { return w.parts != nil }) {
		return nil
	}
	x, key := s.index, phrase(words)
	groups := x.phrases[key]
	if len(groups) == 0 && !x.fields[inKeywords].has(key) {
		return nil
	}
	hits := s.bitmap()
	x.fields[inKeywords].exact(key, hits)
	for _, name := range groups {
		x.fields[inGroup].exact(name, hits)
	}
	return hits
}

// The shortest words in which one and two typos are allowed: too many words are near a short one.
const (
	minOneTypo  = 5
	minTwoTypos = 7
	// minTwoInSynonym is the shortest word in which two are allowed if it is no name.
	minTwoInSynonym = 9
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

// allowedInSynonym returns how many typos to allow in a word of a synonym: fewer than in a name, since
// ordinary words are nearer to each other.
func allowedInSynonym(w string, typos int) int {
	if len(w) < minTwoInSynonym {
		typos = min(typos, 1)
	}
	return allowed(w, typos)
}

// near scores the documents in alive that have a similar word in their names or synonyms, and adds
// them to seen.
func (s *search) near(w word, typos int, seen, alive bitmap) {
	for class, hits := range s.classes(inNames, w.text, typos) {
		if hits != nil {
			s.score(hits, seen, alive, uint16(max(nearName-class, 1)))
			s.drop(hits)
		}
	}
	typos = allowedInSynonym(w.text, typos)
	for class, hits := range s.classes(inKeywords, w.text, typos) {
		if hits != nil {
			s.score(hits, seen, alive, uint16(max(nearSynonym-class/2, 1)))
			s.drop(hits)
		}
	}
	if typos == 0 {
		return
	}
	hits := s.bitmap()
	for _, g := range s.index.groups {
		if slices.ContainsFunc(g.words, func(term string) bool { return distance(w.text, term, typos) <= typos }) {
			s.index.fields[inGroup].exact(g.name, hits)
		}
	}
	s.score(hits, seen, alive, 1)
	s.drop(hits)
}

// meant returns the stem of the word of groups' synonyms that is nearest to a word; "" for none.
func (x *Index) meant(w word) string {
	best, found := allowedInSynonym(w.text, maxTypos)+1, ""
	for _, g := range x.groups {
		for _, terms := range [][]string{g.words, g.parts} {
			for _, term := range terms {
				if d := distance(w.text, term, best-1); d < best {
					best, found = d, stem(term)
				}
			}
		}
	}
	return found
}

// The endings of words for who or what does something, and for doing it: summarizer, summarizing, résumeur.
var endings = []string{"ateur", "atrice", "eur", "euse", "ing", "er", "or"}

// minRoot is the length of the shortest word that may have another ending.
const minRoot = 4

// root returns the stem of the synonym of one word that differs from a word by its ending alone; "" for
// none.
func (x *Index) root(w string) string {
	w = strings.TrimSuffix(w, "s")
	for _, ending := range endings {
		root, ok := strings.CutSuffix(w, ending)
		if !ok || len(root) < minRoot {
			continue
		}
		synonym := func(g group) bool { _, found := slices.BinarySearch(g.words, root); return found }
		if x.fields[inKeywords].has(root) || slices.ContainsFunc(x.groups, synonym) {
			return root
		}
	}
	return ""
}

// names adds to found the documents whose whole name is the query, begins with it or is near it,
// and scores them. If the query says nothing, it finds only the name that is just so.
func (s *search) names(q *query, typos int, found bitmap) {
	if q.whole == "" {
		return
	}
	hits, seen, alive := s.bitmap(), s.bitmap(), s.bitmap()
	defer s.drop(hits, seen, alive)
	alive.fill()
	s.index.fields[inWhole].exact(q.whole, hits)
	found.or(hits)
	s.score(hits, seen, alive, wholeName)
	if q.empty() {
		return
	}
	s.index.fields[inWhole].prefixed(q.whole, hits)
	found.or(hits)
	s.score(hits, seen, alive, startOfName)
	for class, near := range s.classes(inWhole, q.whole, typos) {
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
