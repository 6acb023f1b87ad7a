package search

import (
	"slices"
	"strings"
)

// A Document is the searchable text of an item.
type Document struct {
	Names    []string // in which typos are allowed
	Keywords []string // what else people call it, in words that stand together and in this order
	Texts    []string
	Openings []string // of longer texts, of which whole words count, least of all
	Traits   []string // words that many items have: for a plan, for a public
	Hints    []string // as Traits, for items that have them in part
	Domain   string
	Group    string // the name of its Group
}

// Equal reports whether the same queries find both documents.
func (d Document) Equal(other Document) bool {
	return d.Domain == other.Domain && d.Group == other.Group &&
		slices.Equal(d.Names, other.Names) && slices.Equal(d.Keywords, other.Keywords) &&
		slices.Equal(d.Texts, other.Texts) && slices.Equal(d.Openings, other.Openings) &&
		slices.Equal(d.Traits, other.Traits) && slices.Equal(d.Hints, other.Hints)
}

// A Group is a group of documents, such as a category. A query finds them by its name, labels and
// synonyms.
type Group struct {
	Name     string // Document.Group
	Labels   []string
	Synonyms []string // as Document.Keywords
}

// A Change adds, replaces or removes a document.
type Change struct {
	ID  uint32    // the document's number in the index; ignored for an added one, which gets a number
	Old *Document // nil if it is added
	New *Document // nil if it is removed
}

// The fields of an index. Each has a dictionary.
const (
	inNames    = iota // words of names
	inStems           // stems of words of names, where they differ
	inWhole           // whole names, without spaces
	inDomain          // domains and their words
	inTexts           // words of texts, and their stems; stems of words of keywords of several words
	inGroup           // names of groups
	inKeywords        // keywords: the stems of their words, joined by spaces; hyphenated ones also as one word
	inTraits          // stems of traits
	inHints           // stems of hints
	inOpenings        // stems of words of openings
	numFields
)

// An Index finds documents. It is immutable and safe for concurrent use.
type Index struct {
	fields  [numFields]dictionary
	groups  []group
	phrases map[string][]string // the names of the groups that have a synonym of several words, by its phrase
	size    uint32              // all document numbers are smaller
	free    []uint32            // smaller numbers that no document has
}

// A group is a Group with the words that find it.
type group struct {
	name  string
	words []string // of its name, labels and synonyms of one word, and their stems; sorted
	parts []string // stems of the words of its other synonyms; sorted
}

// New returns an index without documents.
func New() *Index {
	x := &Index{}
	x.fields[inNames].signed, x.fields[inWhole].signed, x.fields[inKeywords].signed = true, true, true
	return x
}

// Len returns the number of documents.
func (x *Index) Len() int { return int(x.size) - len(x.free) }

// Apply returns the index after the changes, and the number of the document of each one. Its cost
// grows with the changes, and it calls pause between small steps. groups must list all groups, not
// only changed ones.
func (x *Index) Apply(changed []Change, groups []Group, pause func()) (*Index, []uint32) {
	next := &Index{fields: x.fields, size: x.size, free: slices.Clone(x.free)}
	var all [numFields]changes
	for f := range all {
		all[f] = make(changes)
	}
	ids := make([]uint32, len(changed))
	var before, after termSet
	for i, c := range changed {
		before.read(c.Old)
		after.read(c.New)
		switch ids[i] = c.ID; {
		case c.Old == nil:
			ids[i] = next.number()
		case c.New == nil:
			next.free = append(next.free, c.ID)
		}
		for _, t := range before.terms {
			if !after.has(t) {
				all[t.field].remove(t.text, ids[i])
			}
		}
		for _, t := range after.terms {
			if !before.has(t) {
				all[t.field].add(t.text, ids[i])
			}
		}
		pause()
	}
	for f, c := range all {
		next.fields[f] = next.fields[f].with(c, pause)
	}
	next.setGroups(groups)
	return next, ids
}

// A term is a text by which one field finds a document.
type term struct {
	field int
	text  string
}

// A termSet is the terms of a document, each once.
type termSet struct {
	terms []term
	known map[term]bool
}

func (s *termSet) read(d *Document) {
	s.terms = s.terms[:0]
	if s.known == nil {
		s.known = make(map[term]bool)
	}
	clear(s.known)
	if d == nil {
		return
	}
	d.yieldTerms(func(field int, text string) {
		if t := (term{field, text}); !s.known[t] {
			s.known[t] = true
			s.terms = append(s.terms, t)
		}
	})
}

func (s *termSet) has(t term) bool { return s.known[t] }

