package content

import (
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Maximum lengths of the operator's texts on every page, in characters.
const (
	promiseLimit  = 200
	colophonLimit = 400
	contactLimit  = 254
	proofLimit    = 40
)

const proofExample = "proofs: [{label: {fr: Publicité, en: Advertising}, value: {fr: aucune, en: none}}]"

var (
	serviceKeys = []key{
		{name: "name", example: "name: Palmarès"},
		{name: "url", example: "url: https://palmares.example"},
		{name: "site", example: "site:"},
		{name: "license", example: "license: etalab-2.0", optional: true},
		{name: "promise", example: "promise:", optional: true},
		{name: "colophon", example: "colophon:", optional: true},
		{name: "contact", example: "contact:", optional: true},
		{name: "powered_by", example: "powered_by: true", optional: true},
		{name: "pro", example: "pro:", optional: true},
		{name: "proofs", example: proofExample, optional: true},
	}
	proofKeys = []key{
		{name: "label", example: "label: {fr: Publicité, en: Advertising}"},
		{name: "value", example: "value: {fr: aucune, en: none}"},
	}
	proKeys = []key{
		{name: "availability", example: "availability: 99.5", optional: true},
		{name: "support", example: "support: true", optional: true},
	}
	siteKeys = []key{
		{name: "tool", example: "tool: https://palmares.example/outils/{slug}"},
		{name: "review", example: "review: https://palmares.example/avis/{slug}"},
		{name: "alternatives", example: "alternatives: https://palmares.example/alternatives/{slug}"},
		{name: "comparison", example: "comparison: https://palmares.example/comparatifs/{slug}"},
	}
)

// service decodes catalog.yaml.
func (d *document) service() catalog.Service {
	if !d.clean() || !d.within(maxPage) {
		return catalog.Service{}
	}
	root, ok := d.parseYAML(string(d.data), 1)
	if !ok {
		return catalog.Service{}
	}
	o := d.object(root, fileStart, "the file", serviceKeys)
	s := catalog.Service{Name: o.text("name", nameLimit), URL: o.url("url", false), Words: catalog.Words{
		Promise:  o.localized("promise", "Chaque outil est essayé.", promiseLimit),
		Colophon: o.localized("colophon", "Un catalogue indépendant.", colophonLimit),
		Contact:  o.contact("contact"),
	}}
	if _, said := o.get("powered_by"); said {
		s.Words.Unsigned = !o.boolean("powered_by")
	}
	s.Words.Pro, s.Words.Proofs = o.pro(), o.proofs()
	s.License = o.license()
	if f, ok := o.get("site"); ok {
		site := d.object(f.value, f.pos, "site", siteKeys)
		s.Site = catalog.Site{
			Tool:         site.url("tool", true),
			Review:       site.url("review", true),
			Alternatives: site.url("alternatives", true),
			Comparison:   site.url("comparison", true),
		}
	}
	return s
}

// proofs reads what the front page says for the operator beside what is counted.
func (o object) proofs() (found [catalog.MaxProofs]catalog.Proof) {
	f, ok := o.get("proofs")
	switch {
	case !ok:
		return found
	case f.value.kind != sequence:
		o.fault(f.value.pos, "proofs must be a list, not %s: write %s", f.value.is(), proofExample)
		return found
	case len(f.value.items) == 0:
		o.fault(f.value.pos, "proofs is empty: write %s, or remove the line", proofExample)
		return found
	case len(f.value.items) > len(found):
		o.fault(f.value.items[len(found)].pos, "proofs has %d entries: at most %d are allowed; keep those that say most",
			len(f.value.items), len(found))
		return found
	}
	for i, item := range f.value.items {
		g := o.object(item, item.pos, "a proof", proofKeys)
		found[i] = catalog.Proof{
			Label: g.localized("label", "Publicité", proofLimit), Value: g.localized("value", "aucune", proofLimit),
		}
	}
	return found
}

// license reads the licence of the data: one of catalog.Licenses.
func (o object) license() catalog.License {
	f, ok := o.get("license")
	if !ok {
		return ""
	}
	s := catalog.License(o.line("license", nameLimit))
	if s != "" && !slices.Contains(catalog.Licenses(), s) {
		o.fault(f.value.pos, "license %q is not one that the service knows: write etalab-2.0 or CC-BY-4.0, or remove the line", string(s))
		return ""
	}
	return s
}

// pro reads what the operator promises to customers of the Pro plan.
func (o object) pro() (p catalog.Pro) {
	f, ok := o.get("pro")
	if !ok {
		return p
	}
	g := o.object(f.value, f.pos, "pro", proKeys)
	if _, said := g.get("support"); said {
		p.NoSupport = !g.boolean("support")
	}
	f, ok = g.get("availability")
	if !ok {
		return p
	}
	s, ok := g.plainScalar(f, "a number", "99.5")
	switch {
	case !ok:
	case s == "0", availability.MatchString(s):
		p.Availability = s
	default:
		o.fault(f.value.pos, "availability %q is no target in percent: write a number from 90 to 99.999, such as 99.5, or 0 for none", s)
	}
	return p
}

var availability = regexp.MustCompile(`^9[0-9](\.[0-9]{0,2}[1-9])?$`)

// url reads an absolute http or https URL; a pattern must hold {slug}.
func (o object) url(name string, pattern bool) string {
	s := o.line(name, urlLimit)
	if s == "" {
		return ""
	}
	f, _ := o.get(name)
	host := "palmares.example"
	u, err := url.Parse(strings.ReplaceAll(s, catalog.SlugPlaceholder, "slug"))
	absolute := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
	if absolute {
		host = u.Hostname()
	}
	switch {
	case !absolute:
		o.fault(f.value.pos, "%s %q is not an absolute URL: begin it with https:// and a host name", name, s)
	case u.User != nil || strings.ContainsAny(s, "# \"<>\\^`|"):
		o.fault(f.value.pos, "%s %q holds a user name, a fragment (#) or a character that URLs do not have: remove it", name, s)
	case !pattern && strings.ContainsAny(s, "{}"):
		o.fault(f.value.pos, "%s %q holds a brace: write the address of the site's home page", name, s)
	case pattern && !strings.Contains(s, catalog.SlugPlaceholder):
		o.fault(f.value.pos, "%s %q has no {slug}: write where the item's slug goes, such as https://%s/%s/{slug}", name, s, host, name)
	case strings.ContainsAny(strings.ReplaceAll(s, catalog.SlugPlaceholder, ""), "{}"):
		o.fault(f.value.pos, "%s %q holds a brace that is not of {slug}: {slug} is the only placeholder", name, s)
	default:
		return s
	}
	return ""
}

// contact reads the operator's contact address, in French and in English.
func (o object) contact(name string) catalog.Localized {
	g, ok := o.languages(name, "redaction@palmares.example")
	if !ok {
		return catalog.Localized{}
	}
	return catalog.Localized{French: g.reachable("fr"), English: g.reachable("en")}
}

// reachable reads an e-mail address, or the address of a page.
func (o object) reachable(name string) string {
	f, ok := o.get(name)
	if !ok {
		return ""
	}
	if strings.Contains(f.value.text, "://") {
		return o.url(name, false)
	}
	s := o.line(name, contactLimit)
	if s == "" {
		return ""
	}
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s || strings.ContainsAny(s, " ?&%\"") {
		o.fault(f.value.pos, "contact %q is neither an e-mail address nor the address of a page: write redaction@palmares.example, or begin with https://", s)
		return ""
	}
	return s
}
