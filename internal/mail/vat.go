package mail

import "time"

// A RefusedVATNumber is one that the register does not know.
type RefusedVATNumber struct {
	Until time.Time // when it is removed, unless it is corrected
	Link  string    // to the page of the plan; "" if its address is not known
}

// VATNumberRefused asks the owner of an account to correct its VAT number. The number itself is not in the
// message: the payment provider holds it.
func VATNumberRefused(h Header, r RefusedVATNumber) Message {
	d := h.draft("vat.refused.subject")
	d.text("vat.refused.what", h.Service.name())
	d.facts(d.fact("vat.refused.until", d.time(r.Until)))
	d.text("vat.refused.then")
	d.button("vat.button", r.Link)
	d.small("vat.refused.right")
	return d.message()
}

// VATNumberRemoved tells the owner of an account that its invoices have tax from now on. link is that to the
// page of the plan.
func VATNumberRemoved(h Header, link string) Message {
	d := h.draft("vat.removed.subject")
	d.text("vat.removed.what", h.Service.name())
	d.text("vat.removed.again")
	d.button("vat.button", link)
	return d.message()
}
