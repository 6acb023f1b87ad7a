package catalog

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/package-url/packageurl-go"
)

// lowered are the types of packages that packageurl-go leaves as they are written, although the definition of each says
// that case makes no difference and lower case is meant: it was read in github.com/package-url/purl-spec, types/. The
// library lowers bitbucket, composer, deb, github, golang, pypi (with - for _) and others by itself; cargo, huggingface,
// maven and nuget keep their case.
var lowered = map[string]bool{
	"hex": true, "luarocks": true, packageurl.TypeNPM: true, "oci": true, "pub": true, packageurl.TypeVSCodeExtension: true,
}

// ParsePackage gives the canonical form of a package URL (purl) without its version, qualifiers and subpath, whatever
// these are: pkg:npm/%40scope/name. Two texts name the same package if their forms are the same.
func ParsePackage(text string) (string, error) {
	const scheme = "pkg:"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return "", errors.New("it has no pkg: at its beginning")
	}
	// They are dropped unread: a tool that writes them wrongly still means the package before them.
	if end := strings.IndexAny(text, "?#"); end >= 0 {
		text = text[:end]
	}
	p, err := packageurl.FromString(text)
	if err != nil {
		return "", err
	}
	// No registry has such names, and two that look the same would be two packages.
	if strings.ContainsFunc(p.Namespace+p.Name, func(r rune) bool { return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf) }) {
		return "", errors.New("it holds characters that cannot be seen, or bytes that are no text")
	}
	switch {
	case p.Type == packageurl.TypePyPi && p.Namespace != "":
		return "", errors.New("a pypi package has a name alone")
	case p.Type == packageurl.TypeNPM && p.Namespace != "" && !strings.HasPrefix(p.Namespace, "@"):
		return "", errors.New("the scope of an npm package begins with %40")
	case lowered[p.Type]:
		p.Namespace, p.Name = strings.ToLower(p.Namespace), strings.ToLower(p.Name)
	}
	p.Version, p.Qualifiers, p.Subpath = "", nil, ""
	return p.ToString(), nil
}
