package content

import (
	"net/netip"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Bounds of the short texts, so that an event's payload stays under 20 KB.
const (
	nameLimit    = 80
	taglineLimit = 200
	titleLimit   = 160
	domainLimit  = 253
	maxTier      = 9
)

var toolKeys = []key{
	{name: "name", example: "name: Lumen"},
	{name: "domain", example: "domain: lumen.example"},
	packagesKey.key,
	{name: "category", example: "category: code"},
	{name: "icp", example: "icp: vibe-coder"},
	{name: "pricing", example: "pricing: freemium"},
	{name: "price", example: "price: 20 €/mois"},
	{name: "since", example: "since: 2025-03-15", optional: true},
	{name: "price_next", example: "price_next: {" + nextPriceExample + "}", optional: true},
	{name: "score", example: "score: 8.5", bare: true, optional: true},
	{name: "verifiability", example: "verifiability: 7", bare: true, optional: true},
	{name: "tagline", example: "tagline: L'éditeur qui relit"},
	{name: "obsolescence", example: "obsolescence: 2", bare: true},
	{name: "tier", example: "tier: 2", bare: true},
	{name: "mainstream", example: "mainstream: false", bare: true},
	{name: "keywords", example: "keywords: {" + synonymsExample + "}", optional: true, group: true},
	{name: "tested", example: "tested: {by: Camille Aubry, on: 2025-06-30}", optional: true},
	{name: "sources", example: "sources: {" + sourceExample + "}", optional: true, group: true},
	{name: "ends_at", example: "ends_at: 2027-03-31", optional: true},
	{name: "ends_source", example: "ends_source: https://lumen.example/fin", optional: true},
	{name: "successor", example: "successor: cobalt", optional: true},
	formerlyKey.key,
}

var testedKeys = []key{
	{name: "by", example: "by: Camille Aubry"},
	{name: "on", example: "on: 2025-06-30"},
}

// tool decodes tools/<slug>.md. It returns nil when the file has errors.
func (d *document) tool(slug string) *catalog.Tool {
	o, body, ok := d.item(toolKeys)
	if !ok {
		return nil
	}
	t := &catalog.Tool{
		Slug:          slug,
		Name:          o.text("name", nameLimit),
		Domain:        o.domain("domain"),
		Packages:      o.packages(),
		Formerly:      o.formerly(slug),
		Category:      o.slug("category"),
		ICP:           enum(o, "icp", catalog.ICPs()),
		Pricing:       enum(o, "pricing", catalog.Pricings()),
		Score:         o.measure("score", true),
		Verifiability: o.measure("verifiability", false),
		Obsolescence:  o.measure("obsolescence", false),
		Tier:          o.integer("tier", 1, maxTier),
		Mainstream:    o.boolean("mainstream"),
	}
	t.Tagline, t.English.Tagline = o.translated("tagline", taglineLimit)
	t.Price = o.price(t.Pricing)
	t.Since, t.Next = o.since(), o.nextPrice(t)
	t.Keywords = o.synonyms("keywords")
	t.Tested = o.tested()
	t.Facts, t.Ending = o.toolFacts(), o.ending()
	name := t.Name
	if name == "" {
		name = slug // missing or faulty; the sections can still be measured
	}
	t.Review = d.review(name, body)
	if d.failed {
		return nil
	}
	return t
}

// tested reads who tested a tool and on which day, which must not be in the future.
func (o object) tested() catalog.Tested {
	f, ok := o.get("tested")
	if !ok {
		return catalog.Tested{}
	}
	g := o.object(f.value, f.pos, "tested", testedKeys)
	t := catalog.Tested{By: g.text("by", nameLimit), On: g.date("on")}
	if o.latest != "" && t.On > o.latest {
		on, _ := g.get("on")
		o.fault(on.value.pos, "tested on %s is in the future: write the day on which the tool was tested", t.On)
	}
	return t
}

// item splits a Markdown file and checks the keys of its front matter. ok is true even when the YAML is broken,
// because the body is still worth checking; the object then has no fields.
func (d *document) item(keys []key) (o object, body int, ok bool) {
	if !d.clean() {
		return object{}, 0, false
	}
	yaml, body, ok := d.splitFrontMatter()
	if !ok {
		return object{}, 0, false
	}
	root, ok := d.parseFrontMatter(yaml)
	if !ok {
		return object{document: d}, body, true
	}
	return d.object(root, fileStart, "the front matter", keys), body, true
}

// domain reads a bare host name.
func (o object) domain(name string) string {
	s := o.line(name, domainLimit)
	if s == "" || validHost(s) {
		return s
	}
	f, _ := o.get(name)
	advice := "write the host name alone, in lower case, such as lumen.example"
	if host := bareHost(s); host != s && validHost(host) {
		advice = "write the host name alone, in lower case: " + host
	} else if strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f }) {
		advice = "write an international name in its xn-- form"
	}
	o.fault(f.value.pos, "%s %q is not a host name: %s", name, s, advice)
	return ""
}

// bareHost takes the host name out of a URL.
func bareHost(s string) string {
	s = strings.ToLower(s)
	if _, rest, found := strings.Cut(s, "://"); found {
		s = rest
	}
	if i := strings.IndexAny(s, "/?#:"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSuffix(s, ".")
}

// validHost reports whether s is a lower-case DNS name of two labels or more.
func validHost(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil || len(s) > domainLimit || !strings.Contains(s, ".") {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
				return false
			}
		}
	}
	return true
}
