package search

import (
	"slices"
	"strings"
	"sync"
)

// A word is one word of a query, prepared for matching.
type word struct {
	text    string
	stem    string
	parts   []word // of a domain
	last    bool   // a prefix is enough
	nothing bool   // it says nothing: a document need not have it
	absent  bool   // no document has it: typos are allowed in it
	meant   string // if absent, the stem of the nearest word of a synonym; or ""
}

// key returns the word as phrases have it.
func (w *word) key() string {
	if w.meant != "" {
		return w.meant
	}
	return w.stem
}

const (
	// minPrefix is the length of the shortest word that may be the beginning of another.
	minPrefix = 3
	// maxPhrase is how many words of a query can be one keyword.
	maxPhrase = 6
	// maxNearWords is the largest number of words in a query for which typos are allowed word by
	// word. Each word costs a scan of all names.
	maxNearWords = 8
	// maxTypos is how many typos are allowed in a name.
	maxTypos = 2
)

// A query is a folded query split into words.
type query struct {
	words    []word
	whole    string // without spaces
	hopeless bool   // a word is in no document, not even with typos: only whole names can match
}

// newQuery parses a folded query.
func newQuery(folded string) query {
	q := query{whole: compact(folded)}
	fields := strings.Fields(folded)
	for i, f := range fields {
		w := newWord(f, i == len(fields)-1)
		w.nothing = saysNothing(fields, i) && (len(fields) > 1 || len(f) > 1) // one letter begins a name
		q.words = append(q.words, w)
	}
	return q
}

// empty reports whether no word of the query says anything.
func (q *query) empty() bool {
	return !slices.ContainsFunc(q.words, func(w word) bool { return !w.nothing })
}

func newWord(text string, last bool) word {
	w := word{text: cut(text)}
	w.last = last && len(w.text) >= minPrefix
	w.stem = stem(w.text)
	if domain(text) != "" {
		w.last = last
		splitWords(text, func(part string) { w.parts = append(w.parts, newWord(part, false)) })
		end := &w.parts[len(w.parts)-1]
		end.last = last && len(end.text) >= minPrefix
	}
	return w
}

// joined returns two words as one.
func joined(first, second word) word { return newWord(first.text+second.text, second.last) }

// phrase returns words as one keyword.
func phrase(words []word) string {
	keys := make([]string, len(words))
	for i := range words {
		keys[i] = words[i].key()
	}
	return cut(strings.Join(keys, " "))
}

// The points for a word of a query, by where it was found.
const (
	exactName   = 16
	stemOfName  = 14
	prefixName  = 12
	anyDomain   = 10
	anyGroup    = 8
	anyKeyword  = 7 // for each word of a phrase
	anyTrait    = 5
	exactText   = 4
	anyHint     = 3
	prefixText  = 2
	anyOpening  = 1
	nearName    = 6   // minus one for each class of nearness
	nearSynonym = 3   // minus one for each typo
	startOfName = 6   // in addition, if the name begins with the query
	wholeName   = 200 // in addition, if the query is the name
	perClass    = 20  // subtracted from wholeName for each class of nearness, if the query is nearly the name
)

// A search is the working memory of a query. It is reused: with 100,000 documents it takes less
// than a megabyte.
type search struct {
	index   *Index
	scores  []uint16 // by document
	weights []uint32 // by document
	size    int      // words of a bitmap
	spare   []bitmap
	union   bitmap
	kept    []uint32 // places of matches
	counts  []int    // of matches by score
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

// minCommon is the least number of documents of which nearly all can have a word.
const minCommon = 10

// common reports whether nearly every document has a word, which then says nothing.
func (s *search) common(hits bitmap) bool {
	n := s.index.Len()
	return n >= minCommon && hits.count() >= n-n/10
}

// match returns the documents that have all words of the query that say something, with at most the
// given number of typos in names and synonyms, and scores them. It notes in the query which words
// nearly all documents have.
func (s *search) match(q *query, typos int) bitmap {
	clear(s.scores)
	// found[i] has the documents with the first i words. Words that stand together also match as one
	// word or as a phrase, so the last few are needed.
	found := make([]bitmap, 1, len(q.words)+1)
	found[0] = s.bitmap()
	if !q.empty() && !q.hopeless {
		found[0].fill()
	}
	for i := range q.words {
		w := &q.words[i]
		next := s.bitmap()
		s.extend(q.words[:i+1], typos, found, next)
		if w.nothing {
			next.or(found[i])
		}
		found = append(found, next)
		if i >= maxPhrase {
			s.drop(found[i-maxPhrase])
			found[i-maxPhrase] = nil
		}
		if !slices.ContainsFunc(found[max(0, i+2-maxPhrase):], func(b bitmap) bool { return !b.empty() }) {
			break
		}
	}
	last := found[len(found)-1]
	if len(found) <= len(q.words) {
		clear(last) // the words that follow were not read
	}
	for _, b := range found[:len(found)-1] {
		if b != nil {
			s.drop(b)
		}
	}
	if q.empty() {
		clear(last) // nearly all documents have all words
	}
	s.names(q, typos, last)
	// Numbers that no document has match nothing; all others have a score.
	return last
}

// extend adds to next the documents that have the last of words, alone or with those before it, and
// the words before.
func (s *search) extend(words []word, typos int, found []bitmap, next bitmap) {
	i := len(words) - 1
	w := &words[i]
	if !found[i].empty() {
		hits := s.word(*w, typos, found[i])
		w.nothing = w.nothing || typos == 0 && s.common(hits)
		next.orBoth(found[i], hits)
		s.drop(hits)
	}
	if i > 0 && w.parts == nil && words[i-1].parts == nil && !found[i-1].empty() {
		both := s.word(joined(words[i-1], *w), 0, found[i-1])
		next.orBoth(found[i-1], both)
		s.drop(both)
	}
	for n := 2; n <= min(maxPhrase, len(words)); n++ {
		if before := found[i+1-n]; !before.empty() {
			hits := s.phrase(words[i+1-n:])
			if hits != nil {
				next.orBoth(before, hits)
				seen := s.bitmap()
				s.score(hits, seen, before, uint16(n*anyKeyword))
				s.drop(hits, seen)
			}
		}
	}
}
