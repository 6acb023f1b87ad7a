package stripefake

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
)

// createCreditNote credits a paid invoice. The money must go somewhere: back to the card, which is refused if less is
// left of the charge, or out of band, which records that it was given back elsewhere:
// https://docs.stripe.com/api/credit_notes/create
var createCreditNote = call{
	params: []string{"amount", "email_type", "invoice", "memo", "metadata[]", "out_of_band_amount", "reason", "refund_amount"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		i := find(s.invoices, func(i *Invoice) bool { return i.ID == form.Get("invoice") })
		var amount, back, elsewhere int64
		for name, cents := range map[string]*int64{"amount": &amount, "refund_amount": &back, "out_of_band_amount": &elsewhere} {
			var err error
			if *cents, err = strconv.ParseInt(or(form.Get(name), "0"), 10, 64); err != nil || *cents < 0 {
				return nil, invalid(name, "parameter_invalid_integer", "Invalid integer")
			}
		}
		switch {
		case i == nil:
			return nil, invalid("invoice", "resource_missing", "No such invoice: '%s'", form.Get("invoice"))
		case amount == 0:
			return nil, invalid("amount", "parameter_invalid_integer", "Invalid integer")
		case i.Status != "paid":
			return nil, invalid("invoice", "", "This server credits invoices that are paid. This invoice is %s.", i.Status)
		case back+elsewhere != amount:
			return nil, invalid("refund_amount", "", "The sum of credit amount, refund amount and out of band amount must equal the post_payment_amount.")
		case amount > i.Total-i.PostPaymentCreditNotesAmount:
			return nil, invalid("amount", "", "The credit note's amount is more than what is left of the invoice.")
		}
		now := s.time().Unix()
		made := &CreditNote{
			ID: s.newID("cn"), Object: "credit_note", Amount: amount, Created: now, EffectiveAt: &now, Currency: i.Currency,
			Customer: i.Customer, Invoice: i.ID, Metadata: metadata(form, "metadata"), PostPaymentAmount: amount,
			Refunds: []CreditNoteRefund{}, Status: "issued", Total: amount, Type: "post_payment",
			Number: fmt.Sprintf("%s-CN-%02d", *i.Number, len(s.creditNotesOf(i.ID))+1),
		}
		made.PDF = s.URL + "/credit-note/" + made.ID + "/pdf"
		made.credit(i)
		if back > 0 {
			paid := find(s.charges, func(c *Charge) bool { return c.invoice == i.ID })
			if paid == nil {
				return nil, invalid("refund_amount", "", "There is no charge to refund.")
			}
			refund, err := s.refund(paid, back)
			if err != nil {
				return nil, err
			}
			made.Refunds = []CreditNoteRefund{{back, refund.ID, "refund"}}
		}
		if elsewhere > 0 {
			made.OutOfBandAmount = &elsewhere
		}
		if form.Has("memo") {
			made.Memo = new(form.Get("memo"))
		}
		if form.Has("reason") {
			made.Reason = new(form.Get("reason"))
		}
		i.PostPaymentCreditNotesAmount += amount
		s.creditNotes = append(s.creditNotes, made)
		s.emit("credit_note.created", i.Customer, made)
		return made, nil
	},
}

// credit splits the total of a credit note into net and tax in the proportion of its invoice:
// https://docs.stripe.com/tax/invoicing/refunds
func (n *CreditNote) credit(i *Invoice) {
	n.TotalExcludingTax = (n.Total*i.TotalExcludingTax + i.Total/2) / i.Total
	n.Subtotal, n.SubtotalExcludingTax, n.TotalTaxes = n.TotalExcludingTax, n.TotalExcludingTax, []Tax{}
	for _, t := range i.TotalTaxes { // there is one at most
		t.Amount, t.TaxableAmount = n.Total-n.TotalExcludingTax, n.TotalExcludingTax
		n.TotalTaxes = append(n.TotalTaxes, t)
	}
}

// A listedCreditNote is a credit note in an answer, with the whole invoice if that was asked for.
type listedCreditNote struct {
	CreditNote
	Invoice any `json:"invoice"`
}

// listCreditNotes lists the credit notes made within a time, of a customer and of an invoice, each if asked for:
// https://docs.stripe.com/api/credit_notes/list
var listCreditNotes = call{
	params: append([]string{"customer", "expand[]", "invoice", "limit", "starting_after"}, createdParams...),
	do: func(s *Server, _ string, form url.Values) (any, error) {
		within, err := created(form)
		if err != nil {
			return nil, err
		}
		var found []*CreditNote
		for _, n := range slices.Backward(s.creditNotes) {
			if within(n.Created) && (!form.Has("invoice") || n.Invoice == form.Get("invoice")) &&
				(!form.Has("customer") || n.Customer == form.Get("customer")) {
				found = append(found, n)
			}
		}
		whole := expands(form, "data.invoice")
		id := func(n *CreditNote) string { return n.ID }
		return pageOf("/v1/credit_notes", found, form, id, func(n *CreditNote) listedCreditNote {
			listed := listedCreditNote{CreditNote: *n, Invoice: n.Invoice}
			if whole {
				listed.Invoice = find(s.invoices, func(i *Invoice) bool { return i.ID == n.Invoice })
			}
			return listed
		})
	},
}

var readCreditNote = call{
	params: []string{"expand[]"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		n := find(s.creditNotes, func(n *CreditNote) bool { return n.ID == id })
		if n == nil {
			return nil, noSuch("credit_note", id)
		}
		read := listedCreditNote{CreditNote: *n, Invoice: n.Invoice}
		if expands(form, "invoice") {
			read.Invoice = find(s.invoices, func(i *Invoice) bool { return i.ID == n.Invoice })
		}
		return read, nil
	},
}

// updateCreditNote changes the metadata of a credit note: https://docs.stripe.com/api/credit_notes/update
var updateCreditNote = call{
	params: []string{"memo", "metadata[]"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		n := find(s.creditNotes, func(n *CreditNote) bool { return n.ID == id })
		if n == nil {
			return nil, noSuch("credit_note", id)
		}
		maps.Copy(n.Metadata, metadata(form, "metadata"))
		s.emit("credit_note.updated", n.Customer, n)
		return n, nil
	},
}

// Credit makes a credit note by hand that refunds that many cents of a paid invoice to the card.
func (s *Server) Credit(invoice string, cents int64) (CreditNote, error) {
	s.lockAndTick()
	defer s.mu.Unlock()
	amount := strconv.FormatInt(cents, 10)
	made, err := createCreditNote.do(s, "", url.Values{"invoice": {invoice}, "amount": {amount}, "refund_amount": {amount}})
	if err != nil {
		return CreditNote{}, err
	}
	return *made.(*CreditNote), nil //nolint:forcetypeassert // that is what it makes
}

// creditNotesOf returns the credit notes of an invoice, or all for "", the newest first.
func (s *Server) creditNotesOf(invoice string) (found []CreditNote) {
	for _, n := range slices.Backward(s.creditNotes) {
		if invoice == "" || n.Invoice == invoice {
			found = append(found, *n)
		}
	}
	return found
}

// CreditNotes returns all credit notes, the newest first.
func (s *Server) CreditNotes() []CreditNote {
	s.lockAndTick()
	defer s.mu.Unlock()
	return s.creditNotesOf("")
}
