package catalog

import (
	"errors"
	"hash/maphash"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/package-url/packageurl-go"
	"golang.org/x/net/idna"

	"github.com/palmares-hq/palmares/internal/search"
)

// lowered are the package types that packageurl-go leaves as written, although their definitions
// (github.com/package-url/purl-spec, types/) ask for lower case. The library itself lowers
// bitbucket, composer, deb, github, golang, pypi (with - for _) and others; cargo, huggingface,
// maven and nuget keep their case.
var lowered = map[string]bool{
	"hex": true, "luarocks": true, packageurl.TypeNPM: true, "oci": true, "pub": true, packageurl.TypeVSCodeExtension: true,
}

// ParsePackage returns the canonical form of a package URL (purl), such as pkg:npm/%40scope/name,
// without its version, qualifiers and subpath. Two texts name the same package if their forms are
// equal.
func ParsePackage(text string) (string, error) {
	if !isPackageURL(text) {
		return "", errors.New("it has no pkg: at its beginning")
	}
	// Qualifiers and subpath are dropped unread: a text with malformed ones still names the package
	// before them.
	if end := strings.IndexAny(text, "?#"); end >= 0 {
		text = text[:end]
	}
	p, err := packageurl.FromString(text)
	if err != nil {
		return "", err
	}
	// No registry has such names, and two packages could otherwise have names that look the same.
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

// isPackageURL reports whether a text begins as a package URL does.
func isPackageURL(text string) bool {
	const scheme = "pkg:"
	return len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme)
}

// The kinds of match that Identify returns.
const (
	BySlug    = "slug"
	ByPackage = "package"
	ByDomain  = "domain"
	ByName    = "name"
)

// maxIdentified is the maximum size of a text to identify, in bytes: that of a long URL.
const maxIdentified = 2000

// Identify returns the slugs of the tools, living or retired, that a text names, and what it names
// them by: their slug (present or former), a package, a domain or a name. It finds exact matches
// only. It tries these kinds in that order, and returns all tools of the first that matches,
// sorted, the living ones first. A package may have a version, qualifiers and a subpath; a domain
// may be in a URL, with or without www.; a name may be in any case, without accents, and in quotes.
// by is "" if the text names no tool.
func (s *Snapshot) Identify(text string) (by string, slugs []string) {
	if len(text) > maxIdentified {
		return "", nil
	}
	text = strings.TrimSpace(text)
	if isPackageURL(text) {
		if form, err := ParsePackage(text); err == nil {
			if slugs = s.identified(packageIdentity, form); slugs != nil {
				return ByPackage, slugs
			}
		}
		return "", nil
	}
	if s.tools.get(text) != nil || s.retired.get(text) != nil {
		return BySlug, []string{strings.Clone(text)}
	}
	if now, ok := s.RenamedTool(text); ok {
		return BySlug, []string{now}
	}
	if host := hostOf(text); host != "" {
		bare, _ := strings.CutPrefix(host, "www.")
		if slugs = s.identified(domainIdentity, host, bare); slugs != nil {
			return ByDomain, slugs
		}
	}
	if name := plainName(text); name != "" {
		if slugs = s.identified(nameIdentity, name); slugs != nil {
			return ByName, slugs
		}
	}
	return "", nil
}

// IdentifyCategory returns the slug of the category that a text names: by its slug, or by its label
// in French or English, in any case and without accents. It finds nothing where two categories have
// that label.
func (s *Snapshot) IdentifyCategory(text string) (slug string, found bool) {
	text = strings.TrimSpace(text)
	if slices.ContainsFunc(s.categories, func(c CategoryStats) bool { return c.Slug == text }) {
		return text, true
	}
	name := plainName(text)
	for _, c := range s.categories {
		if plainName(c.Label) != name && plainName(c.English.Text) != name || name == "" {
			continue
		}
		if found {
			return "", false
		}
		slug, found = c.Slug, true
	}
	return slug, found
}

// The largest numbers of tools that NearestTo and Resolve name.
const (
	MaxNearest = 5
	MaxMeant   = 20
)

// Resolve returns the slug of the only tool, living or retired, that a text names, and what it
// names it by. slug is "" if it names no tool, or several; meant then has the slugs of those that it
// names equally well, MaxMeant at most.
func (s *Snapshot) Resolve(text string) (by, slug string, meant []string) {
	by, slugs := s.Identify(text)
	if len(slugs) == 1 {
		return by, slugs[0], nil
	}
	return by, "", slugs[:min(len(slugs), MaxMeant)]
}

