package search

import (
	"slices"
	"strings"
	"sync"
)

// A word of a query.
type word struct {
	text     string
	stem     string
	parts    []word // of a domain
	last     bool   // a prefix is enough
	optional bool
}

// maxNearWords is how many words a query has at most of which slips are forgiven one by one. All names are
// looked at for each.
const maxNearWords = 8

// maxSlips is how many slips are forgiven in a name.
const maxSlips = 2

// A query is what is searched for.
type query struct {
	words []word
	whole string // without spaces
}

// newQuery reads a folded query.
func newQuery(folded string) query {
	q := query{whole: compact(folded)}
	fields := strings.Fields(folded)
	for i, f := range fields {
		q.words = append(q.words, newWord(f, i == len(fields)-1))
	}
	needed := func(w word) bool { return !w.optional }
	if !slices.ContainsFunc(q.words, needed) {
		for i := range q.words {
			q.words[i].optional = false
		}
	}
	return q
}

func newWord(text string, last bool) word {
	w := word{text: cut(text), last: last, optional: small[text] && !last}
	w.stem = stem(w.text)
	if domain(text) != "" {
		splitWords(text, func(part string) { w.parts = append(w.parts, newWord(part, false)) })
		for i := range w.parts {
			w.parts[i].optional, w.parts[i].last = false, last && i == len(w.parts)-1
		}
	}
	return w
}

// joined are two words as one.
func joined(first, second word) word { return newWord(first.text+second.text, second.last) }

// How well a word of a query matches, by where it was found.
const (
	exactName   = 16
	stemOfName  = 14
	prefixName  = 12
	anyDomain   = 10
	anyGroup    = 8
	exactText   = 4
	prefixText  = 2
	nearName    = 6   // less for each class
	startOfName = 6   // more, when the query is how the name begins
	wholeName   = 200 // more, when it is the name
	perClass    = 20  // less, when it is nearly the name
)

// A search is one that goes on. It is reused: at 100,000 documents it takes a quarter of a megabyte.
type search struct {
	index  *Index
	scores []uint16 // by document
	size   int      // words of a bitmap
	spare  []bitmap
	kept   []uint32 // places of matches
	counts []int    // of matches by score
}

var searches = sync.Pool{New: func() any { return new(search) }}

func (x *Index) begin() *search {
	s, _ := searches.Get().(*search)
	s.index, s.size = x, int(x.size+63)/64
	if cap(s.scores) < int(x.size) {
		s.scores = make([]uint16, x.size)
	}
	s.scores = s.scores[:x.size]
	return s
}

func (s *search) end() {
	s.index = nil
	searches.Put(s)
}

// bitmap gives an empty one.
func (s *search) bitmap() bitmap {
	n := len(s.spare)
	if n == 0 {
		return make(bitmap, s.size)
	}
	b := s.spare[n-1]
	s.spare = s.spare[:n-1]
	if cap(b) < s.size { // of a smaller index
		return make(bitmap, s.size)
	}
	b = b[:s.size]
	clear(b)
	return b
}

// drop takes bitmaps back.
func (s *search) drop(all ...bitmap) { s.spare = append(s.spare, all...) }

// match finds the documents that have all words, forgiving so many slips in names, and scores them.
func (s *search) match(q query, slips int) bitmap {
	clear(s.scores)
	// The documents that have all words so far: without the last one, and with it. Two words may also be found
	// as one.
	before, found := s.bitmap(), s.bitmap()
	for i := range found {
		found[i] = ^uint64(0)
	}
	if slips > 0 && len(q.words) > maxNearWords {
		clear(found)
	}
	forgiven := slips
	for i, w := range q.words {
		if found.empty() && before.empty() {
			break
		}
		next := s.bitmap()
		if w.optional {
			next.or(found)
		}
		hits := s.word(w, forgiven, found)
		next.orBoth(found, hits)
		s.drop(hits)
		if i > 0 && w.parts == nil && q.words[i-1].parts == nil {
			both := s.word(joined(q.words[i-1], w), 0, before)
			next.orBoth(before, both)
			s.drop(both)
		}
		s.drop(before)
		before, found = found, next
	}
	s.drop(before)
	s.names(q.whole, slips, found)
	// Numbers that no document has match nothing; all others have a score.
	return found
}
