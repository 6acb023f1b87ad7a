package plan

import "github.com/palmares-hq/palmares/internal/layout"

var detailsTexts = layout.Texts{
	"details.business": {"Votre entreprise", "Your business"},
	"details.name":     {"Nom ou raison sociale", "Business name"},
	"details.country":  {"Pays", "Country"},
	"details.number":   {"SIREN ou numéro de TVA", "VAT or company number"},
	"details.number.why": {
		"En France, le SIREN est obligatoire\u202f; un numéro de TVA français le contient. Ailleurs, laissez vide si vous n’avez pas de numéro.",
		"In France the SIREN is required; a French VAT number contains it. Elsewhere, leave this empty if you have no number.",
	},
	"details.unsold": {
		"Pro n’est pas vendu dans les territoires suivants\u00a0: %s. Notre prestataire de paiement n’y calcule pas la bonne taxe.",
		"Pro is not sold in %s. Our payment provider does not compute the right tax there.",
	},

	"details.address": {"Adresse de facturation", "Billing address"},
	"details.address.why": {
		"Elle figure sur vos factures, et la TVA en dépend.",
		"It is printed on your invoices, and VAT depends on it.",
	},
	"details.line":     {"Adresse", "Address"},
	"details.line2":    {"Complément d’adresse (facultatif)", "Address, second line (optional)"},
	"details.postcode": {"Code postal", "Postcode"},
	"details.city":     {"Ville", "Town or city"},
	"details.region":   {"Région, État ou province (facultatif)", "Region, state or province (optional)"},

	"details.invoices": {"Vos factures", "Your invoices"},
	"details.email":    {"Adresse e-mail pour les factures", "E-mail address for invoices"},
	"details.email.why": {
		"Nous y envoyons chaque facture payée et chaque avoir. Tout le reste arrive à l’adresse du compte.",
		"We send each paid invoice and each credit note there. Everything else goes to the account’s address.",
	},
	"details.reference": {"Votre numéro de bon de commande (facultatif)", "Your purchase order number (optional)"},
	"details.reference.why": {
		"Il figure sur chaque facture.",
		"It is printed on every invoice.",
	},

	"plan-details.title": {"Coordonnées de facturation", "Billing details"},
	"plan-details.lede": {
		"Vos prochaines factures porteront ces coordonnées. Celles que vous avez déjà reçues ne changent pas.",
		"Your next invoices will carry these details. Those you have already received do not change.",
	},
	"plan-details.save": {"Enregistrer", "Save"},
	"plan-details.edit": {"Modifier les coordonnées", "Change the billing details"},
	"done.plan-details": {
		"Vos coordonnées de facturation sont enregistrées. Elles figureront sur la prochaine facture.",
		"Your billing details are saved. They will be on the next invoice.",
	},

	"order.error.name":     {"Indiquez le nom de votre entreprise, en 150\u00a0caractères au plus.", "Enter the name of your business, in 150 characters at most."},
	"order.error.country":  {"Choisissez un pays dans la liste.", "Choose a country from the list."},
	"order.error.place":    {"Pro n’est pas vendu sur ce territoire\u00a0: %s.", "Pro is not sold in %s."},
	"order.error.postcode": {"Indiquez votre code postal\u00a0: dans ce pays, la TVA en dépend.", "Enter your postcode: VAT depends on it in that country."},
	"order.error.number": {
		"Ce n’est ni un SIREN ni un numéro de TVA de ce pays. Corrigez-le, ou laissez le champ vide hors de France.",
		"This is neither a company number nor a VAT number of that country. Correct it or, outside France, leave it empty.",
	},
	"order.error.siren": {
		"Indiquez votre SIREN, ou votre numéro de TVA\u00a0: la loi le demande sur les factures entre entreprises françaises.",
		"Enter your SIREN or your VAT number: French law requires it on invoices between French businesses.",
	},
	"order.error.address": {"Indiquez votre adresse, en 200\u00a0caractères au plus par ligne.", "Enter your address, in 200 characters a line at most."},
	"order.error.city":    {"Indiquez votre ville, en 100\u00a0caractères au plus.", "Enter your town or city, in 100 characters at most."},
	"order.error.location": {
		"Notre prestataire de paiement ne reconnaît pas cette adresse. Vérifiez le pays, le code postal et la région.",
		"Our payment provider does not recognise this address. Check the country, the postcode and the region.",
	},
	"order.error.email":     {"Ce n’est pas une adresse e-mail. Corrigez-la, ou laissez le champ vide pour celle du compte.", "This is not an e-mail address. Correct it, or leave it empty to use the account’s."},
	"order.error.reference": {"Ce numéro est trop long\u00a0: 100\u00a0caractères au plus.", "This number is too long: 100 characters at most."},
}
