package mail

import (
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A Document is an invoice that was paid, or a credit note.
type Document struct {
	Number   string
	Corrects string // for a credit note, the number of its invoice; "" if unknown
	Date     time.Time

	Euros           bool  // amounts are in euros; in any other currency, only the PDF shows them
	Net, Tax, Total int64 // in cents
	ReverseCharge   bool

	Refunded int64  // for a credit note: what is refunded to the card, in cents
	Reason   string // for a credit note: deleted, given, ended, cancelled or difference; "" if it was made by hand

	// Page and PDF are the URLs at which the provider shows it without a password; "" for none. They cannot be
	// pages of ours, because the recipient of invoices need not have an account, and an account may be deleted.
	Page, PDF string
}

// Invoice composes the message that brings a paid invoice.
func Invoice(h Header, i Document) Message {
	d := h.draft("invoice.subject", i.Number)
	d.text("invoice.what", h.Service.name())
	d.facts(i.facts(d, "invoice.number")...)
	d.button("invoice.pdf", i.PDF)
	i.links(d, "invoice.links")
	return d.message()
}

// CreditNote composes the message that brings a credit note, and says why it was made if that is known.
func CreditNote(h Header, n Document) Message {
	what := "credited.by-hand"
	d := h.draft("credited.subject", n.Number)
	switch n.Reason {
	case "":
	case "difference":
		what = "refunded.difference"
	default:
		what = "refunded." + n.Reason
		d = h.draft("refunded.subject")
	}
	d.text(what, h.Service.name())
	facts := n.facts(d, "credited.number")
	if n.Refunded > 0 && n.Euros {
		facts = append(facts, d.fact("refunded.amount", d.Euros(n.Refunded)))
	}
	d.facts(facts...)
	d.button("credited.pdf", n.PDF)
	if n.Refunded > 0 {
		d.small("refunded.when")
	}
	n.links(d, "credited.links")
	return d.message()
}

// facts lists the number, the date and the amounts. number names the text in front of the number.
func (i Document) facts(d *draft, number string) []fact {
	list := []fact{d.fact(number, i.Number), d.fact("invoice.date", strings.ReplaceAll(d.Date(i.Date.UTC()), " ", nbsp))}
	if i.Corrects != "" {
		list = append(list, d.fact("refunded.invoice", i.Corrects))
	}
	if !i.Euros {
		return list
	}
	tax := "order.tax"
	if i.ReverseCharge {
		tax = "order.tax.reverse"
	}
	return append(list, d.fact("invoice.net", d.Euros(i.Net)), d.fact(tax, d.Euros(i.Tax)), d.fact("invoice.total", d.Euros(i.Total)))
}

// links adds a paragraph that explains the links, named by says, with the link to the page if there is one.
func (i Document) links(d *draft, says string) {
	if i.Page == "" && i.PDF == "" {
		return
	}
	about := block{Text: d.Must(says), Small: true}
	if i.Page != "" {
		about.Label, about.Link = d.Must("invoice.page"), i.Page
	}
	d.add(about)
}

var documentTexts = locale.Texts{
	"invoice.subject": {"Votre facture %s", "Your invoice %s"},
	"invoice.what": {
		"Voici la facture de l’abonnement Pro à %s. Elle est payée\u00a0: il n’y a rien à régler.",
		"Here is the invoice for the Pro subscription to %s. It is paid: there is nothing left to pay.",
	},
	"invoice.number": {"Facture", "Invoice"},
	"invoice.date":   {"Date", "Date"},
	"invoice.net":    {"Total HT", "Total before tax"},
	"invoice.total":  {"Total TTC", "Total"},
	"invoice.pdf":    {"Télécharger la facture (PDF)", "Download the invoice (PDF)"},
	"invoice.page":   {"Voir la facture en ligne", "See the invoice online"},
	"invoice.links": {
		"Ces liens ouvrent la facture chez notre prestataire de paiement, sans mot de passe et pour un temps limité. Enregistrez " +
			"le PDF, et ne transférez ce message qu’à ceux qui doivent la lire.",
		"These links open the invoice at our payment provider, without a password and for a limited time. Save the PDF, and " +
			"forward this message only to those who should read it.",
	},
	"credited.subject": {"Votre avoir %s", "Your credit note %s"},
	"credited.by-hand": {
		"Voici un avoir sur une facture de l’abonnement Pro à %s.",
		"Here is a credit note for an invoice of the Pro subscription to %s.",
	},
	"credited.number": {"Avoir", "Credit note"},
	"credited.pdf":    {"Télécharger l’avoir (PDF)", "Download the credit note (PDF)"},
	"credited.links": {
		"Ce lien ouvre l’avoir chez notre prestataire de paiement, sans mot de passe et pour un temps limité. Enregistrez le PDF, et " +
			"ne transférez ce message qu’à ceux qui doivent le lire.",
		"This link opens the credit note at our payment provider, without a password and for a limited time. Save the PDF, and " +
			"forward this message only to those who should read it.",
	},
}
