package view

import (
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
)

// Price writes a price as the catalog has it.
func Price(w layout.Writer, price string) string {
	if p, ok := catalog.ParsePrice(price); ok {
		return w.Price(p)
	}
	return price
}

// Price writes a price as the catalog has it.
func (v *View) Price(price string) string { return Price(v.Text, price) }

// PriceRange writes two prices for a sentence that goes from one to the other. What is the same of both stands
// once where the language allows it: 22, 24 €/mois.
func (v *View) PriceRange(from, to string) (before, after string) {
	before, after = v.Price(from), v.Price(to)
	a, aOK := catalog.ParsePrice(from)
	b, bOK := catalog.ParsePrice(to)
	if !aOK || !bOK || a.Period != b.Period {
		return before, after
	}
	return strings.TrimSuffix(v.Text.Euros(a.Cents), "\u00a0€"), after
}

// Offer writes an offer: what is free has no amount.
func (v *View) Offer(o figures.Offer) string {
	if o.Pricing == catalog.Free {
		return v.Text.Must("pricing." + string(catalog.Free))
	}
	return v.Price(o.Price)
}

// Remark says of a change of price what its two prices do not: another model, another period. It is ""
// when there is nothing to say.
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

// Repricing writes a change of price in one line: 27 €/mois → 24 €/mois (−11 %).
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

// Named is a word of the catalog in the language of the page, or as it is where it is not known.
func (v *View) Named(family, word string) string {
	if !v.Text.Has(family + word) {
		return word
	}
	return v.Text.Must(family + word)
}

// Reason is why a tool was retired, within a sentence.
func (v *View) Reason(why catalog.Reason) string {
	return strings.ToLower(v.Named("reason.", string(why)))
}

// Sentence gives a text its full stop, unless it ends on another mark.
func Sentence(s string) string {
	if last, _ := utf8.DecodeLastRuneInString(s); unicode.IsLetter(last) || unicode.IsDigit(last) {
		return s + "."
	}
	return s
}

// TaglineOf is the tagline of a tool as a sentence.
func (v *View) TaglineOf(t *catalog.Tool) string {
	return v.Text.Choose(Sentence(t.Tagline), sentenceIn(t.English.Tagline))
}

// MarkedTagline is TaglineOf as markup.
func (v *View) MarkedTagline(t *catalog.Tool) template.HTML {
	return v.Text.Translated(Sentence(t.Tagline), sentenceIn(t.English.Tagline))
}

func sentenceIn(t catalog.Translation) catalog.Translation {
	t.Text = Sentence(t.Text)
	return t
}

// Escaped is text as markup.
func Escaped(s string) template.HTML {
	return template.HTML(template.HTMLEscapeString(s)) //nolint:gosec // it was escaped
}
