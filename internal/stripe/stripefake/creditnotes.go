package stripefake

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// createCreditNote credits a paid invoice. What is credited must go somewhere, here back to the card:
// https://docs.stripe.com/api/credit_notes/create
var createCreditNote = call{
	params: []string{"amount", "email_type", "invoice", "memo", "metadata[]", "reason", "refund_amount"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		id := form.Get("invoice")
		i := find(s.invoices, func(i *Invoice) bool { return i.ID == id })
		amount, err := strconv.ParseInt(form.Get("amount"), 10, 64)
		switch {
		case i == nil:
			return nil, invalid("invoice", "resource_missing", "No such invoice: '%s'", id)
		case err != nil || amount <= 0:
			return nil, invalid("amount", "parameter_invalid_integer", "Invalid integer")
		case i.Status != "paid":
			return nil, invalid("invoice", "", "This server credits invoices that are paid. This invoice is %s.", i.Status)
		case form.Get("refund_amount") != form.Get("amount"):
			return nil, invalid("refund_amount", "", "The sum of the refunds must equal the post_payment_amount.")
		case amount > i.AmountPaid-i.PostPaymentCreditNotesAmount:
			return nil, invalid("amount", "", "The credit note's amount is more than what is left of the invoice.")
		}
		made := &CreditNote{
			ID: s.newID("cn"), Object: "credit_note", Amount: amount, Created: s.now().Unix(), Currency: i.Currency,
			Customer: i.Customer, Invoice: i.ID, Metadata: metadata(form, "metadata"), PostPaymentAmount: amount,
			Refunds: []CreditNoteRefund{{amount, s.newID("re"), "refund"}}, Status: "issued", Total: amount, Type: "post_payment",
			Number: fmt.Sprintf("%s-CN-%02d", *i.Number, len(s.creditNotesOf(i.ID))+1),
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
		s.emit("charge.refunded", i.Customer, s.charge(i.Customer, i.PostPaymentCreditNotesAmount == i.AmountPaid))
		return made, nil
	},
}

var listCreditNotes = call{
	params: []string{"invoice", "limit", "starting_after"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		return page("/v1/credit_notes", s.creditNotesOf(form.Get("invoice")), form, func(n CreditNote) string { return n.ID })
	},
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.creditNotesOf("")
}
