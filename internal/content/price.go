package content

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const priceAdvice = "write the amount, a comma and two decimals if needed, a space, €/ and the period: 20 €/mois, 199,90 €/an"

// price reads the price and checks it against the pricing model.
func (o object) price(pricing catalog.Pricing) string {
	f, there := o.get("price")
	if there && f.value.kind == plain && plainType(f.value.text) == "a number" {
		o.fault(f.value.pos, "price %s is a number alone: %s", f.value.text, cmp.Or(spellAmount(f.value.text), priceAdvice))
		return ""
	}
	s := o.line("price", 60)
	if s == "" {
		return ""
	}
	price, ok := catalog.ParsePrice(s)
	switch {
	case ok:
	case strings.ContainsAny(s, "\u00a0\u202f"):
		o.fault(f.value.pos, "price %q holds a no-break space: type a plain space, as in 20 €/mois", s)
		return ""
	case strings.Contains(s, ".") && isPrice(strings.Replace(s, ".", ",", 1)):
		o.fault(f.value.pos, "price %q has a decimal point: write %s", s, strings.Replace(s, ".", ",", 1))
		return ""
	case freeForm.MatchString(s):
		also := "; pricing says that it is free"
		if pricing == catalog.Paid {
			also = ", and gratuit or freemium as pricing"
		}
		o.fault(f.value.pos, "price %q is a word: write 0 €/mois%s", s, also)
		return ""
	case foreignForm.MatchString(s):
		o.fault(f.value.pos, "price %q is in another currency: write what it costs in euros, such as 20 €/%s, and this as the text of its source: sources: {price: {url: https://…, checked: YYYY-MM-DD, text: %s}}",
			s, periodOf(s), quoteText(s))
		return ""
	default:
		advice := cmp.Or(spellAmount(s), priceAdvice)
		if meant := spellPrice(s); meant != "" {
			advice = "write " + meant
		}
		o.fault(f.value.pos, "price %q is not of the form <amount> €/<period>: %s", s, advice)
		return ""
	}
	switch {
	case pricing == catalog.Free && price.Cents != 0:
		o.fault(f.value.pos, "price %q is not 0 and pricing is gratuit: write 0 €/%s, or change pricing", s, price.Period)
	case pricing == catalog.Paid && price.Cents == 0:
		o.fault(f.value.pos, "price %q is 0 and pricing is payant: write the cheapest price, or change pricing", s)
	}
	o.checkPeriod(price.Period, f.value.pos)
	return s
}

func isPrice(s string) bool {
	_, ok := catalog.ParsePrice(s)
	return ok
}

// What people write in the place of a price in euros.
var (
	freeForm    = regexp.MustCompile(`(?i)^(?:gratuite?|gratis|free|offert)$`)
	foreignForm = regexp.MustCompile(`(?i)[$£¥]|\b(?:usd|gbp|chf|cad|dollars?)\b`)
)

// periodOf returns the period at the end of a price in any spelling; a month if it is not known.
func periodOf(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, p := range catalog.Periods() {
		if len(words) > 0 && (p.Name == words[len(words)-1] || slices.Contains(p.Also, words[len(words)-1])) {
			return p.Name
		}
	}
	return catalog.Periods()[0].Name
}

// loosePrice matches prices as people write them: 20€ par mois, 1.200,5 EUR / An, € 20/mois.
var loosePrice = regexp.MustCompile(`(?i)^(?:€|eur)? ?([0-9][0-9 .,]*?) ?(?:€|eur|euros?)? ?(?:/|par|/ ?par) ?([\p{L}]+)\.?$`)

// amountForm separates the whole amount, whose thousands may be set apart by spaces or points, from the
// decimals.
var amountForm = regexp.MustCompile(`^([0-9]+|[0-9]{1,3}(?:[ .][0-9]{3})+)(?:[.,]([0-9]{1,2}))?$`)

// looseAmount matches an amount without a period: 24, 1 200 €, EUR 24,5.
var looseAmount = regexp.MustCompile(`(?i)^(?:€|eur)? ?([0-9][0-9 .,]*?) ?(?:€|eur|euros?)?$`)

// spellAmount returns advice on how to write an amount without a period as a price, or "" when the amount is
// not clear.
func spellAmount(s string) string {
	parts := looseAmount.FindStringSubmatch(strings.Join(strings.Fields(s), " "))
	if parts == nil {
		return ""
	}
	if price := amountOf(parts[1]) + " €/mois"; isPrice(price) {
		return fmt.Sprintf("write %q if it is for a month, or another period", price)
	}
	return ""
}

// spellPrice returns a price in the required form, or "" when it is not clear what is meant.
func spellPrice(s string) string {
	parts := loosePrice.FindStringSubmatch(strings.Join(strings.Fields(s), " "))
	if parts == nil || !strings.Contains(strings.ToLower(s), "eur") && !strings.Contains(s, "€") {
		return ""
	}
	if price := amountOf(parts[1]) + " €/" + strings.ToLower(parts[2]); isPrice(price) {
		return price
	}
	return ""
}

// amountOf returns an amount in the form that a price needs, or "" when it is not clear.
func amountOf(s string) string {
	amount := amountForm.FindStringSubmatch(strings.TrimSpace(s))
	if amount == nil {
		return ""
	}
	whole := strings.TrimLeft(strings.NewReplacer(" ", "", ".", "").Replace(amount[1]), "0")
	if whole == "" {
		whole = "0"
	}
	if cents := amount[2]; cents != "" {
		whole += "," + (cents + "0")[:2]
	}
	return whole
}
