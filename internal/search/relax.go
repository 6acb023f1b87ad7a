package search

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	// maxReadings is how many words of a query a relaxed answer reads.
	maxReadings = 16
	// maxRelaxed is the largest number of documents in a relaxed answer.
	maxRelaxed = 200
	// maxWeight is the largest power of two of which a word's weight is made.
	maxWeight = 8
)

// A reading is a word of a query with the documents that have it, each only where it counts most.
type reading struct {
	at      []int  // the word's indexes in the query
	places  places // by the weight of the place
	weight  uint32
	nothing bool
	slight  bool // a number or a single letter: it adds to what other words find
}

// The places of a reading.
const (
	named   = iota // in a name
	carried        // in a domain, a category, a synonym or a keyword
	said           // in a text, or in words for a plan or a public
	opened         // in the opening of a longer text, or in a word for a plan that it has in part
	numPlaces
)

// Where a word is found counts so many times the word's weight.
var placeWeights = [numPlaces]uint32{named: 6, carried: 4, said: 2, opened: 1}

type places [numPlaces]bitmap

// readings reads the words of a query that say something: each word once, alone, joined with a
// neighbour or in a phrase. It notes which words no document has.
func (s *search) readings(q *query) []*reading {
	var list []*reading
	byText := make(map[string]*reading)
	for i := range q.words {
		w := &q.words[i]
		if w.nothing {
			continue
		}
		r := byText[w.text]
		if r == nil && len(list) < maxReadings {
			r = &reading{slight: len(w.text) == 1 || w.text[0] >= '0' && w.text[0] <= '9'}
			for p := range r.places {
				r.places[p] = s.bitmap()
			}
			byText[w.text] = r
			list = append(list, r)
			s.read(*w, &r.places)
		}
		if r == nil {
			continue
		}
		r.at = append(r.at, i)
		s.readWith(q, i, &r.places)
	}
	for _, r := range list {
		r.places.once()
		w := &q.words[r.at[0]]
		r.nothing = s.common(r.places.all(s))
		w.absent = r.places.empty()
	}
	return list
}

// read adds the documents that have a word to the places where they have it. The last word of a query
// is the beginning of another if no document has it as it stands.
func (s *search) read(w word, p *places) {
	x, last := s.index, w.last
	w.last = false
	x.fields[inNames].exact(w.text, p[named])
	x.fields[inNames].exact(w.stem, p[named])
	x.fields[inStems].exact(w.stem, p[named])
	x.fields[inDomain].exact(w.text, p[carried])
	x.inGroups(w, p[carried])
	x.fields[inKeywords].exact(w.stem, p[carried])
	x.fields[inTexts].exact(w.stem, p[said])
	x.inParts(w.stem, p[said])
	x.fields[inTraits].exact(w.stem, p[said])
	x.fields[inHints].exact(w.stem, p[opened])
	x.fields[inOpenings].exact(w.stem, p[opened])
	for _, part := range w.parts {
		s.read(part, p)
	}
	if last && p.empty() {
		w.last = true
		x.fields[inNames].prefixed(w.text, p[named])
		x.fields[inDomain].prefixed(w.text, p[carried])
		x.inGroups(w, p[carried])
		x.fields[inTexts].prefixed(w.text, p[said])
	}
}

// readWith adds the documents that have a word of the query together with its neighbours.
func (s *search) readWith(q *query, i int, p *places) {
	for _, first := range []int{i - 1, i} {
		if first < 0 || first+1 >= len(q.words) || q.words[first].parts != nil || q.words[first+1].parts != nil {
			continue
		}
		both := joined(q.words[first], q.words[first+1])
		s.index.fields[inNames].exact(both.text, p[named])
		s.index.fields[inTexts].exact(both.stem, p[said])
		s.index.inGroups(both, p[carried])
	}
	for first := max(0, i+1-maxPhrase); first <= i; first++ {
		for end := max(i+1, first+2); end <= min(first+maxPhrase, len(q.words)); end++ {
			if hits := s.phrase(q.words[first:end]); hits != nil {
				p[carried].or(hits)
				s.drop(hits)
			}
		}
	}
}

// once removes documents from a place where they are in one that counts more.
func (p *places) once() {
	for i, other := range p {
		for _, better := range p[:i] {
			for j, x := range better {
				other[j] &^= x
			}
		}
	}
}

func (p *places) empty() bool {
	return !slices.ContainsFunc(p[:], func(b bitmap) bool { return !b.empty() })
}

