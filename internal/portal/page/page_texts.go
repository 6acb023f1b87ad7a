package page

import "github.com/palmares-hq/palmares/internal/layout"

// Texts returns the texts around every account page: the frame, times and errors.
func Texts() layout.Texts { return layout.Join(frameTexts, timeTexts, errorTexts) }

// frameTexts are the texts of the frame of account pages.
var frameTexts = layout.Texts{
	"portal.account":      {"Compte", "Account"},
	"portal.sign-out":     {"Se déconnecter", "Sign out"},
	"portal.field-errors": {"Une erreur à corriger\u00a0:|%s erreurs à corriger\u00a0:", "One problem to fix:|%s problems to fix:"},
	"portal.cancel":       {"Annuler", "Cancel"},
	"portal.error-title":  {"Erreur\u00a0: %s", "Error: %s"},
	"portal.index":        {"Sur cette page", "On this page"},
	"portal.usage":        {"Consommation", "Usage"},
	"portal.keys":         {"Clés", "Keys"},
	"portal.webhooks":     {"Webhooks", "Webhooks"},
	"portal.list":         {"Liste", "List"},
	"portal.plan":         {"Offre", "Plan"},
	"portal.settings":     {"Compte", "Account"},

	"plan.developer": {"Offre Développeur", "Developer plan"},
	"plan.pro":       {"Offre Pro", "Pro plan"},

	"done.signed-out": {"Votre session est fermée.", "You are signed out."},
}

// timeTexts say how long something took, and when it was.
var timeTexts = layout.Texts{
	"span.now":     {"à l’instant", "just now"},
	"span.ago":     {"il y a %s", "%s ago"},
	"span.moment":  {"quelques secondes", "a few seconds"},
	"span.minutes": {"%s\u00a0min", "%s min"},
	"span.hours":   {"%s\u00a0h", "%s h"},
	"span.days":    {"%s\u00a0jours", "%s days"},

	"time.at": {"%s à\u00a0%s\u00a0UTC", "%s, %s\u00a0UTC"},

	"used.never":     {"jamais", "never"},
	"used.today":     {"aujourd’hui", "today"},
	"used.yesterday": {"hier", "yesterday"},
}

// errorTexts are the texts of error pages.
var errorTexts = layout.Texts{
	"error.403": {"Ce formulaire n’est plus valable", "This form is no longer valid"},
	"error.403.sentence": {
		"Revenez à la page précédente, rechargez-la et recommencez. Rien n’a été fait.",
		"Go back, reload the page and try again. Nothing was done.",
	},
	"error.429": {"Trop de demandes", "Too many requests"},
	"error.429.sentence": {
		"Trop d’e-mails ont été demandés depuis votre réseau. Réessayez dans une heure.",
		"Too many e-mails were requested from your network. Try again in an hour.",
	},
	"error.408": {"Le formulaire n’est pas arrivé", "The form did not arrive"},
	"error.408.sentence": {
		"Il a mis trop longtemps à nous parvenir, et rien n’a été fait. Revenez à la page précédente et renvoyez-le.",
		"It took too long to reach us, and nothing was done. Go back and send it again.",
	},
	"error.500.account": {"Cette page a échoué", "This page failed"},
	"error.500.account.sentence": {
		"L’erreur est de notre côté, et elle est enregistrée. Le catalogue et l’API fonctionnent\u202f; si elle se répète, écrivez-nous.",
		"Something broke on our side, and it has been logged. The catalogue and the API work; if it happens again, write to us.",
	},
	"error.503.crowd": {"Trop de demandes à la fois", "Too many requests at once"},
	"error.503.crowd.sentence": {
		"Rien n’a été fait. Rechargez la page dans quelques secondes.",
		"Nothing was done. Reload the page in a few seconds.",
	},
	"error.503.account": {"Les comptes sont indisponibles", "Accounts are unavailable"},
	"error.503.account.sentence": {
		"Notre base de données ne répond pas. Le catalogue et l’API fonctionnent\u202f; réessayez dans un instant.",
		"Our database is not responding. The catalogue and the API work; try again in a moment.",
	},

	"limit.forms": {
		"Cette session a envoyé %s\u00a0formulaires en une heure. Elle peut de nouveau en envoyer à partir du %s. Rien n’a été fait.",
		"This session has sent %s forms within an hour. It can send the next one from %s. Nothing was done.",
	},
}
