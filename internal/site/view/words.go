package view

import (
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
)

// Price formats a price of the catalog for readers; one that it cannot parse stays as it is.
func Price(w layout.Writer, price string) string {
	if p, ok := catalog.ParsePrice(price); ok {
		return w.Price(p)
	}
	return price
}

// Price formats a price of the catalog in the language of the page.
func (v *View) Price(price string) string { return Price(v.Text, price) }

// PriceRange formats two prices for a sentence of the form "from … to …". If they share their unit, before leaves it
// out: 22, 24 €/mois.
func (v *View) PriceRange(from, to string) (before, after string) {
	before, after = v.Price(from), v.Price(to)
	a, aOK := catalog.ParsePrice(from)
	b, bOK := catalog.ParsePrice(to)
	if !aOK || !bOK || a.Period != b.Period {
		return before, after
	}
	return strings.TrimSuffix(v.Text.Euros(a.Cents), "\u00a0€"), after
}

// Offer formats an offer: its price, or the word for a free one.
func (v *View) Offer(o figures.Offer) string {
	if o.Pricing == catalog.Free {
		return v.Text.Must("pricing." + string(catalog.Free))
	}
	return v.Price(o.Price)
}

// Remark returns what the two prices of a change do not show: that the pricing model or the period changed; "" if
// neither did.
func (v *View) Remark(m figures.Repricing) string {
	switch {
	case m.Before.Pricing != m.After.Pricing:
		return v.Text.Must("repricing." + string(m.After.Pricing))
	case m.Period:
		return v.Text.Must("repricing.period")
	default:
		return ""
	}
}

// Repricing formats a change of price on one line: 27 €/mois → 24 €/mois (−11 %).
func (v *View) Repricing(m figures.Repricing) string {
	line := v.Text.Must("repricing.line", v.Offer(m.Before), v.Offer(m.After))
	said := v.Remark(m)
	if m.Percent != 0 {
		if said != "" {
			said = ", " + said
		}
		said = v.Text.Percent(m.Percent) + said
	}
	if said == "" {
		return line
	}
	return v.Text.Must("repricing.said", line, said)
}

// Named translates a value of the catalog, such as a reason, into the language of the page. family is the prefix of its
// text. An unknown word is returned as it is.
func (v *View) Named(family, word string) string {
	if !v.Text.Has(family + word) {
		return word
	}
	return v.Text.Must(family + word)
}

// Reason returns why a tool was retired, for use within a sentence.
func (v *View) Reason(why catalog.Reason) string {
	return strings.ToLower(v.Named("reason.", string(why)))
}

// Sentence adds a full stop to a text that ends with a letter or a digit.
func Sentence(s string) string {
	if last, _ := utf8.DecodeLastRuneInString(s); unicode.IsLetter(last) || unicode.IsDigit(last) {
		return s + "."
	}
	return s
}

// MarkedTagline returns the tagline of a tool as a sentence, as markup.
func (v *View) MarkedTagline(t *catalog.Tool) template.HTML {
	return v.Text.Translated(Sentence(t.Tagline), sentenceIn(t.English.Tagline))
}

func sentenceIn(t catalog.Translation) catalog.Translation {
	t.Text = Sentence(t.Text)
	return t
}

// Escaped returns plain text as HTML.
func Escaped(s string) template.HTML {
	return template.HTML(template.HTMLEscapeString(s)) //nolint:gosec // it was escaped
}

// Texts returns the names of the catalog's values, and the sentences about price changes.
func Texts() layout.Texts { return texts }

var texts = layout.Texts{
	"pricing.gratuit":  {"Gratuit", "Free"},
	"pricing.freemium": {"Freemium", "Freemium"},
	"pricing.payant":   {"Payant", "Paid"},

	"icp.vibe-coder":       {"Créateurs sans code (vibe coders)", "Vibe coders"},
	"icp.agentic-engineer": {"Ingénieurs qui pilotent des agents", "Agentic engineers"},
	"icp.mixte":            {"Tout le monde", "Everyone"},

	"reason.mort":     {"Mort", "Dead"},
	"reason.acquis":   {"Racheté", "Acquired"},
	"reason.deprecie": {"Abandonné", "Deprecated"},
	"reason.pivot":    {"Reconverti", "Pivoted"},
	"reason.absorbe":  {"Absorbé", "Absorbed"},

	"translation.outdated": {"Traduit d’une version antérieure.", "Translated from an earlier version."},

	"repricing.gratuit":  {"devient gratuit", "now free"},
	"repricing.freemium": {"devient freemium", "now freemium"},
	"repricing.payant":   {"devient payant", "now paid"},
	"repricing.period":   {"change d’unité de facturation", "new billing unit"},
	"repricing.line":     {"%s → %s", "%s → %s"},
	"repricing.said":     {"%s (%s)", "%s (%s)"},
}

// A PlansTable is the data of the table of plans: the limits that the service enforces.
type PlansTable struct {
	Anonymous, Developer   int // requests a day
	DeveloperKeys, ProKeys int
	Embeddings             int
	Target                 string // of availability with Pro, in percent; "" for none
	Support                bool   // Pro has priority support
	Closed                 bool   // nobody can sign up

	// The paths where a reader starts with each plan. Keys and Own are "" if there are no accounts.
	Try, Keys, Own string
	VAT            string // the VAT rules under which Pro is sold
	Checkout       bool   // Pro is bought at Own
}

// Plans returns the table of this installation.
func (v *View) Plans() PlansTable {
	developer, pro := account.Developer.Limits(), account.Pro.Limits()
	table := PlansTable{
		Anonymous: account.Anonymous.Limits().Daily, Developer: developer.Daily,
		DeveloperKeys: developer.Keys, ProKeys: pro.Keys, Embeddings: catalog.EmbeddingsSize,
		Closed: v.Site.Closed, Try: v.Path(address.Landing) + "#appel", Checkout: v.Site.Checkout, VAT: v.Site.VAT,
	}
	promised := v.Catalog.Service().Words.Pro
	table.Target, table.Support = promised.Target(), !promised.NoSupport
	if v.Site.Accounts {
		table.Keys, table.Own = v.Path(address.Keys), v.Path(address.Plan)
	}
	return table
}
