package catalog

import "maps"

// A lookup finds entries by key. Recent changes are kept apart from the rest, so that a small change
// need not copy a large map.
type lookup[K comparable, E any] struct {
	base   map[K]*E
	recent map[K]*E // nil for what is gone
	count  int
}

func (x lookup[K, E]) get(key K) *E {
	if e, ok := x.recent[key]; ok {
		return e
	}
	return x.base[key]
}

// with gives the entries after the changes, in which nil means gone.
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
