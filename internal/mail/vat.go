package mail

import (
	"time"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A RefusedVATNumber is a VAT number that the register does not know.
type RefusedVATNumber struct {
	Until time.Time // when it is removed unless it is corrected
	Link  string    // the URL of the page to correct it; "" if unknown
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

// A RemovedVATNumber is a VAT number that was removed from future invoices.
type RemovedVATNumber struct {
	Again bool   // it was not the first one refused, and was removed at once
	Link  string // the URL of the page to enter another; "" if unknown
}

// VATNumberRemoved tells the owner of an account that future invoices carry VAT.
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

var vatTexts = locale.Texts{
	"vat.refused.subject": {
		"Votre numéro de TVA n’a pas pu être vérifié",
		"Your VAT number could not be verified",
	},
	"vat.refused.what": {
		"Le registre européen des numéros de TVA ne reconnaît pas celui que vous avez donné pour les factures de " +
			"votre compte %s. Corrigez-le avant la date ci-dessous\u202f; votre offre Pro ne change pas.",
		"The European register of VAT numbers does not recognise the one you gave for the invoices of your %s account. " +
			"Correct it by the date below; your Pro plan does not change.",
	},
	"vat.refused.until": {"À corriger avant le", "To be corrected by"},
	"vat.refused.then": {
		"Ce jour-là, nous vérifierons de nouveau. Si le numéro n’est toujours pas reconnu, nous le retirerons\u00a0: vos " +
			"factures suivantes porteront la TVA, que nous devons à l’administration fiscale.",
		"We will check again on that day. If the number is still not recognised we will remove it, and your following " +
			"invoices will carry VAT, which we owe to the tax authority.",
	},
	"vat.refused.right": {
		"Si le numéro est exact, demandez à votre administration fiscale s’il est actif pour les échanges dans l’Union " +
			"européenne\u00a0: un numéro récent ne figure pas toujours au registre.",
		"If the number is right, ask your tax authority whether it is active for trade within the European Union: a recent " +
			"number is not always in the register.",
	},
	"vat.removed.subject": {
		"Votre numéro de TVA est retiré de vos factures",
		"Your VAT number is removed from your invoices",
	},
	"vat.removed.what": {
		"Le registre européen ne reconnaît toujours pas le numéro de TVA de votre compte %s.",
		"The European register still does not recognise the VAT number of your %s account.",
	},
	"vat.removed.second": {
		"Le registre européen ne reconnaît pas non plus le nouveau numéro de TVA de votre compte %s. Comme c’est le second, " +
			"nous l’avons retiré aussitôt.",
		"The European register does not recognise the new VAT number of your %s account either. As it is the second, we " +
			"removed it at once.",
	},
	"vat.removed.then": {
		"Il ne figure plus sur vos factures\u00a0: les suivantes portent la TVA. Celles que vous avez reçues ne changent pas.",
		"It is no longer on your invoices: the following ones carry VAT. Those you have received do not change.",
	},
	"vat.removed.again": {
		"Votre offre Pro continue. Vous pouvez donner un autre numéro à tout moment\u00a0:",
		"Your Pro plan goes on. You can give another number at any time:",
	},
	"vat.button": {"Corriger le numéro de TVA", "Correct the VAT number"},
}
