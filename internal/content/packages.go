package content

import "github.com/palmares-hq/palmares/internal/catalog"

// packageLimit is in bytes, which are characters: the canonical form is ASCII.
const packageLimit = 255

var packagesKey = listKey{
	key:  key{name: "packages", example: "packages: [pkg:npm/%40lumen/cli, pkg:pypi/lumen]", optional: true, list: true},
	most: 50, keep: "those that people install", are: "package URLs",
	advice: `write a list, each entry a package URL such as "- pkg:npm/%40lumen/cli"`,
}

// packages reads the packages that a tool is published as. Each has one spelling, so that two files that name the same
// one can be told.
func (o object) packages() []string { return o.list(packagesKey, o.onePackage) }

// onePackage reads an entry of packages; "" when it is at fault.
func (o object) onePackage(item node) string {
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
