package catalog

import (
	"maps"
	"slices"
)

// An index keeps elements in lists, each list in one total order. An element
// stands in every list that keys names for it.
type index[K comparable, E any] struct {
	compare func(a, b E) int // never 0 for two different elements
	keys    func(E) []K
	lists   map[K][]E
}

// apply gives the index without the elements of gone and with those of added.
// The lists that neither touches are shared with the old index; the others are
// spliced, so a small change costs a few searches and a copy, not a sort.
func (x index[K, E]) apply(gone, added []E) index[K, E] {
	if len(gone)+len(added) == 0 {
		return x
	}
	gones, addeds := x.group(gone), x.group(added)
	lists := maps.Clone(x.lists)
	if lists == nil {
		lists = make(map[K][]E)
	}
	for k := range addeds {
		if _, ok := gones[k]; !ok {
			gones[k] = nil
		}
	}
	for k, g := range gones {
		spliced := splice(lists[k], g, addeds[k], x.compare)
		if len(spliced) == 0 {
			delete(lists, k)
			continue
		}
		lists[k] = spliced
	}
	return index[K, E]{x.compare, x.keys, lists}
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

// splice gives the sorted list without the elements of gone and with those of
// added; both are sorted, and every element of gone is in the list.
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
