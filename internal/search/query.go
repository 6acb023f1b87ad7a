package search

import (
	"slices"
	"strings"
	"sync"
)

// A word is one word of a query, prepared for matching.
type word struct {
	text     string
	stem     string
	parts    []word // of a domain
	last     bool   // a prefix is enough
	optional bool
}

// maxNearWords is the largest number of words in a query for which typos are allowed word by word.
// Each word costs a scan of all names.
const maxNearWords = 8

// maxTypos is how many typos are allowed in a name.
const maxTypos = 2

// A query is a folded query split into words.
type query struct {
	words []word
	whole string // without spaces
}

// newQuery parses a folded query.
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
	w := word{text: cut(text), last: last, optional: stopWords[text] && !last}
	w.stem = stem(w.text)
	if domain(text) != "" {
		splitWords(text, func(part string) { w.parts = append(w.parts, newWord(part, false)) })
		for i := range w.parts {
			w.parts[i].optional, w.parts[i].last = false, last && i == len(w.parts)-1
		}
	}
	return w
}

// joined returns two words as one.
func joined(first, second word) word { return newWord(first.text+second.text, second.last) }

// The points for a word of a query, by where it was found.
const (
	exactName   = 16
	stemOfName  = 14
	prefixName  = 12
	anyDomain   = 10
	anyGroup    = 8
	exactText   = 4
	prefixText  = 2
	nearName    = 6   // minus one for each class of nearness
	startOfName = 6   // in addition, if the name begins with the query
	wholeName   = 200 // in addition, if the query is the name
	perClass    = 20  // subtracted from wholeName for each class of nearness, if the query is nearly the name
)

// A search is the working memory of a query. It is reused: with 100,000 documents it takes a
// quarter of a megabyte.
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

// bitmap returns an empty bitmap.
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

// drop returns bitmaps for reuse.
func (s *search) drop(all ...bitmap) { s.spare = append(s.spare, all...) }

// match returns the documents that have all words of the query, with at most the given number of
// typos in names, and scores them.
func (s *search) match(q query, typos int) bitmap {
	clear(s.scores)
	// found has the documents with all words so far, and before those with all of them but the
	// last. They are needed because two adjacent words also match as one.
	before, found := s.bitmap(), s.bitmap()
	for i := range found {
		found[i] = ^uint64(0)
	}
	if typos > 0 && len(q.words) > maxNearWords {
		clear(found)
	}
	allowance := typos
	for i, w := range q.words {
		if found.empty() && before.empty() {
			break
		}
		next := s.bitmap()
		if w.optional {
			next.or(found)
		}
		hits := s.word(w, allowance, found)
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
	s.names(q.whole, typos, found)
	// Numbers that no document has match nothing; all others have a score.
	return found
}
