package content

import (
	"regexp"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// priceForm is `20 €/mois`, `199,90 €/an`. The period is French letters in lower
// case. schemas/tool.schema.json has the same pattern.
var priceForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,6})(,[0-9]{2})? €/[a-zà-öø-ÿœ]{1,20}$`)

const priceAdvice = "write the amount, a comma and two decimals if needed, a space, €/ and the period: 20 €/mois, 199,90 €/an"

// price reads the price and holds it against the pricing model.
func (o object) price(pricing catalog.Pricing) string {
	s := o.text("price", 60)
	if s == "" {
		return ""
	}
	f, _ := o.get("price")
	switch {
	case priceForm.MatchString(s):
	case strings.ContainsAny(s, "\u00a0\u202f"):
		o.fault(f.value.pos, "price %q holds a no-break space: type a plain space, as in 20 €/mois", s)
		return ""
	case strings.Contains(s, ".") && priceForm.MatchString(strings.Replace(s, ".", ",", 1)):
		o.fault(f.value.pos, "price %q has a decimal point: write %s", s, strings.Replace(s, ".", ",", 1))
		return ""
	default:
		o.fault(f.value.pos, "price %q is not of the form <amount> €/<period>: %s", s, priceAdvice)
		return ""
	}
	_, period, _ := strings.Cut(s, "€/")
	zero := !strings.ContainsAny(s, "123456789")
	switch {
	case pricing == catalog.Free && !zero:
		o.fault(f.value.pos, "price %q is not 0 and pricing is gratuit: write 0 €/%s, or change pricing", s, period)
	case pricing == catalog.Paid && zero:
		o.fault(f.value.pos, "price %q is 0 and pricing is payant: write the cheapest price, or change pricing", s)
	}
	return s
}
