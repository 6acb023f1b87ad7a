package mail

import (
	"strings"
	"time"
)

// A Welcome says what an account has with Pro, and confirms its order.
type Welcome struct {
	Keys, Endpoints int    // how many it may have
	Link            string // the URL of the plan's page; "" if unknown
	Order           *Order // nil for a subscription older than orders
}

// An Order is an order to confirm on a durable medium: the mail itself, with the texts attached.
type Order struct {
	ID            string
	At            time.Time
	Name, Number  string   // of the business; the number may be ""
	Address       []string // the lines without the country; nil for an order older than this question
	Country       string   // ISO 3166
	Email         string   // where invoices are sent; "" for the recipient
	Reference     string   // the buyer's purchase order number; "" for none
	Net, Tax      int64    // what was invoiced for a month, in cents
	ReverseCharge bool
	Terms, Legal  string // the accepted terms, and the seller's legal notice
	Cancel        string // the URL of the page that cancels the subscription
}

// ProWelcome tells the owner of an account that its subscription has begun, and confirms the order.
func ProWelcome(h Header, w Welcome) Message {
	d := h.draft("welcome.subject")
	d.text("welcome.thanks", h.Service.name())
	d.facts(
		d.fact("welcome.requests", d.Must("welcome.no-limit")),
		d.fact("welcome.keys", d.Must("welcome.up-to", d.Integer(w.Keys))),
		d.fact("welcome.endpoints", d.Must("welcome.up-to", d.Integer(w.Endpoints))),
	)
	d.text("welcome.resume")
	d.button("pro.plan", w.Link)
	if w.Order == nil {
		d.small("welcome.renews")
		return d.message()
	}
	o := *w.Order
	d.text("order.confirms")
	who := o.Name
	if o.Number != "" {
		who += " (" + o.Number + ")"
	}
	tax := "order.tax"
	if o.ReverseCharge {
		tax = "order.tax.reverse"
	}
	facts := []fact{d.fact("order.seller", d.Must("order.seller.says", h.Service.name())), d.fact("order.buyer", who)}
	for _, f := range []struct{ name, value string }{
		{"order.address", strings.Join(append(o.Address, d.Country(o.Country)), ", ")}, {"order.invoices", o.Email}, {"order.reference", o.Reference},
	} {
		if f.value != "" && (f.name != "order.address" || o.Address != nil) {
			facts = append(facts, d.fact(f.name, f.value))
		}
	}
	d.facts(append(facts, d.fact("order.id", o.ID), d.fact("order.date", d.time(o.At)),
		d.fact("order.what", d.Must("order.what.says")), d.fact("order.net", d.Euros(o.Net)),
		d.fact(tax, d.Euros(o.Tax)), d.fact("order.total", d.Euros(o.Net+o.Tax)),
		d.fact("order.term", d.Must("order.term.says")))...)
	cancel := block{Text: d.Must("order.cancel"), Small: true}
	if o.Cancel != "" {
		cancel.Label, cancel.Link = d.Must("order.cancel.button"), o.Cancel
	}
	d.add(cancel)
	d.small("order.attached")
	m := d.message()
	m.Attached = []Attachment{{d.Must("order.file.terms"), o.Terms}, {d.Must("order.file.legal"), o.Legal}}
	return m
}

// A Cancelled is a cancelled subscription, which runs until the end of its period.
type Cancelled struct {
	Ends time.Time
	Link string // to the page of the plan
}

// ProCancelled confirms that a subscription was cancelled, and says how long the account keeps Pro.
func ProCancelled(h Header, c Cancelled) Message {
	d := h.draft("cancelled.subject")
	d.text("cancelled.until", h.Service.name())
	d.facts(d.fact("cancelled.ends", d.Must("cancelled.at", d.time(c.Ends))))
	d.text("cancelled.then")
	d.button("pro.plan", c.Link)
	d.small("cancelled.not-you")
	return d.message()
}

// A Resumed is a subscription whose cancellation was undone.
type Resumed struct {
	Next time.Time // when it renews
	Link string    // to the page of the plan
}

// ProResumed confirms that a cancellation was undone, and says when the next payment is due.
func ProResumed(h Header, r Resumed) Message {
	d := h.draft("resumed.subject")
	d.text("resumed.what", h.Service.name())
	d.facts(d.fact("resumed.next", d.Must("cancelled.at", d.time(r.Next))))
	d.button("pro.plan", r.Link)
	d.small("resumed.not-you")
	return d.message()
}

// An UnpaidInvoice is an invoice whose payment failed.
type UnpaidInvoice struct {
	Day   int       // days since the invoice's date: 0, 3 or 6
	Until time.Time // when the account loses Pro; zero if unknown
	Link  string    // to the page of the plan
}

// lastDay is the day of the last message about an unpaid invoice.
const lastDay = 6

// ProUnpaid tells the owner of an account that a payment failed, and how long the account keeps Pro.
func ProUnpaid(h Header, u UnpaidInvoice) Message {
	which := "unpaid.first."
	switch {
	case u.Day >= lastDay:
		which = "unpaid.last."
	case u.Day > 0:
		which = "unpaid.still."
	}
	d := h.draft(which + "subject")
	d.text(which + "what")
	if !u.Until.IsZero() {
		d.facts(d.fact("unpaid.until", d.time(u.Until)))
	}
	d.text("unpaid.causes")
	d.button("unpaid.button", u.Link)
	d.small("unpaid.otherwise", h.Service.name())
	return d.message()
}

// An Ended says what an account loses as it goes back to Developer.
type Ended struct {
	Unpaid    bool     // Pro ended because an invoice was not paid
	Void      bool     // it was cancelled while a payment was failing; the last period was not paid, nothing is owed
	Keys      []string // the names of the suspended keys
	Endpoints []string // the URLs of the paused endpoints, shown without user and query
	Link      string   // to the page of the plan
}

// ProEnded tells the owner of an account that it is on Developer again, and what is suspended.
func ProEnded(h Header, e Ended) Message {
	d := h.draft("ended.subject")
	switch {
	case e.Void:
		d.text("ended.void", h.Service.name())
	case e.Unpaid:
		d.text("ended.unpaid", h.Service.name())
	default:
		d.text("ended.over", h.Service.name())
	}
	d.facts(e.suspended(d)...)
	if len(e.Keys) > 0 {
		d.text("ended.choose")
	}
	d.button("pro.plan", e.Link)
	if len(e.Keys) > 0 {
		d.small("ended.refused")
	}
	return d.message()
}

// suspended lists the keys that are suspended and the endpoints that are paused.
func (e Ended) suspended(d *draft) (list []fact) {
	for _, name := range e.Keys {
		list = append(list, d.fact("ended.key", name))
	}
	for _, url := range e.Endpoints {
		if _, shown := redactURL(url); shown != "" {
			list = append(list, d.fact("ended.endpoint", shown))
		}
	}
	return list
}