// all returns the documents of all places, in a bitmap that belongs to the search.
func (p *places) all(s *search) bitmap {
	if s.union == nil || len(s.union) != s.size {
		s.union = make(bitmap, s.size)
	}
	clear(s.union)
	for _, b := range p {
		s.union.or(b)
	}
	return s.union
}

// guess reads the words that no document has in another way: as a synonym with another ending, or else
// with typos. Each gets the documents of the names and synonyms nearest to it. A query is hopeless if
// one of them gets none.
func (s *search) guess(q *query, list []*reading) {
	guessed := 0
	for _, r := range list {
		w := &q.words[r.at[0]]
		if !w.absent {
			continue
		}
		if guessed++; guessed > maxNearWords {
			q.hopeless = true
			return
		}
		if root := s.index.root(w.text); root != "" {
			w.stem = root
			s.read(*w, &r.places)
			r.places.once()
			continue
		}
		w.meant = s.index.meant(*w)
		alive := s.bitmap() // nobody is scored
		for typos := 1; typos <= maxTypos && r.places.empty(); typos++ {
			s.near(*w, typos, r.places[carried], alive)
		}
		s.drop(alive)
		q.hopeless = q.hopeless || r.places.empty()
	}
}

// relax returns the documents that have at least half of the best weight of words: the best ones by
// their weight, of equal ones the first in order, and those whose names, categories and synonyms
// have none of the words at the end. It scores them by their rank.
func (s *search) relax(list []*reading, order []uint32) bitmap {
	if cap(s.weights) < int(s.index.size) {
		s.weights = make([]uint32, s.index.size)
	}
	s.weights = s.weights[:s.index.size]
	clear(s.weights)
	carries := s.bitmap()
	for _, r := range slightLast(list) {
		if n := r.places.all(s).count(); n > 0 && !r.nothing {
			r.weight = 1 << min(bits.Len(uint(s.index.Len()/n)), maxWeight)
		}
		if r.weight == 0 {
			continue
		}
		if !r.slight {
			carries.or(r.places[named])
			carries.or(r.places[carried])
		}
		for p, docs := range r.places {
			weight := r.weight * placeWeights[p]
			docs.each(func(doc uint32) {
				if !r.slight || s.weights[doc] > 0 {
					s.weights[doc] += weight
				}
			})
		}
	}
	defer s.drop(carries)
	best := s.bestWeight(carries)
	found := s.bitmap()
	clear(s.scores)
	if best == 0 {
		return found
	}
	type candidate struct {
		doc, weight uint32
		carries     bool
	}
	var kept []candidate
	for _, doc := range order {
		if weight := s.weights[doc]; 2*weight >= best {
			kept = append(kept, candidate{doc, weight, carries.has(doc)})
		}
	}
	slices.SortStableFunc(kept, func(a, b candidate) int {
		if a.carries != b.carries {
			if a.carries {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.weight, a.weight)
	})
	kept = kept[:min(len(kept), maxRelaxed)]
	for i, c := range kept {
		found.add(c.doc)
		s.scores[c.doc] = uint16(len(kept) - i) //nolint:gosec // of 200 at most
	}
	return found
}

// bestWeight returns the largest weight of the documents that carry an answer, or of all if none does.
func (s *search) bestWeight(carries bitmap) (best uint32) {
	some := !carries.empty()
	for doc, weight := range s.weights {
		if weight > best && (!some || carries.has(uint32(doc))) {
			best = weight
		}
	}
	return best
}

// slightLast returns readings with the slight ones at the end.
func slightLast(list []*reading) []*reading {
	var telling, slight []*reading
	for _, r := range list {
		if r.slight {
			slight = append(slight, r)
		} else {
			telling = append(telling, r)
		}
	}
	return append(telling, slight...)
}

// ignored returns the words of the query, each once, that play no part in what was found.
func (s *search) ignored(q *query, list []*reading, found bitmap) []string {
	used := make(map[string]bool)
	for _, r := range list {
		if !r.nothing && found.meets(r.places.all(s)) {
			used[q.words[r.at[0]].text] = true
		}
	}
	var words []string
	for i := range q.words {
		w := &q.words[i]
		if used[w.text] || slices.Contains(words, w.text) || w.nothing && s.plays(q, i, found) || !w.nothing && list == nil {
			continue
		}
		words = append(words, w.text)
	}
	return words
}

// plays reports whether a word that says nothing is in a name or a phrase by which something was
// found.
func (s *search) plays(q *query, i int, found bitmap) bool {
	var p places
	for at := range p {
		p[at] = s.bitmap()
		defer s.drop(p[at])
	}
	s.index.fields[inNames].exact(q.words[i].text, p[named])
	s.readWith(q, i, &p)
	return found.meets(p.all(s))
}