// NearestTo returns the slugs of the living tools whose names resemble a text that names none, the
// nearest first, MaxNearest at most. For a domain that resembles nothing, it looks for its parts. It
// finds none for a package URL: a program wrote that, without typos.
func (s *Snapshot) NearestTo(text string) []string {
	if isPackageURL(strings.TrimSpace(text)) || !utf8.ValidString(text) {
		return nil
	}
	tools := s.NearTools(search.Fold(text), MaxNearest)
	if len(tools) == 0 && strings.Contains(text, ".") { // a domain is one word
		tools = s.NearTools(search.Fold(strings.ReplaceAll(text, ".", " ")), MaxNearest)
	}
	var slugs []string
	for _, t := range tools {
		slugs = append(slugs, t.Slug)
	}
	return slugs
}

// hostOf returns the host of a URL, with or without its scheme, as content files write domains. It
// returns "" for text without a host and for an e-mail address.
func hostOf(text string) string {
	if !strings.Contains(text, "://") && !strings.HasPrefix(text, "//") {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil {
		return ""
	}
	host, err := idna.Lookup.ToASCII(strings.TrimSuffix(u.Hostname(), "."))
	if err != nil {
		return ""
	}
	return host
}

// plainName returns a name for comparison: in lower case, without accents, with single spaces. It
// drops the punctuation around a name in a sentence, but not a final + or #, which distinguishes
// languages.
func plainName(name string) string {
	plain := strings.Join(strings.Fields(search.Normalize(name)), " ")
	trimmed := strings.TrimFunc(plain, func(r rune) bool {
		return r != '#' && (unicode.IsPunct(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf))
	})
	if trimmed == "" {
		return plain // the name is nothing but punctuation
	}
	return trimmed
}

// The kinds of identities.
const (
	packageIdentity byte = iota
	domainIdentity
	nameIdentity
)

// An identity is the hash of a package, domain or name of an item. It is only a hash, because
// normalized names are stored nowhere else, and a table of strings would be five times as large.
type identity struct {
	hash uint64
	item int32 // an index in byScoreDesc; if negative, the complement of one in byLastRetired
}

// identities are the identities of a snapshot, sorted by hash. They are built on first use: most
// editions never need them, and a swap should not wait for them.
type identities struct {
	once sync.Once
	seed maphash.Seed
	list []identity
}

func (x *identities) hash(kind byte, text string) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	_ = h.WriteByte(kind)
	_, _ = h.WriteString(text)
	return h.Sum64()
}

func (x *identities) make(s *Snapshot) {
	x.seed = maphash.MakeSeed()
	tools, retired := s.byScoreDesc.list(""), s.byLastRetired.list(retiredKey{})
	x.list = make([]identity, 0, 2*(len(tools)+len(retired)))
	add := func(item int32, name, domain string, packages []string) {
		x.list = append(x.list, identity{x.hash(nameIdentity, plainName(name)), item})
		if domain != "" {
			x.list = append(x.list, identity{x.hash(domainIdentity, domain), item})
		}
		for _, p := range packages {
			x.list = append(x.list, identity{x.hash(packageIdentity, p), item})
		}
	}
	for i, t := range tools {
		add(int32(i), t.Name, t.Domain, t.Packages)
	}
	for i, r := range retired {
		add(^int32(i), r.Name, r.Domain, r.Packages)
	}
	slices.SortFunc(x.list, compareHashes)
}

func compareHashes(a, b identity) int {
	switch {
	case a.hash < b.hash:
		return -1
	case a.hash > b.hash:
		return 1
	}
	return 0
}

// identified returns the slugs of the items known by one of the texts, living ones first; nil for
// none.
func (s *Snapshot) identified(kind byte, texts ...string) []string {
	x := s.identities
	x.once.Do(func() { x.make(s) })
	known := func(name, domain string, packages []string) bool {
		switch kind {
		case packageIdentity:
			return slices.Contains(packages, texts[0])
		case domainIdentity:
			return domain != "" && slices.Contains(texts, domain)
		default:
			return plainName(name) == texts[0]
		}
	}
	var living, gone []string
	for _, text := range slices.Compact(texts) {
		hash := x.hash(kind, text)
		at, _ := slices.BinarySearchFunc(x.list, identity{hash: hash}, compareHashes)
		for ; at < len(x.list) && x.list[at].hash == hash; at++ {
			if item := x.list[at].item; item >= 0 {
				if t := s.byScoreDesc.list("")[item]; known(t.Name, t.Domain, t.Packages) {
					living = append(living, t.Slug)
				}
			} else if r := s.byLastRetired.list(retiredKey{})[^item]; known(r.Name, r.Domain, r.Packages) {
				gone = append(gone, r.Slug)
			}
		}
	}
	slices.Sort(living)
	slices.Sort(gone)
	return append(slices.Compact(living), slices.Compact(gone)...)
}
