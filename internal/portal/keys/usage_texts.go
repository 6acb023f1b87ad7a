package keys

import "github.com/palmares-hq/palmares/internal/layout"

var usageTexts = layout.Texts{
	"usage.title": {"Utilisation", "Usage"},

	"usage.today":     {"Aujourd’hui", "Today"},
	"usage.gauge":     {"%s\u00a0%% du quota", "%s%% of the quota"},
	"usage.left":      {"%s requête restante|%s requêtes restantes", "%s request left|%s requests left"},
	"usage.full":      {"quota atteint\u00a0: l’API répond 429 jusque-là", "limit reached: the API answers 429 until then"},
	"usage.reset":     {"remise à zéro à 00:00\u00a0UTC, dans %s", "starts over at 00:00\u00a0UTC, in %s"},
	"usage.mailed":    {"e-mail à 80\u00a0%", "mail at 80%"},
	"usage.unlimited": {"requête aujourd’hui, sans limite|requêtes aujourd’hui, sans limite", "request today, without a limit|requests today, without a limit"},
	"usage.hours":     {"%s\u00a0h\u00a0%02d", "%s\u00a0h\u00a0%02d\u00a0min"},
	"usage.minutes":   {"%s\u00a0min", "%s\u00a0min"},
	"usage.soon":      {"moins d’une minute", "less than a minute"},

	"usage.missing.heading": {"Pas de chiffres pour l’instant", "No figures at the moment"},
	"usage.missing.down": {
		"Les compteurs ne répondent pas\u00a0: ni la journée ni les trente jours ne peuvent être affichés. Vos clés fonctionnent\u202f; rechargez la page dans un instant.",
		"The counters do not answer: neither today nor the thirty days can be shown. Your keys work; reload the page in a moment.",
	},
	"usage.missing.uncounted": {
		"Ce service n’a pas de compteur partagé\u00a0: il ne garde pas ce que chaque compte utilise. Vos clés fonctionnent.",
		"This service has no shared counter: it does not keep what each account uses. Your keys work.",
	},
	"usage.missing.limit": {
		"Votre offre\u00a0: %s requête par jour|Votre offre\u00a0: %s requêtes par jour",
		"Your plan: %s request a day|Your plan: %s requests a day",
	},

	"usage.month": {"Trente jours", "Thirty days"},
	"usage.none": {
		"Aucune requête pour l’instant. Le premier appel s’affiche ici quelques secondes plus tard.",
		"No request so far. The first call shows here a few seconds later.",
	},
	"usage.csv":           {"Télécharger en CSV", "Download as CSV"},
	"usage.file":          {"utilisation-%s.csv", "usage-%s.csv"},
	"usage.chart":         {"Requêtes par jour, du %s au %s\u00a0: %s en tout", "Requests a day, from %s to %s: %s in all"},
	"usage.chart.never":   {"\u202f; quota de %s jamais atteint", "; the limit of %s was never reached"},
	"usage.chart.reached": {"\u202f; quota atteint %s jour|\u202f; quota atteint %s jours", "; limit reached on %s day|; limit reached on %s days"},
	"usage.tip":           {"%s\u00a0: %s", "%s: %s"},
	"usage.total":         {"requête|requêtes", "request|requests"},
	"usage.mean":          {"par jour en moyenne", "a day on average"},
	"usage.at":            {"quota atteint %s", "limit reached on %s"},
	"usage.at.many":       {"quota atteint %s jours, le dernier le %s", "limit reached on %s days, last on %s"},
	"usage.the":           {"le %s", "%s"},
	"usage.and":           {" et ", " and "},
	"usage.table":         {"Les mêmes chiffres en tableau", "The same figures as a table"},
	"usage.day":           {"Jour", "Day"},
	"usage.requests":      {"Requêtes", "Requests"},
	"usage.limit":         {"Quota", "Limit"},
	"usage.limit.reached": {"atteint", "reached"},

	"usage.hint": {
		"Un jour à la limite en trente jours.|%s jours à la limite en trente jours.",
		"One day at the limit in thirty days.|%s days at the limit in thirty days.",
	},
	"usage.hint.etag-html": {
		"Une réponse 304 ne compte pas\u00a0: renvoyez l’<code>ETag</code> dans <code>If-None-Match</code> et vos relectures deviennent gratuites. Sinon, Pro n’a pas de limite.",
		"A 304 does not count: send the <code>ETag</code> back in <code>If-None-Match</code>, and reading again is free. Or else, Pro has no limit.",
	},
	"usage.hint.pro": {"Voir Pro", "See Pro"},

	"usage.keys":         {"Par clé", "By key"},
	"usage.keys.manage":  {"Gérer les clés", "Manage keys"},
	"usage.keys.none":    {"Pas encore de clé.", "No key yet."},
	"usage.keys.create":  {"Créer une clé", "Create a key"},
	"usage.keys.name":    {"Nom", "Name"},
	"usage.keys.last":    {"Dernier appel", "Last call"},
	"usage.keys.never":   {"jamais", "never"},
	"usage.keys.revoked": {"révoquée le %s", "revoked on %s"},
	"usage.keys.unknown": {"Clé inconnue", "Unknown key"},

	"usage.mail":       {"Prévenez-moi", "Tell me"},
	"usage.mail.label": {"par e-mail, à 80\u00a0% du quota et quand il est atteint", "by mail, at 80% of the quota and when it is reached"},
	"usage.mail.often": {"Un e-mail par jour au plus pour chaque seuil.", "One mail a day at most for each threshold."},
	"usage.mail.save":  {"Enregistrer", "Save"},
	"usage.mail.none":  {"Ce service n’envoie pas d’e-mail.", "This service sends no mail."},

	"done.usage-mail-on":  {"Vous serez prévenu à 80\u00a0% et à 100\u00a0% du quota.", "You will be told at 80% and at 100% of the quota."},
	"done.usage-mail-off": {"Plus aucun e-mail ne partira au sujet du quota.", "No more mail about the quota will be sent."},
}
