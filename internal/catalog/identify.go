package catalog

import (
	"hash/maphash"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/palmares-hq/palmares/internal/search"
)

// What Identify recognised a text as.
const (
	BySlug    = "slug"
	ByPackage = "package"
	ByDomain  = "domain"
	ByName    = "name"
)

// maxIdentified is how many bytes a text may have that is identified: as many as a long URL.
const maxIdentified = 2000

// Identify says which tools, living or retired, a text names, and by what: their slug, one of their packages, their domain
// or their name. It knows exact matches only: the first of these that any tool has, and all tools that have it, living
// ones first, each kind sorted. A package may carry a version, qualifiers and a subpath, a domain may be that of a
// URL, with or without www., and a name may be in any case, without accents, between quotes. by is "" when the text names
// none.
func (s *Snapshot) Identify(text string) (by string, slugs []string) {
	if len(text) > maxIdentified {
		return "", nil
	}
	text = strings.TrimSpace(text)
	const scheme = "pkg:"
	if len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
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

// hostOf is the host of a URL, or of what begins like one without its scheme, as files write domains. It is "" for what has
// none, and for an address of mail.
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

// plainName is a name as it is compared: in lower case, without accents, with one space where there are several. What stands
// around a name in a sentence does not count; a + or # at its end does, for it tells languages apart.
func plainName(name string) string {
	plain := strings.Join(strings.Fields(search.Plain(name)), " ")
	trimmed := strings.TrimFunc(plain, func(r rune) bool {
		return r != '#' && (unicode.IsPunct(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf))
	})
	if trimmed == "" {
		return plain // of a name that is nothing else
	}
	return trimmed
}

// The kinds of identities.
const (
	packageIdentity byte = iota
	domainIdentity
	nameIdentity
)

// An identity is one thing that an item is known by. It has a hash in the place of a text, for names as they are compared
// are nowhere else: a table of texts would be five times as large.
type identity struct {
	hash uint64
	item int32 // a place in byScoreDesc, or below zero the complement of one in byLastRetired
}

// identities are those of a snapshot, by hash. They are made when somebody asks: most editions come and go without, and
// a swap waits for nothing that requests may not need.
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

// identified are the slugs of the items that are known by one of the texts, living ones first; nil for none.
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
