package catalog

import "maps"

// A lookup finds entries by slug. What changed lately is kept apart from the rest, so
// that a small change need not copy a large map.
type lookup[E any] struct {
	base   map[string]*E
	recent map[string]*E // nil for what is gone
	count  int
}

func (x lookup[E]) get(slug string) *E {
	if e, ok := x.recent[slug]; ok {
		return e
	}
	return x.base[slug]
}

// with gives the entries after the changes, where nil is for what is gone.
func (x lookup[E]) with(changes map[string]*E) lookup[E] {
	if len(changes) == 0 {
		return x
	}
	next := lookup[E]{base: x.base, count: x.count}
	for slug, e := range changes {
		switch had := x.get(slug) != nil; {
		case e != nil && !had:
			next.count++
		case e == nil && had:
			next.count--
		}
	}
	if len(x.recent)+len(changes) <= len(x.base)/8 {
		next.recent = make(map[string]*E, len(x.recent)+len(changes))
		maps.Copy(next.recent, x.recent)
		maps.Copy(next.recent, changes)
		return next
	}
	next.base = make(map[string]*E, next.count)
	for _, layer := range []map[string]*E{x.base, x.recent, changes} {
		for slug, e := range layer {
			if e == nil {
				delete(next.base, slug)
			} else {
				next.base[slug] = e
			}
		}
	}
	return next
}
