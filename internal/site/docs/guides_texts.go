package docs

import "github.com/palmares-hq/palmares/internal/layout"

var guidesTexts = layout.Texts{
	"guides.title": {"Documentation", "Documentation"},
	"guides.description": {
		"Appeler l’API\u00a0: premier appel, clés, quotas, erreurs, cache, avis en extraits, agents, webhooks, comptes. Chaque exemple est exécuté à chaque nouvelle version.",
		"How to call the API: first call, keys, quotas, errors, caching, reviews in chunks, agents, webhooks, accounts. Every sample is run for every release.",
	},
	"guides.group.reference": {"Référence", "Reference"},
	"guides.group.start":     {"Pour commencer", "Getting started"},
	"guides.group.call":      {"Appeler l’API", "Calling the API"},
	"guides.group.chunks":    {"Avis en extraits", "Reviews in chunks"},
	"guides.group.webhooks":  {"Webhooks", "Webhooks"},
	"guides.nav":             {"Guides", "Guides"},
	"guides.contents":        {"Sur cette page", "On this page"},
	"guides.around":          {"Guide précédent et suivant", "Previous and next guide"},
	"guides.previous":        {"Précédent", "Previous"},
	"guides.next":            {"Suivant", "Next"},
	"guides.source":          {"Cette page en Markdown", "This page as Markdown"},
	"guides.output":          {"Réponse", "Output"},
	"guides.signup":          {"Une adresse e-mail suffit.", "All you need is an e-mail address."},
	"guides.signup.closed": {
		"Les inscriptions sont fermées ici\u00a0: seules les adresses qui ont déjà un compte peuvent se connecter, et l’exploitant crée les comptes.",
		"Sign-up is closed here: only addresses that already have an account can sign in, and the operator creates accounts.",
	},
	"guides.signup.write": {"Pour en demander un\u00a0: %s.", "To ask for one: %s."},
	"guides.signup.preview": {
		"Cet aperçu n’a pas de comptes\u00a0: ses deux clés sont en haut de la page, et dans le terminal.",
		"This preview has no accounts: its two keys are at the top of the page, and in the terminal.",
	},
	"guides.openapi": {
		"La description OpenAPI (JSON)", "The OpenAPI description (JSON)",
	},
}
