package about

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var plansTexts = layout.Texts{
	"plans.key":   {"Obtenir une clé", "Get a key"},
	"plans.enter": {"Mon compte", "My account"},
	"plans.title": {"Tarifs", "Plans"},
	"plans.description": {
		"Cent requêtes par jour sans inscription, mille avec une adresse e-mail, sans limite avec Pro.",
		"A hundred requests a day without signing up, a thousand with an e-mail address, no limit with Pro.",
	},
	"plans.description.closed": {
		"Cent requêtes par jour sans inscription, mille avec un compte, sans limite avec Pro. Les inscriptions sont fermées.",
		"A hundred requests a day without signing up, a thousand with an account, no limit with Pro. Sign-up is closed.",
	},
	"plans.closed": {
		"Les inscriptions sont fermées\u00a0: l’exploitant du service crée les comptes.",
		"Sign-up is closed: the operator of the service creates accounts.",
	},
	"plans.closed.write-html": {
		`Pour en demander un, écrivez à <a href="mailto:%s">%s</a>.`, `To ask for one, write to <a href="mailto:%s">%s</a>.`,
	},
	"plans.closed.page-html": {
		`Pour en demander un, <a href="%s">écrivez-lui</a>.`, `To ask for one, <a href="%s">contact them</a>.`,
	},
	"plans.lede": {
		"Les mêmes données pour tout le monde. On paie le volume, jamais les données.",
		"The same data for everyone. You pay for volume, never for the data.",
	},
	"plans.trial":         {"Essai", "Trial"},
	"plans.trial.price":   {"0\u00a0€, sans inscription", "€0, no sign-up"},
	"plans.developer":     {"Développeur", "Developer"},
	"plans.dev.price":     {"0\u00a0€, avec une adresse e-mail", "€0, with an e-mail address"},
	"plans.dev.closed":    {"0\u00a0€, inscriptions fermées", "€0, sign-up closed"},
	"plans.pro":           {"Pro", "Pro"},
	"plans.pro.price":     {"99\u00a0€ HT par mois, plus TVA", "€99 a month, plus VAT"},
	"plans.requests":      {"Requêtes par jour", "Requests a day"},
	"plans.requests.ip":   {"%s par adresse IP", "%s per IP address"},
	"plans.unlimited":     {"sans limite", "no limit"},
	"plans.keys":          {"Clés", "Keys"},
	"plans.none":          {"aucune", "none"},
	"plans.embeddings":    {"Avis en extraits, pour la recherche sémantique", "Reviews in chunks, for semantic search"},
	"plans.tools":         {"%s outils", "%s tools"},
	"plans.webhooks":      {"Webhooks signés, rejouables pendant 30\u00a0jours", "Signed webhooks, replayable for 30 days"},
	"plans.target":        {"Objectif de disponibilité", "Availability target"},
	"plans.target.none":   {"aucun", "none"},
	"plans.support":       {"Assistance prioritaire par e-mail", "Priority support by e-mail"},
	"plans.yes":           {"oui", "yes"},
	"plans.no":            {"non", "no"},
	"plans.try":           {"Faire un premier appel", "Make your first call"},
	"plans.own":           {"Voir mon offre", "See my plan"},
	"plans.buy":           {"S’abonner à Pro", "Subscribe to Pro"},
	"plans.pay":           {"Passer à Pro", "Upgrading to Pro"},
	"plans.pay.where":     {"Vous vous abonnez depuis votre compte, page Offre\u00a0: 99\u00a0€ HT par mois. La page donne d’abord le prix TTC pour votre pays.", "You subscribe from your account, on the Plan page: €99 a month, excluding tax. The page first shows the total for your country."},
	"plans.pay.vat":       {"La TVA est celle de votre pays dans l’Union européenne\u202f; avec un numéro de TVA valable d’un autre pays que le nôtre, l’autoliquidation s’applique. Hors de l’Union, nous n’en facturons pas.", "Within the European Union you pay your country’s VAT; with a valid VAT number from a country other than ours, the reverse charge applies. Outside the Union we charge no VAT."},
	"plans.pay.cancel":    {"Vous le résiliez en ligne, en trois clics au plus, et il court jusqu’à la fin du mois payé.", "You cancel online, in three clicks at most, and it runs to the end of the paid month."},
	"plans.given":         {"On ne peut pas encore payer ici\u00a0: l’exploitant attribue l’offre Pro.", "You cannot pay here yet: the operator assigns the Pro plan."},
	"plans.detail":        {"Ce qui compte dans le quota", "How requests are counted"},
	"plans.detail.quota":  {"Une réponse 200 ou 404 compte pour une requête\u202f; une 304 ne compte pas. Le compteur repart de zéro à minuit, heure UTC.", "A 200 or a 404 counts as one request; a 304 does not. The counter resets at midnight UTC."},
	"plans.detail.cache":  {"Les réponses sans clé peuvent être mises en cache\u00a0: ce que sert un cache n’est décompté à personne.", "Responses without a key can be cached: what a cache serves counts against nobody."},
	"plans.detail.credit": {"Citer la source est la seule condition de réutilisation.", "Crediting the source is the only condition of reuse."},
}

// A plansBody is what the page of plans shows.
type plansBody struct {
	Plans   view.PlansTable
	Contact layout.Contact // who creates accounts where nobody can sign up
}

// Plans is the page of plans.
func Plans(v *view.View) (*view.Document, error) {
	body, description := plansBody{Plans: v.Plans()}, "plans.description"
	if v.Site.Closed {
		body.Contact, description = v.Operator().Contact, "plans.description.closed"
	}
	return &view.Document{
		Template: "plans", Section: address.Plans,
		Title: v.Text.Must("plans.title"), Description: v.Text.Must(description), Body: body, Keys: true,
	}, nil
}
