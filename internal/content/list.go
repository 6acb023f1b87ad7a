package content

import "slices"

// A listKey is a key whose value is a list of scalars, no two alike.
type listKey struct {
	key
	most   int
	keep   string // for messages: which entries to keep when there are too many
	are    string // for messages: what the entries must be
	advice string
}

// list reads a list. It calls one for each entry, which returns "" for a faulty entry after reporting it.
func (o object) list(k listKey, one func(node) string) []string {
	f, ok := o.get(k.name)
	switch {
	case !ok:
		return nil
	case f.value.kind != sequence:
		o.fault(f.value.pos, "%s must be a list, not %s: %s", k.name, f.value.is(), k.advice)
		return nil
	case len(f.value.items) == 0:
		o.fault(f.value.pos, "%s is empty: %s, or remove the line", k.name, k.advice)
		return nil
	case len(f.value.items) > k.most:
		o.fault(f.value.items[k.most].pos, "%s has %d entries: at most %d are allowed; keep %s", k.name, len(f.value.items), k.most, k.keep)
		return nil
	}
	list := make([]string, 0, len(f.value.items))
	for _, item := range f.value.items {
		if item.kind != plain && item.kind != quoted {
			o.fault(item.pos, "%s must be %s, but one is %s: %s", k.name, k.are, item.is(), k.advice)
			continue
		}
		switch s := one(item); {
		case s == "":
		case slices.Contains(list, s):
			o.fault(item.pos, "%s has %s twice: remove one", k.name, s)
		default:
			list = append(list, s)
		}
	}
	return list
}
