package portal

import "github.com/palmares-hq/palmares/internal/layout"

// portalTexts are those of the frame of account pages.
var portalTexts = layout.Texts{
	"portal.account":  {"Compte", "Account"},
	"portal.sign-out": {"Se déconnecter", "Sign out"},
	"portal.faults":   {"Une chose à corriger\u00a0:|%s choses à corriger\u00a0:", "One thing to mend:|%s things to mend:"},
	"portal.usage":    {"Utilisation", "Usage"},
	"portal.keys":     {"Clés", "Keys"},
	"portal.webhooks": {"Webhooks", "Webhooks"},
	"portal.plan":     {"Offre", "Plan"},
	"portal.settings": {"Compte", "Account"},

	"plan.developer": {"Offre Développeur", "Developer plan"},
	"plan.pro":       {"Offre Pro", "Pro plan"},

	"done.signed-out": {"Vous êtes déconnecté.", "You are signed out."},

	"error.403": {"Ce formulaire ne vient pas d’ici", "This form is not ours"},
	"error.403.sentence": {
		"Revenez à la page précédente, rechargez-la et recommencez. Rien n’a été fait.",
		"Go back, reload the page and try again. Nothing was done.",
	},
	"error.429": {"Trop de demandes", "Too many requests"},
	"error.429.sentence": {
		"Trop d’e-mails ont été demandés depuis votre réseau. Réessayez dans une heure.",
		"Too many mails were asked for from your network. Try again in an hour.",
	},
	"error.408": {"Le formulaire n’est pas arrivé", "The form did not arrive"},
	"error.408.sentence": {
		"Il a mis trop longtemps à nous parvenir, et rien n’a été fait. Revenez à la page précédente et renvoyez-le.",
		"It took too long to reach us, and nothing was done. Go back and send it again.",
	},
	"error.500.account": {"Cette page a échoué", "This page failed"},
	"error.500.account.sentence": {
		"L’erreur est de notre côté, et elle est notée. Le catalogue et l’API fonctionnent\u00a0; si elle se répète, écrivez-nous.",
		"The fault is ours, and it was noted. The catalog and the API work; if it happens again, write to us.",
	},
	"error.503.crowd": {"Trop de demandes à la fois", "Too many requests at once"},
	"error.503.crowd.sentence": {
		"Rien n’a été fait. Rechargez la page dans quelques secondes.",
		"Nothing was done. Reload the page in a few seconds.",
	},
	"error.503.account": {"Les comptes sont indisponibles", "Accounts are not available"},
	"error.503.account.sentence": {
		"Notre base de données ne répond pas. Le catalogue et l’API fonctionnent\u00a0; cette page revient d’elle-même, réessayez dans un instant.",
		"Our database does not answer. The catalog and the API work; this page comes back by itself, try again in a moment.",
	},
}
