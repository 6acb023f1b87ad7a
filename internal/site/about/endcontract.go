package about

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var endContractTexts = layout.Texts{
	"end-contract.title":       {"Résilier votre contrat", "Cancel your contract"},
	"end-contract.description": {"Résilier un abonnement Pro en ligne, à tout moment.", "Cancel a Pro subscription online, at any time."},
	"end-contract.lede": {
		"Un abonnement Pro se résilie en ligne, à tout moment, sans frais et sans motif.",
		"A Pro subscription is cancelled online, at any time, free of charge and without giving a reason.",
	},
	"end-contract.do":  {"Résilier l’abonnement", "Cancel the subscription"},
	"end-contract.how": {"Ce qui se passe", "What happens"},
	"end-contract.sign-in": {
		"Si vous n’êtes pas connecté, nous vous envoyons d’abord un lien par e-mail, sans mot de passe.",
		"If you are not signed in, we first e-mail you a link; there is no password.",
	},
	"end-contract.then": {
		"La page suivante donne le jour où Pro s’arrête et ce que deviennent vos clés et vos webhooks. Un bouton confirme, et un e-mail suit.",
		"The next page gives the day Pro ends and what becomes of your keys and webhooks. One button confirms it, and an e-mail follows.",
	},
	"end-contract.paid": {
		"Le mois payé court jusqu’à sa fin, et vous pouvez changer d’avis d’ici là. Si le dernier paiement a échoué, l’abonnement prend fin aussitôt et vous ne devez rien.",
		"The month you paid for runs to its end, and you can change your mind until then. If the last payment failed, the subscription ends at once and you owe nothing.",
	},
	"end-contract.write-html": {
		"Vous n’avez plus accès à l’adresse e-mail de votre compte\u202f? " + `Écrivez à <a href="mailto:%s">%s</a>.`,
		`No longer have access to your account’s e-mail address? Write to <a href="mailto:%s">%s</a>.`,
	},
	"end-contract.page-html": {
		"Vous n’avez plus accès à l’adresse e-mail de votre compte\u202f? " + `<a href="%s">Écrivez-nous</a>.`,
		`No longer have access to your account’s e-mail address? <a href="%s">Write to us</a>.`,
	},
}

// An endContractBody is what the page shows.
type endContractBody struct {
	Cancel  string // where it is confirmed
	Contact layout.Contact
}

// EndContract is the page on which whoever has a contract ends it, signed in or not: from the foot of any page
// it takes three clicks.
func EndContract(v *view.View) (*view.Document, error) {
	return &view.Document{
		Template: "end-contract", Title: v.Text.Must("end-contract.title"), Description: v.Text.Must("end-contract.description"),
		Body: endContractBody{Cancel: v.Path(address.PlanCancel), Contact: v.Operator().Contact},
	}, nil
}
