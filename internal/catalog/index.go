package catalog

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/throttle"
)

// An index keeps elements in lists, each sorted by compare. An element is in every list that keys
// returns for it.
type index[K comparable, E any] struct {
	compare func(a, b E) int // never 0 for two different elements
	keys    func(E) []K
	lists   lookup[K, []E] // without empty ones
}

func (x index[K, E]) list(key K) []E {
	if list := x.lists.get(key); list != nil {
		return *list
	}
	return nil
}

// apply gives the index without the elements of gone and with those of added. The lists that
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

// splice gives the sorted list without the elements of gone and with those of added. Both are
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
