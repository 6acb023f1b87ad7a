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
	"plans.trial":                {"Essai", "Trial"},
	"plans.trial.price":          {"0\u00a0€, sans inscription", "€0, no sign-up"},
	"plans.developer":            {"Développeur", "Developer"},
	"plans.dev.price":            {"0\u00a0€, avec une adresse e-mail", "€0, with an e-mail address"},
	"plans.dev.closed":           {"0\u00a0€, inscriptions fermées", "€0, sign-up closed"},
	"plans.pro":                  {"Pro", "Pro"},
	"plans.pro.price":            {"99\u00a0€ HT par mois", "€99 a month before VAT"},
	"plans.requests":             {"Requêtes par jour", "Requests a day"},
	"plans.requests.ip":          {"%s par adresse IP", "%s per IP address"},
	"plans.unlimited":            {"sans limite", "no limit"},
	"plans.keys":                 {"Clés", "Keys"},
	"plans.none":                 {"aucune", "none"},
	"plans.embeddings":           {"Avis en extraits, pour la recherche sémantique", "Reviews in chunks, for semantic search"},
	"plans.tools":                {"%s outils", "%s tools"},
	"plans.webhooks":             {"Webhooks signés, rejouables pendant 30\u00a0jours", "Signed webhooks, replayable for 30 days"},
	"plans.target":               {"Objectif de disponibilité", "Availability target"},
	"plans.target.none":          {"aucun", "none"},
	"plans.support":              {"Assistance prioritaire par e-mail", "Priority support by e-mail"},
	"plans.yes":                  {"oui", "yes"},
	"plans.no":                   {"non", "no"},
	"plans.try":                  {"Faire un premier appel", "Make your first call"},
	"plans.own":                  {"Voir mon offre", "See my plan"},
	"plans.buy":                  {"S’abonner à Pro", "Subscribe to Pro"},
	"plans.pay":                  {"Passer à Pro", "Upgrading to Pro"},
	"plans.pay.where":            {"Vous vous abonnez depuis votre compte, page Offre\u00a0: 99\u00a0€ HT par mois. La page donne d’abord le prix TTC pour votre pays.", "You subscribe from your account, on the Plan page: €99 a month, excluding tax. The page first shows the total for your country."},
	"plans.pay.vat.standard":     {"La TVA est celle de votre pays dans l’Union européenne\u202f; avec un numéro de TVA valable d’un autre pays que le nôtre, l’autoliquidation s’applique. Hors de l’Union, nous n’en facturons pas.", "Within the European Union you pay your country’s VAT; with a valid VAT number from a country other than ours, the reverse charge applies. Outside the Union we charge no VAT."},
	"plans.pay.vat.small_seller": {"La TVA est la nôtre dans toute l’Union européenne\u202f; avec un numéro de TVA valable d’un autre pays, l’autoliquidation s’applique. Hors de l’Union, nous n’en facturons pas.", "Throughout the European Union you pay our country’s VAT; with a valid VAT number from another country, the reverse charge applies. Outside the Union we charge no VAT."},
	"plans.pay.vat.franchise":    {"TVA non applicable, art. 293\u00a0B du CGI. Avec un numéro de TVA d’un autre pays de l’Union européenne, l’autoliquidation s’applique.", "We are exempt from VAT (article 293 B of the French tax code) and charge none. With a VAT number from another country of the European Union, the reverse charge applies."},
	"plans.pay.cancel":           {"Vous le résiliez en ligne, en trois clics au plus, et il court jusqu’à la fin du mois payé.", "You cancel online, in three clicks at most, and it runs to the end of the paid month."},
	"plans.given":                {"Pro n’est pas encore vendu en ligne\u00a0: écrivez-nous.", "Pro is not sold online yet: write to us."},
	"plans.detail":               {"Ce qui compte dans le quota", "How requests are counted"},
	"plans.detail.quota":         {"Une réponse 200 ou 404 compte pour une requête\u202f; une 304 ne compte pas. Le compteur repart de zéro à minuit, heure UTC.", "A 200 or a 404 counts as one request; a 304 does not. The counter resets at midnight UTC."},
	"plans.detail.cache":         {"Les réponses sans clé peuvent être mises en cache\u00a0: ce que sert un cache n’est décompté à personne.", "Responses without a key can be cached: what a cache serves counts against nobody."},
	"plans.detail.credit":        {"Citer la source est la seule condition de réutilisation.", "Crediting the source is the only condition of reuse."},
}

// A plansBody is the data of the page of plans.
type plansBody struct {
	Plans   view.PlansTable
	Contact layout.Contact // of the operator, if only the operator creates accounts
}

// Plans returns the page of plans.
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

// An endContractBody is the data of the page that EndContract returns.
type endContractBody struct {
	Cancel  string // the path of the confirmation
	Contact layout.Contact
}

// EndContract returns the page on which customers cancel their contract, signed in or not: three clicks from the foot
// of any page.
func EndContract(v *view.View) (*view.Document, error) {
	return &view.Document{
		Template: "end-contract", Title: v.Text.Must("end-contract.title"), Description: v.Text.Must("end-contract.description"),
		Body: endContractBody{Cancel: v.Path(address.PlanCancel), Contact: v.Operator().Contact},
	}, nil
}
