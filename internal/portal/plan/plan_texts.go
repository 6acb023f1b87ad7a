package plan

import "github.com/palmares-hq/palmares/internal/layout"

// Texts are those of the plan, and of how it is paid for.
func Texts() layout.Texts {
	return layout.Join(planTexts, countryTexts, buyTexts, subscriptionTexts, cancelTexts, paymentTexts)
}

var planTexts = layout.Texts{
	"plan.title": {"Offre", "Plan"},
	"plan.lede.developer": {
		"Vous avez l’offre Développeur\u00a0: %s requêtes par jour et %s clés, gratuitement.",
		"You are on the Developer plan: %s requests a day and %s keys, free of charge.",
	},
	"plan.lede.pro": {
		"Vous avez l’offre Pro\u00a0: des requêtes sans limite, %s clés et %s webhooks.",
		"You are on the Pro plan: requests without a limit, %s keys and %s webhook endpoints.",
	},

	"plan.table":            {"Les offres", "Plans"},
	"plan.name.developer":   {"Développeur", "Developer"},
	"plan.name.pro":         {"Pro", "Pro"},
	"plan.price":            {"Prix", "Price"},
	"plan.price.developer":  {"0\u00a0€", "€0"},
	"plan.price.pro":        {"99\u00a0€ HT par mois, plus TVA", "€99 a month, plus VAT"},
	"plan.yours":            {"votre offre", "your plan"},
	"plan.requests":         {"Requêtes par jour", "Requests a day"},
	"plan.unlimited":        {"sans limite", "no limit"},
	"plan.keys":             {"Clés", "Keys"},
	"plan.embeddings":       {"Avis en morceaux (embeddings)", "Reviews in chunks (embeddings)"},
	"plan.embeddings.tools": {"%s outils", "%s tools"},
	"plan.webhooks":         {"Webhooks signés, rejouables 30\u00a0jours", "Signed webhooks, replayable for 30 days"},
	"plan.webhooks.none":    {"non", "no"},
	"plan.webhooks.up-to":   {"jusqu’à %s", "up to %s"},

	"plan.target":            {"Objectif de disponibilité", "Availability target"},
	"plan.target.developer":  {"aucun", "none"},
	"plan.target.pro":        {"99\u00a0%", "99%"},
	"plan.support":           {"Assistance prioritaire par e-mail", "Priority support by e-mail"},
	"plan.support.developer": {"non", "no"},
	"plan.support.pro":       {"oui", "yes"},

	"plan.change": {"Changer d’offre", "Changing plans"},
	"plan.change.developer": {
		"On ne peut pas encore payer ici\u00a0: c’est l’exploitant du service qui donne l’offre Pro. Vos clés ne changent pas, et la nouvelle limite vaut aussitôt.",
		"You cannot pay here yet: it is the operator of the service who sets the Pro plan. Your keys stay the same, and the new limit applies at once.",
	},
	"plan.change.pro": {
		"C’est l’exploitant du service qui vous a donné l’offre Pro, et qui peut vous rendre l’offre Développeur. Trois de vos clés resteraient actives, les autres se mettraient en sommeil, et vos webhooks seraient suspendus.",
		"It was the operator of the service who set the Pro plan, and who can move you back to Developer. Three of your keys would stay active, the others would go to sleep, and your webhooks would be paused.",
	},
	"plan.write-html": {
		`Écrivez à <a href="mailto:%s">%s</a>, depuis l’adresse de votre compte.`,
		`Write to <a href="mailto:%s">%s</a>, from the address of your account.`,
	},
	"plan.write.page-html": {
		`<a href="%s">Écrivez à l’exploitant</a>, en donnant l’adresse de votre compte.`,
		`<a href="%s">Write to the operator</a>, and give the address of your account.`,
	},
	"plan.write.nobody": {
		"Ce service ne publie pas d’adresse\u00a0: demandez à la personne qui vous l’a fait connaître.",
		"This service has not published an address: ask whoever told you about it.",
	},

	"plan.over.paused": {
		"Ce webhook est suspendu, faute d’offre Pro. Il reprendra de lui-même avec elle.|Ces %s webhooks sont suspendus, faute d’offre Pro. Ils reprendront d’eux-mêmes avec elle.",
		"This endpoint is paused, because webhooks are part of the Pro plan. It resumes by itself with it.|These %s endpoints are paused, because webhooks are part of the Pro plan. They resume by themselves with it.",
	},
	"plan.over.paused.see": {"Voir les webhooks", "See the webhooks"},
	"plan.change.paid": {
		"Votre offre Pro vient d’un abonnement, mais ce service n’a plus de prestataire de paiement\u00a0: seul son exploitant peut la changer.",
		"Your Pro plan comes from a subscription, but this service has no payment provider any more: only its operator can change it.",
	},
}
