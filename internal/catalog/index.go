package catalog

import (
	"maps"
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/palmares-hq/palmares/internal/throttle"
)

// A sorter makes collation keys of names: French order, é next to e, case ignored. It keeps a
// buffer, so it serves one goroutine at a time.
type sorter struct {
	collator *collate.Collator
	buffer   collate.Buffer
}

func newSorter() *sorter {
	return &sorter{collator: collate.New(language.French, collate.IgnoreCase)}
}

func (s *sorter) key(name string) []byte {
	defer s.buffer.Reset()
	k := s.collator.KeyFromString(&s.buffer, name)
	return append(make([]byte, 0, len(k)), k...)
}

// A lookup finds entries by key. Recent changes are kept apart from the rest, so that a small
// change does not copy a large map.
type lookup[K comparable, E any] struct {
	base   map[K]*E
	recent map[K]*E // takes precedence over base; nil for a removed key
	count  int
}

func (x lookup[K, E]) get(key K) *E {
	if e, ok := x.recent[key]; ok {
		return e
	}
	return x.base[key]
}

// with returns the lookup after changes. A nil entry removes its key.
func (x lookup[K, E]) with(changes map[K]*E) lookup[K, E] {
	if len(changes) == 0 {
		return x
	}
	next := lookup[K, E]{base: x.base, count: x.count}
	for key, e := range changes {
		switch had := x.get(key) != nil; {
		case e != nil && !had:
			next.count++
		case e == nil && had:
			next.count--
		}
	}
	if len(x.recent)+len(changes) <= len(x.base)/8 {
		next.recent = make(map[K]*E, len(x.recent)+len(changes))
		maps.Copy(next.recent, x.recent)
		maps.Copy(next.recent, changes)
		return next
	}
	next.base = make(map[K]*E, next.count)
	for _, layer := range []map[K]*E{x.base, x.recent, changes} {
		for key, e := range layer {
			if e == nil {
				delete(next.base, key)
			} else {
				next.base[key] = e
			}
		}
	}
	return next
}

// An index keeps elements in lists by key, each sorted by compare. An element is in the list of
// every key that keys returns for it.
type index[K comparable, E any] struct {
	compare func(a, b E) int // never 0 for two different elements
	keys    func(E) []K
	lists   lookup[K, []E] // a key without elements has no list
}

func (x index[K, E]) list(key K) []E {
	if list := x.lists.get(key); list != nil {
		return *list
	}
	return nil
}

// apply returns the index without the elements of gone and with those of added. The lists that
// neither touches are shared with the old index; the others are spliced, so a small change costs a
// few searches and a copy, not a sort.
func (x index[K, E]) apply(gone, added []E, t *throttle.Throttle) index[K, E] {
	goneByKey, addedByKey := x.group(gone), x.group(added)
	changes := make(map[K]*[]E, len(goneByKey)+len(addedByKey))
	change := func(key K) {
		changes[key] = nil
		if list := splice(x.list(key), goneByKey[key], addedByKey[key], x.compare); len(list) > 0 {
			changes[key] = &list
		}
		t.Pause()
	}
	for key := range goneByKey {
		change(key)
	}
	for key := range addedByKey {
		if _, done := changes[key]; !done {
			change(key)
		}
	}
	return index[K, E]{x.compare, x.keys, x.lists.with(changes)}
}

func (x index[K, E]) group(elements []E) map[K][]E {
	groups := make(map[K][]E)
	for _, e := range elements {
		for _, k := range x.keys(e) {
			groups[k] = append(groups[k], e)
		}
	}
	for _, g := range groups {
		slices.SortFunc(g, x.compare)
	}
	return groups
}

// splice returns the sorted list without the elements of gone and with those of added. Both are
// sorted, and every element of gone is in the list.
func splice[E any](list, gone, added []E, compare func(a, b E) int) []E {
	out := make([]E, 0, len(list)-len(gone)+len(added))
	for len(gone) > 0 || len(added) > 0 {
		if len(gone) > 0 && (len(added) == 0 || compare(gone[0], added[0]) <= 0) {
			i, _ := slices.BinarySearchFunc(list, gone[0], compare)
			out = append(out, list[:i]...)
			list, gone = list[i+1:], gone[1:]
			continue
		}
		i, _ := slices.BinarySearchFunc(list, added[0], compare)
		out = append(append(out, list[:i]...), added[0])
		list, added = list[i:], added[1:]
	}
	return append(out, list...)
}
