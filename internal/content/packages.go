package content

import "github.com/palmares-hq/palmares/internal/catalog"

// packageLimit is the maximum length in bytes, which equal characters: the canonical form is ASCII.
const packageLimit = 255

var packagesKey = listKey{
	key:  key{name: "packages", example: "packages: [pkg:npm/%40lumen/cli, pkg:pypi/lumen]", optional: true, list: true},
	most: 50, keep: "those that people install", are: "package URLs",
	advice: `write a list, each entry a package URL such as "- pkg:npm/%40lumen/cli"`,
}

// packages reads the packages that a tool is published as. Only the canonical spelling is accepted, so that a
// package named in two files can be recognized.
func (o object) packages() []string { return o.list(packagesKey, o.onePackage) }

// onePackage reads one entry of packages; it returns "" when the entry is faulty.
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
