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
	Score     Measure
	Price     string // "" of a retired tool
	OldPrice  string // the price before Price; "" for none
	ChangedAt Date   // the day on which Price followed OldPrice
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
		i := Identifier{
			ID: id, Slug: slug, Name: t.Name, EndsAt: t.Ending.At, Successor: t.Ending.Successor, Score: t.Score, Price: t.Price,
		}
		for _, c := range t.History { // the newest first
			if c.OldPrice != c.NewPrice { // not the model alone
				i.OldPrice, i.ChangedAt = c.OldPrice, c.ChangedAt
				break
			}
		}
		return i
	}
	if r, ok := s.Retired(slug); ok {
		return Identifier{ID: id, Slug: slug, Name: r.Name, Retired: true, EndsAt: r.RetiredAt, Successor: r.Successor}
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
	o.measure("score", i.Score)
	price, priced := ParsePrice(i.Price) // checked when the file was read, like the price before
	o.raw("price_cents", appendCents(nil, price.Cents, priced))
	o.nullable("price_period", price.Period)
	old, changed := ParsePrice(i.OldPrice)
	o.raw("old_price_cents", appendCents(nil, old.Cents, changed))
	o.nullable("old_price_period", old.Period)
	o.nullable("price_changed_at", string(i.ChangedAt))
	return o.close()
}
