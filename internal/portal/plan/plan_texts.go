package plan

import "github.com/palmares-hq/palmares/internal/layout"

// Texts returns the texts of the pages of the plan and its payment.
func Texts() layout.Texts {
	return layout.Join(planTexts, buyTexts, orderTexts, detailsTexts, statementTexts, subscriptionTexts, cancelTexts, paymentTexts)
}

var planTexts = layout.Texts{
	"plan.title": {"Offre", "Plan"},
	"plan.lede.developer": {
		"Vous avez l’offre Développeur\u00a0: %s requêtes par jour et %s clés, gratuitement.",
		"You are on the Developer plan: %s requests a day and %s keys, free of charge.",
	},
	"plan.lede.pro": {
		"Vous avez l’offre Pro\u00a0: des requêtes sans limite, %s clés et %s webhooks.",
		"You are on the Pro plan: unlimited requests, %s keys and %s webhook endpoints.",
	},

	"plan.table":            {"Les offres", "Plans"},
	"plan.name.developer":   {"Développeur", "Developer"},
	"plan.name.pro":         {"Pro", "Pro"},
	"plan.price":            {"Prix", "Price"},
	"plan.price.developer":  {"0\u00a0€", "€0"},
	"plan.price.pro":        {"99\u00a0€ HT par mois", "€99 a month before VAT"},
	"plan.yours":            {"votre offre", "your plan"},
	"plan.requests":         {"Requêtes par jour", "Requests a day"},
	"plan.unlimited":        {"sans limite", "no limit"},
	"plan.keys":             {"Clés", "Keys"},
	"plan.embeddings":       {"Avis en extraits, pour la recherche sémantique", "Reviews in chunks, for semantic search"},
	"plan.embeddings.tools": {"%s outils", "%s tools"},
	"plan.webhooks":         {"Webhooks signés, rejouables 30\u00a0jours", "Signed webhooks, replayable for 30 days"},
	"plan.webhooks.none":    {"non", "no"},
	"plan.webhooks.up-to":   {"jusqu’à %s", "up to %s"},

	"plan.target":            {"Objectif de disponibilité", "Availability target"},
	"plan.target.none":       {"aucun", "none"},
	"plan.support":           {"Assistance prioritaire par e-mail", "Priority support by e-mail"},
	"plan.support.developer": {"non", "no"},
	"plan.support.pro":       {"oui", "yes"},

	"plan.change": {"Changer d’offre", "Changing plans"},
	"plan.change.developer": {
		"Pro n’est pas encore vendu en ligne\u00a0: écrivez-nous. Vos clés ne changent pas, et la nouvelle limite s’applique aussitôt.",
		"Pro is not sold online yet: write to us. Your keys stay the same, and the new limit applies at once.",
	},
	"plan.change.pro": {
		"L’exploitant du service vous a attribué l’offre Pro, et lui seul peut vous faire revenir à l’offre Développeur. Trois de vos clés resteraient actives, les autres se mettraient en sommeil, et vos webhooks seraient suspendus.",
		"The operator assigned your Pro plan, and only the operator can move you back to Developer. Three of your keys would stay active, the others would become dormant, and your webhooks would be suspended.",
	},
	"plan.write-html": {
		`Écrivez à <a href="mailto:%s">%s</a>, depuis l’adresse de votre compte.`,
		`Write to <a href="mailto:%s">%s</a>, from your account’s address.`,
	},
	"plan.write.page-html": {
		`<a href="%s">Écrivez à l’exploitant</a>, en donnant l’adresse de votre compte.`,
		`<a href="%s">Write to the operator</a>, and give your account’s address.`,
	},
	"plan.write.nobody": {
		"Ce service ne publie pas d’adresse\u00a0: contactez son exploitant par un autre moyen.",
		"This service publishes no address: contact its operator some other way.",
	},

	"plan.over.paused": {
		"Ce webhook est suspendu, faute d’offre Pro. Il reprendra dès le retour à Pro.|Ces %s webhooks sont suspendus, faute d’offre Pro. Ils reprendront dès le retour à Pro.",
		"This endpoint is suspended, because webhooks are part of the Pro plan. It resumes as soon as you are back on Pro.|These %s endpoints are suspended, because webhooks are part of the Pro plan. They resume as soon as you are back on Pro.",
	},
	"plan.over.paused.see": {"Voir les webhooks", "See the webhooks"},
	"plan.change.paid": {
		"Votre offre Pro vient d’un abonnement, mais ce service n’a plus de prestataire de paiement\u00a0: seul son exploitant peut la changer.",
		"Your Pro plan comes from a subscription, but this service no longer has a payment provider: only its operator can change it.",
	},
}
