package catalog

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/throttle"
)

// An Identifier is a name by which programs refer to a tool, living or retired: a package URL, or
// "domain:" and a host name. Several tools may share a domain.
type Identifier struct {
	ID        string
	Slug      string
	Name      string
	Retired   bool
	EndsAt    Date   // "" for no announced end; of a retired tool, the day of its retirement
	Successor string // "" for none
}

// betweenIDAndSlug separates the two parts of a key. It occurs in neither of them, and sorts before
// everything that does.
const betweenIDAndSlug = "\x00"

// IdentifierKeys returns the keys of all identifiers, sorted by id and then by slug.
func (s *Snapshot) IdentifierKeys(t *throttle.Throttle) []string {
	keys := make([]string, 0, s.IdentifierCount())
	add := func(slug, domain string, packages []string) {
		if domain != "" {
			keys = append(keys, "domain:"+domain+betweenIDAndSlug+slug)
		}
		for _, p := range packages {
			keys = append(keys, p+betweenIDAndSlug+slug)
		}
		t.Pause()
	}
	for _, e := range s.byScoreDesc.list("") {
		add(e.Slug, e.Domain, e.Packages)
	}
	for _, e := range s.byLastRetired.list(retiredKey{}) {
		add(e.Slug, e.Domain, e.Packages)
	}
	return sortedSlugs(keys, func(key string) string { return key }, t)
}

// IdentifierCount returns how many identifiers there are.
func (s *Snapshot) IdentifierCount() (n int) {
	count := func(domain string, packages []string) {
		if n += len(packages); domain != "" {
			n++
		}
	}
	for _, e := range s.byScoreDesc.list("") {
		count(e.Domain, e.Packages)
	}
	for _, e := range s.byLastRetired.list(retiredKey{}) {
		count(e.Domain, e.Packages)
	}
	return n
}

// Identifier returns the identifier for a key that IdentifierKeys returned.
func (s *Snapshot) Identifier(key string) Identifier {
	id, slug, _ := strings.Cut(key, betweenIDAndSlug)
	if t, ok := s.Tool(slug); ok {
		return Identifier{id, slug, t.Name, false, t.Ending.At, t.Ending.Successor}
	}
	if r, ok := s.Retired(slug); ok {
		return Identifier{id, slug, r.Name, true, r.RetiredAt, r.Successor}
	}
	return Identifier{ID: id, Slug: slug} // cannot happen: the key is from this snapshot
}

// JSON returns the identifier as a line of the identifiers download.
func (i Identifier) JSON() []byte {
	o := newObject()
	o.string("id", i.ID)
	o.string("slug", i.Slug)
	o.string("name", i.Name)
	o.bool("retired", i.Retired)
	o.nullable("ends_at", string(i.EndsAt))
	o.nullable("successor", i.Successor)
	return o.close()
}
