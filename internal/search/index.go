package search

import (
	"slices"
	"strings"
)

// A Document is the searchable text of an item.
type Document struct {
	Names  []string // in which typos are allowed
	Texts  []string
	Domain string
	Group  string // the name of its Group
}

// Equal reports whether the same queries find both documents.
func (d Document) Equal(other Document) bool {
	return d.Domain == other.Domain && d.Group == other.Group &&
		slices.Equal(d.Names, other.Names) && slices.Equal(d.Texts, other.Texts)
}

// A Group is a group of documents, such as a category. A query finds them by its name and labels.
type Group struct {
	Name   string // Document.Group
	Labels []string
}

// A Change adds, replaces or removes a document.
type Change struct {
	ID  uint32    // the document's number in the index; ignored for an added one, which gets a number
	Old *Document // nil if it is added
	New *Document // nil if it is removed
}

// The fields of an index. Each has a dictionary.
const (
	inNames  = iota // words of names
	inStems         // stems of words of names, where they differ
	inWhole         // whole names, without spaces
	inDomain        // domains and their words
	inTexts         // words of texts, and their stems
	inGroup         // names of groups
	numFields
)

// An Index finds documents. It is immutable and safe for concurrent use.
type Index struct {
	fields [numFields]dictionary
	groups []group
	size   uint32   // all document numbers are smaller
	free   []uint32 // smaller numbers that no document has
}

// A group is a Group with the words and stems that find it.
type group struct {
	name  string
	words []string
}

// New returns an index without documents.
func New() *Index {
	x := &Index{}
	x.fields[inNames].signed, x.fields[inWhole].signed = true, true
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
type termSet struct{ terms []term }

func (s *termSet) read(d *Document) {
	s.terms = s.terms[:0]
	if d == nil {
		return
	}
	d.yieldTerms(func(field int, text string) {
		if t := (term{field, text}); !s.has(t) {
			s.terms = append(s.terms, t)
		}
	})
}

// has compares all terms, since there are only about twenty.
func (s *termSet) has(t term) bool { return slices.Contains(s.terms, t) }

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

// setGroups sets the groups and the words that find them.
func (x *Index) setGroups(groups []Group) {
	for _, g := range groups {
		found := group{name: g.Name}
		for _, text := range append([]string{g.Name}, g.Labels...) {
			compounds(Normalize(text), func(w string) { found.words = append(found.words, w, stem(w)) })
		}
		slices.Sort(found.words)
		found.words = slices.Compact(found.words)
		x.groups = append(x.groups, found)
	}
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
	if d.Group != "" {
		yield(inGroup, cut(d.Group))
	}
	d.domainTerms(named, yield)
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