// number returns a free number for a new document.
func (x *Index) number() uint32 {
	if n := len(x.free); n > 0 {
		id := x.free[n-1]
		x.free = x.free[:n-1]
		return id
	}
	x.size++
	return x.size - 1
}

// setGroups sets the groups and the words and phrases that find them.
func (x *Index) setGroups(groups []Group) {
	x.phrases = make(map[string][]string)
	for _, g := range groups {
		found := group{name: cut(g.Name)}
		for _, text := range append([]string{g.Name}, g.Labels...) {
			compounds(Normalize(text), func(w string) { found.words = append(found.words, w, stem(w)) })
		}
		for _, synonym := range g.Synonyms {
			phrase, stems := phraseOf(synonym)
			switch len(stems) {
			case 0:
			case 1:
				found.words = append(found.words, phrase)
			default:
				x.phrases[phrase] = append(x.phrases[phrase], found.name)
				found.parts = append(found.parts, telling(stems)...)
			}
			compounds(Normalize(synonym), func(w string) {
				if len(stems) > 1 && w == compact(Normalize(synonym)) || len(stems) == 1 {
					found.words = append(found.words, w, stem(w))
				}
			})
		}
		slices.Sort(found.words)
		slices.Sort(found.parts)
		found.words, found.parts = slices.Compact(found.words), slices.Compact(found.parts)
		x.groups = append(x.groups, found)
	}
}

// phraseOf returns a keyword as the index has it, and the stems of its words.
func phraseOf(keyword string) (phrase string, stems []string) {
	splitWords(Normalize(keyword), func(w string) { stems = append(stems, stem(w)) })
	return cut(strings.Join(stems, " ")), stems
}

// telling returns the stems that say something by themselves.
func telling(stems []string) []string {
	var list []string
	for i, s := range stems {
		if !saysNothing(stems, i) {
			list = append(list, s)
		}
	}
	return list
}

// yieldTerms yields the terms that find a document, some more than once.
func (d *Document) yieldTerms(yield func(field int, term string)) {
	var named []string
	for _, name := range d.Names {
		text := Normalize(name)
		compounds(text, func(w string) {
			yield(inNames, w)
			named = append(named, w)
			if s := stem(w); s != w {
				yield(inStems, s)
			}
		})
		if w := compact(text); w != "" {
			yield(inWhole, w)
		}
	}
	for _, text := range d.Texts {
		compounds(Normalize(text), func(w string) {
			yield(inTexts, w)
			if s := stem(w); s != w {
				yield(inTexts, s)
			}
		})
	}
	for _, keyword := range d.Keywords {
		phrase, stems := phraseOf(keyword)
		if phrase != "" {
			yield(inKeywords, phrase)
		}
		if len(stems) > 1 {
			for _, s := range telling(stems) {
				yield(inTexts, s)
			}
			if strings.Contains(keyword, "-") {
				whole := compact(Normalize(keyword))
				compounds(Normalize(keyword), func(w string) {
					if w == whole {
						yield(inKeywords, stem(w))
					}
				})
			}
		}
	}
	yieldStems(d.Traits, func(s string) { yield(inTraits, s) })
	yieldStems(d.Hints, func(s string) { yield(inHints, s) })
	yieldStems(d.Openings, func(s string) {
		if !joiningWords[s] {
			yield(inOpenings, s)
		}
	})
	if d.Group != "" {
		yield(inGroup, cut(d.Group))
	}
	d.domainTerms(named, yield)
}

func yieldStems(texts []string, yield func(stem string)) {
	for _, text := range texts {
		compounds(Normalize(text), func(w string) { yield(stem(w)) })
	}
}

// domainTerms yields the domain, its parent domains of at least two labels, and the words of all
// labels but the last that are not in the name.
func (d *Document) domainTerms(named []string, yield func(field int, term string)) {
	host := strings.TrimPrefix(Normalize(d.Domain), "www.")
	for {
		label, rest, found := strings.Cut(host, ".")
		if !found {
			return
		}
		yield(inDomain, cut(host))
		compounds(label, func(w string) {
			if !slices.Contains(named, w) {
				yield(inDomain, w)
			}
		})
		host = rest
	}
}

// compounds yields the words of a normalized text, and hyphenated ones also as one word: e, mail,
// email.
func compounds(text string, yield func(word string)) {
	whole, parts := "", 0
	flush := func() {
		if parts > 1 {
			yield(cut(whole))
		}
	}
	split(text, func(w string, joined bool) {
		if !joined {
			flush()
			whole, parts = "", 0
		}
		whole, parts = whole+w, parts+1
		yield(w)
	})
	flush()
}
