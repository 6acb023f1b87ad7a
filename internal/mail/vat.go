package mail

import "time"

// A RefusedVATNumber is one that the register does not know.
type RefusedVATNumber struct {
	Until time.Time // when it is removed, unless it is corrected
	Link  string    // to the page on which it is corrected; "" if its address is not known
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

// A RemovedVATNumber is one that is on no invoice any more.
type RemovedVATNumber struct {
	Again bool   // it was not the first, and went at once
	Link  string // to the page on which another is given; "" if its address is not known
}

// VATNumberRemoved tells the owner of an account that its invoices have tax from now on.
func VATNumberRemoved(h Header, r RemovedVATNumber) Message {
	d := h.draft("vat.removed.subject")
	if r.Again {
		d.text("vat.removed.second", h.Service.name())
	} else {
		d.text("vat.removed.what", h.Service.name())
	}
	d.text("vat.removed.then")
	d.text("vat.removed.again")
	d.button("vat.button", r.Link)
	return d.message()
}
