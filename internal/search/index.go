package search

import (
	"slices"
	"strings"
)

// A Document is what is searched of an item.
type Document struct {
	Names  []string // of which slips are forgiven
	Texts  []string
	Domain string
	Group  string // what it belongs to, by a name that Groups explain
}

// Equal reports whether both are found by the same queries.
func (d Document) Equal(other Document) bool {
	return d.Domain == other.Domain && d.Group == other.Group &&
		slices.Equal(d.Names, other.Names) && slices.Equal(d.Texts, other.Texts)
}

// A Group is what documents belong to: all that is known of it finds them.
type Group struct {
	Name   string // as documents have it
	Labels []string
}

// A Change is a document that is added, changed or gone.
type Change struct {
	ID  uint32    // the number by which the index knows it; it gives one to a document that is added
	Old *Document // nil when it is added
	New *Document // nil when it is gone
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

// An Index finds documents. It never changes, so any number of goroutines may search it at once.
type Index struct {
	fields [numFields]dictionary
	groups []group
	size   uint32   // documents have smaller numbers
	free   []uint32 // numbers that no document has
}

// A group with the words and stems that find it.
type group struct {
	name  string
	words []string
}

// New makes an index without documents.
func New() *Index {
	x := &Index{}
	x.fields[inNames].signed, x.fields[inWhole].signed = true, true
	return x
}

// Len is how many documents there are.
func (x *Index) Len() int { return int(x.size) - len(x.free) }

// Apply gives the index after some changes, and the number of the document of each. It costs by how many they are,
// and calls pause between small steps. The groups are all that there are.
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
	next.explain(groups)
	return next, ids
}

// A term of a field.
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

// has looks at all terms: they are some twenty.
func (s *termSet) has(t term) bool { return slices.Contains(s.terms, t) }

// number gives a number to a document.
func (x *Index) number() uint32 {
	if n := len(x.free); n > 0 {
		id := x.free[n-1]
		x.free = x.free[:n-1]
		return id
	}
	x.size++
	return x.size - 1
}

// explain finds the words of the groups.
func (x *Index) explain(groups []Group) {
	for _, g := range groups {
		found := group{name: g.Name}
		for _, text := range append([]string{g.Name}, g.Labels...) {
			compounds(Plain(text), func(w string) { found.words = append(found.words, w, stem(w)) })
		}
		slices.Sort(found.words)
		found.words = slices.Compact(found.words)
		x.groups = append(x.groups, found)
	}
}

// yieldTerms yields the terms that a document is found by. Some come more than once.
func (d *Document) yieldTerms(yield func(field int, term string)) {
	var named []string
	for _, name := range d.Names {
		text := Plain(name)
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
		compounds(Plain(text), func(w string) {
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

// domainTerms yields the domain, and the same without its first parts, and the words of all parts but the last
// that are not in the name.
func (d *Document) domainTerms(named []string, yield func(field int, term string)) {
	host := strings.TrimPrefix(Plain(d.Domain), "www.")
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

// compounds yields the words of a plain text, and those with hyphens in them as one word as well: e, mail, email.
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
