package mail

import "github.com/palmares-hq/palmares/internal/locale"

// An OrderDifference says how a first invoice differs from the order.
type OrderDifference struct {
	Account, Order    string // ids, for the operator
	Number            string // the invoice's number
	Ordered, Invoiced int64  // amounts a month, in cents
	Credited          int64  // what was refunded, in cents; 0 if less was invoiced than ordered
	Link              string // the URL of the plan's page
}

func (o OrderDifference) facts(d *draft) []fact {
	list := []fact{
		d.fact("difference.invoice", o.Number), d.fact("difference.ordered", d.Euros(o.Ordered)), d.fact("difference.invoiced", d.Euros(o.Invoiced)),
	}
	if o.Credited > 0 {
		list = append(list, d.fact("difference.credited", d.Euros(o.Credited)))
	}
	return list
}

// OrderDiffers tells the owner of an account that the first invoice differs from the order, and whether the
// difference was refunded.
func OrderDiffers(h Header, o OrderDifference) Message {
	d := h.draft("difference.subject")
	d.text("difference.what", h.Service.name())
	d.facts(o.facts(d)...)
	if o.Credited > 0 {
		d.text("difference.back")
	} else {
		d.text("difference.less")
	}
	d.button("pro.plan", o.Link)
	d.small("difference.reply")
	return d.message()
}

// OperatorDiffers tells the operator the same. It identifies the account and the order by id only, and nobody
// by name.
func OperatorDiffers(h Header, o OrderDifference) Message {
	d := h.draft("difference.operator.subject")
	d.text("difference.operator.what")
	d.facts(append([]fact{d.fact("difference.account", o.Account), d.fact("difference.order", o.Order)}, o.facts(d)...)...)
	d.text("difference.operator.do")
	return d.message()
}

var differenceTexts = locale.Texts{
	"difference.subject": {"Votre première facture diffère de votre commande", "Your first invoice differs from your order"},
	"difference.what": {
		"La première facture de votre abonnement %s n’est pas au montant que vous avez commandé. Cela ne change rien à " +
			"votre offre Pro.",
		"The first invoice of your %s subscription is not for the amount you ordered. Your Pro plan is not affected.",
	},
	"difference.invoice":  {"Facture", "Invoice"},
	"difference.ordered":  {"Commandé", "Ordered"},
	"difference.invoiced": {"Facturé", "Invoiced"},
	"difference.credited": {"Remboursé par un avoir", "Refunded by a credit note"},
	"difference.back": {
		"La différence est remboursée sur la carte qui a payé. Selon votre banque, elle apparaît sur votre relevé sous " +
			"cinq à dix jours ouvrés.",
		"The difference is refunded to the card that paid. Depending on your bank, it shows on your statement within five " +
			"to ten business days.",
	},
	"difference.less": {
		"Vous ne devez rien de plus pour ce premier mois.",
		"You owe nothing more for this first month.",
	},
	"difference.reply": {
		"L’exploitant du service est averti. Pour toute question sur les mois suivants, répondez à ce message.",
		"The operator has been alerted. If you have a question about the following months, reply to this message.",
	},
	"difference.operator.subject": {"Une première facture diffère de sa commande", "A first invoice differs from its order"},
	"difference.operator.what": {
		"La première facture d’un abonnement n’est pas au montant commandé. Le compte a Pro, et son propriétaire est averti.",
		"The first invoice of a subscription is not for the amount that was ordered. The account has Pro, and its owner has been told.",
	},
	"difference.account": {"Compte", "Account"},
	"difference.order":   {"Commande", "Order"},
	"difference.operator.do": {
		"Comparez l’adresse et le numéro de TVA du client chez le prestataire avec la commande, puis lancez palmares billing " +
			"check. Sans correction, la facture suivante diffère aussi.",
		"Compare the customer’s address and VAT number at the payment provider with the order, then run palmares billing " +
			"check. Unless that is corrected, the next invoice differs, too.",
	},
}
