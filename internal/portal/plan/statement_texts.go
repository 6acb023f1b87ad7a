package plan

import "github.com/palmares-hq/palmares/internal/layout"

var statementTexts = layout.Texts{
	"bills.title":  {"Factures", "Invoices"},
	"bills.none":   {"Aucune facture pour l’instant.", "No invoices yet."},
	"bills.date":   {"Date", "Date"},
	"bills.number": {"Numéro", "Number"},
	"bills.total":  {"Total TTC", "Total"},
	"bills.state":  {"État", "Status"},
	"bills.link":   {"Document", "Document"},
	"bills.see":    {"Voir", "View"},
	"bills.pay":    {"Payer", "Pay"},
	"bills.which":  {"la facture %s", "invoice %s"},
	"bills.more": {
		"Les %s plus récentes. Les autres sont chez notre prestataire de paiement.",
		"The %s newest. Older ones are with our payment provider.",
	},
	"bills.state.open":          {"À payer", "Unpaid"},
	"bills.state.paid":          {"Payée", "Paid"},
	"bills.state.refunded":      {"Remboursée\u00a0: %s", "Refunded: %s"},
	"bills.state.void":          {"Annulée", "Void"},
	"bills.state.uncollectible": {"Abandonnée", "Written off"},
	"bills.state.draft":         {"Brouillon", "Draft"},

	"bills.card":         {"Carte", "Card"},
	"bills.card.says":    {"%s terminée par %s, valable jusqu’à fin %s", "%s ending in %s, valid until %s"},
	"bills.card.expired": {"%s terminée par %s, expirée (%s)", "%s ending in %s, expired (%s)"},
	"bills.name":         {"Nom", "Name"},
	"bills.address":      {"Adresse", "Address"},
	"bills.vat":          {"Numéro de TVA", "VAT number"},
	"bills.email":        {"Adresse e-mail pour les factures", "E-mail address for invoices"},

	"bills.vat.pending":     {"%s (vérification en cours)", "%s (being checked)"},
	"bills.vat.verified":    {"%s (vérifié)", "%s (verified)"},
	"bills.vat.unverified":  {"%s (non reconnu\u00a0: corrigez-le)", "%s (not recognised: please correct it)"},
	"bills.vat.until":       {"%s (non reconnu\u00a0: corrigez-le avant le %s)", "%s (not recognised: please correct it by %s)"},
	"bills.vat.unavailable": {"%s (le registre ne répond pas)", "%s (the register is not responding)"},

	"bills.away": {
		"Vos factures sont chez notre prestataire de paiement, qui ne répond pas. Rechargez la page dans quelques minutes.",
		"Your invoices are with our payment provider, which is not responding. Reload the page in a few minutes.",
	},
	"bills.refused": {
		"Vos factures sont chez notre prestataire de paiement, qui a refusé notre demande\u00a0: un réglage est à corriger de notre côté, et nous en sommes avertis.",
		"Your invoices are with our payment provider, which refused our request: a setting has to be corrected on our side, and we have been alerted.",
	},
	"bills.crowded": {
		"Trop de personnes consultent leurs factures en ce moment. Rechargez la page dans quelques secondes.",
		"Too many people are looking at their invoices right now. Reload the page in a few seconds.",
	},
	"bills.often": {
		"Vous avez consulté vos factures trop souvent en une heure. Elles reviendront ici plus tard.",
		"You have looked at your invoices too often within an hour. They will be back here later.",
	},
}
