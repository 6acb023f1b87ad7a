package mail

// A Refunded is a payment that went back.
type Refunded struct {
	Given  bool   // the operator had given the account Pro; else it was deleted
	Number string // of the invoice; "" if it has none
	Cents  int64
}

// ProRefunded tells whoever paid that the payment went back, and why.
func ProRefunded(h Header, r Refunded) Message {
	d := h.draft("refunded.subject")
	if r.Given {
		d.text("refunded.given", h.Service.name())
	} else {
		d.text("refunded.deleted", h.Service.name())
	}
	facts := []fact{d.fact("refunded.amount", d.Euros(r.Cents))}
	if r.Number != "" {
		facts = append(facts, d.fact("refunded.invoice", r.Number))
	}
	d.facts(facts...)
	d.small("refunded.when")
	return d.message()
}
