package plan

import "github.com/palmares-hq/palmares/internal/layout"

var orderTexts = layout.Texts{
	"plan-order.title": {"Commander Pro", "Order Pro"},
	"order.lede": {
		"L’offre Pro est réservée aux professionnels. Vous voyez le total avant de commander, et vous ne devez rien d’ici là.",
		"The Pro plan is sold to businesses. You see the total before you order, and owe nothing until then.",
	},
	"order.total":       {"Voir le total", "See the total"},
	"order.what":        {"Votre commande", "Your order"},
	"order.plan.pro":    {"L’offre Pro\u00a0: requêtes sans limite, %s clés, %s webhooks.", "The Pro plan: unlimited requests, %s keys, %s webhook endpoints."},
	"order.period.says": {"Durée indéterminée, par périodes d’un mois. Chaque mois se paie d’avance, le même jour, par la carte que vous donnez.", "An indefinite term, in periods of a month. Each month is paid in advance, on the same day, by the card you give."},
	"order.end.says":    {"Vous résiliez en ligne quand vous voulez, en trois clics au plus. L’offre court jusqu’à la fin du mois payé.", "Cancel online whenever you like, in three clicks at most. The plan runs to the end of the month you paid for."},

	"order.box.business": {
		"Je commande pour les besoins de mon activité professionnelle.",
		"I am ordering for the purposes of my trade, business or profession.",
	},
	"order.box.accept-html": {
		`J’ai lu les <a href="%s" target="_blank" rel="noopener">conditions</a> et je les accepte.`,
		`I have read the <a href="%s" target="_blank" rel="noopener">terms</a> and accept them.`,
	},
	"order.box.french": {"Les conditions sont en français.", "The terms are in French."},
	"order.do":         {"Commander avec obligation de paiement", "Order with obligation to pay"},
	"order.back":       {"Revenir à mon offre", "Back to my plan"},
	"order.resume":     {"Reprendre le paiement", "Continue to payment"},

	"order.error.total": {
		"Le total n’est pas celui que vous aviez sous les yeux. Vérifiez-le, puis commandez de nouveau.",
		"The total is not the one you were shown. Check it, then order again.",
	},
	"order.error.business": {
		"Cochez cette case\u00a0: nous ne vendons qu’aux professionnels.",
		"Tick this box: we sell to businesses only.",
	},
	"order.error.accepted": {
		"Cochez cette case\u00a0: sans votre accord sur les conditions, il n’y a pas de commande.",
		"Tick this box: there is no order unless you accept the terms.",
	},
	"order.error.terms": {
		"Les conditions ont changé depuis que vous avez ouvert cette page. Relisez-les, puis commandez de nouveau.",
		"The terms have changed since you opened this page. Read them again, then order again.",
	},
	"order.error.form": {
		"Ce formulaire n’est plus valable. Vérifiez-le, puis commandez de nouveau.",
		"This form is no longer valid. Check it, then order again.",
	},

	"order.problem.again": {
		"Cette commande est déjà enregistrée\u00a0: elle n’a pas été passée une seconde fois, et rien de plus n’est dû.",
		"This order has already been placed: it was not placed a second time, and nothing more is due.",
	},
	"order.problem.open": {
		"Une commande de ce compte attend déjà son paiement. Celle-ci n’a pas été passée.",
		"An order of this account already awaits payment. This one was not placed.",
	},
	"order.problem.none": {
		"Aucune commande n’attend de paiement. Passez d’abord commande.",
		"No order awaits payment. Place an order first.",
	},
	"pay.problem.texts": {
		"Pro n’est pas en vente en ce moment\u00a0: les conditions ou les mentions légales de ce service ne sont pas encore publiées.",
		"Pro is not on sale at the moment: this service’s terms or legal notice are not published yet.",
	},
}
