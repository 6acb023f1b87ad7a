package content

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Bounds of packages.
const (
	maxPackages  = 50
	packageLimit = 255 // bytes, which are characters: the canonical form is ASCII
)

var packagesKey = key{name: "packages", example: "packages: [pkg:npm/%40lumen/cli, pkg:pypi/lumen]", optional: true, list: true}

const packagesAdvice = `write a list, each entry a package URL such as "- pkg:npm/%40lumen/cli"`

// packages reads the packages that a tool is published as. Each has one spelling, so that two files that name the same
// one can be told.
func (o object) packages() []string {
	f, ok := o.get(packagesKey.name)
	switch {
	case !ok:
		return nil
	case f.value.kind != sequence:
		o.fault(f.value.pos, "packages must be a list, not %s: %s", f.value.is(), packagesAdvice)
		return nil
	case len(f.value.items) == 0:
		o.fault(f.value.pos, "packages is empty: %s, or remove the line", packagesAdvice)
		return nil
	case len(f.value.items) > maxPackages:
		o.fault(f.value.items[maxPackages].pos, "packages has %d entries: at most %d are allowed; keep those that people install", len(f.value.items), maxPackages)
		return nil
	}
	list := make([]string, 0, len(f.value.items))
	for _, item := range f.value.items {
		s := o.onePackage(item)
		if s != "" && slices.Contains(list, s) {
			o.fault(item.pos, "packages has %s twice: remove one", s)
			continue
		}
		if s != "" {
			list = append(list, s)
		}
	}
	return list
}

// onePackage reads an entry of packages; "" when it is at fault.
func (o object) onePackage(item node) string {
	if item.kind != plain && item.kind != quoted {
		o.fault(item.pos, "packages must be package URLs, but one is %s: %s", item.is(), packagesAdvice)
		return ""
	}
	form, err := catalog.ParsePackage(item.text)
	switch {
	case err != nil:
		o.fault(item.pos, "packages has %q, which is no package URL: %s; write it like pkg:npm/%%40lumen/cli or pkg:pypi/lumen", cutValue(item.text), err)
	case len(form) > packageLimit:
		o.fault(item.pos, "packages has an entry of %d bytes: at most %d are allowed; remove it", len(form), packageLimit)
	case form != item.text:
		o.fault(item.pos, "packages has %q, which is not the canonical form, without version, qualifiers and subpath: write %s", cutValue(item.text), form)
	default:
		return form
	}
	return ""
}
