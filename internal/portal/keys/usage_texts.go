package keys

import "github.com/palmares-hq/palmares/internal/layout"

var usageTexts = layout.Texts{
	"usage.title": {"Consommation", "Usage"},

	"usage.today":     {"Aujourd’hui", "Today"},
	"usage.gauge":     {"%s\u00a0%% du quota", "%s%% of the quota"},
	"usage.left":      {"%s requête restante|%s requêtes restantes", "%s request left|%s requests left"},
	"usage.full":      {"quota atteint\u00a0: l’API répond 429 jusque-là", "quota reached: the API answers 429 until then"},
	"usage.reset":     {"remise à zéro à 0\u00a0h\u00a0UTC, dans %s", "resets at 00:00\u00a0UTC, in %s"},
	"usage.mailed":    {"e-mail à 80\u00a0%", "e-mail at 80%"},
	"usage.unlimited": {"requête aujourd’hui, sans limite|requêtes aujourd’hui, sans limite", "request today, no limit|requests today, no limit"},
	"usage.hours":     {"%s\u00a0h\u00a0%02d", "%s\u00a0h\u00a0%02d\u00a0min"},
	"usage.minutes":   {"%s\u00a0min", "%s\u00a0min"},
	"usage.soon":      {"moins d’une minute", "less than a minute"},

	"usage.missing.heading": {"Pas de chiffres pour l’instant", "No figures at the moment"},
	"usage.missing.down": {
		"Les compteurs ne répondent pas\u00a0: ni la journée ni les trente jours ne peuvent être affichés. Vos clés fonctionnent\u202f; rechargez la page dans un instant.",
		"The counters are not responding: neither today nor the thirty days can be shown. Your keys work; reload the page in a moment.",
	},
	"usage.missing.uncounted": {
		"Ce service n’a pas de compteur partagé\u00a0: il n’enregistre pas la consommation des comptes. Vos clés fonctionnent.",
		"This service has no shared counter: it does not record what accounts use. Your keys work.",
	},
	"usage.missing.limit": {
		"Votre offre\u00a0: %s requête par jour|Votre offre\u00a0: %s requêtes par jour",
		"Your plan: %s request a day|Your plan: %s requests a day",
	},

	"usage.month": {"Trente jours", "Thirty days"},
	"usage.none": {
		"Aucune requête pour l’instant. Le premier appel s’affiche ici quelques secondes plus tard.",
		"No requests yet. Your first call appears here within seconds.",
	},
	"usage.csv":           {"Télécharger en CSV", "Download as CSV"},
	"usage.file":          {"consommation-%s.csv", "usage-%s.csv"},
	"usage.chart":         {"Requêtes par jour, du %s au %s\u00a0: %s en tout", "Requests a day, from %s to %s: %s in all"},
	"usage.chart.never":   {"\u202f; quota de %s jamais atteint", "; quota of %s never reached"},
	"usage.chart.reached": {"\u202f; quota atteint %s\u00a0jour|\u202f; quota atteint %s\u00a0jours", "; quota reached on %s day|; quota reached on %s days"},
	"usage.tip":           {"%s\u00a0: %s", "%s: %s"},
	"usage.total":         {"requête|requêtes", "request|requests"},
	"usage.mean":          {"par jour en moyenne", "a day on average"},
	"usage.at":            {"quota atteint %s", "quota reached on %s"},
	"usage.at.many":       {"quota atteint %s\u00a0jours, le dernier le %s", "quota reached on %s days, last on %s"},
	"usage.the":           {"le %s", "%s"},
	"usage.and":           {" et ", " and "},
	"usage.table":         {"Les mêmes chiffres en tableau", "The same figures as a table"},
	"usage.day":           {"Jour", "Day"},
	"usage.requests":      {"Requêtes", "Requests"},
	"usage.limit":         {"Quota", "Quota"},
	"usage.limit.reached": {"atteint", "reached"},

	"usage.hint": {
		"Quota atteint un jour sur les trente derniers.|Quota atteint %s\u00a0jours sur les trente derniers.",
		"Quota reached on one of the last thirty days.|Quota reached on %s of the last thirty days.",
	},
	"usage.hint.etag-html": {
		"Une réponse 304 ne compte pas\u00a0: renvoyez l’<code>ETag</code> dans <code>If-None-Match</code> et vos relectures deviennent gratuites. Sinon, l’offre Pro est sans limite.",
		"A 304 does not count: send the <code>ETag</code> back in <code>If-None-Match</code>, and reading again is free. Or go Pro: no limit.",
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
	"usage.keys.others":  {"Les autres clés", "Other keys"},
	"usage.keys.unknown": {"Clé inconnue", "Unknown key"},

	"usage.mail":       {"Alertes", "Alerts"},
	"usage.mail.label": {"par e-mail, à 80\u00a0% du quota et quand il est atteint", "by e-mail, at 80% of the quota and when it is reached"},
	"usage.mail.often": {"Un e-mail par jour au plus pour chaque seuil.", "At most one e-mail a day for each threshold."},
	"usage.mail.save":  {"Enregistrer", "Save"},
	"usage.mail.none":  {"Ce service n’envoie pas d’e-mail.", "This service sends no e-mail."},

	"done.usage-mail-on":  {"Vous recevrez un e-mail à 80\u00a0% et à 100\u00a0% du quota.", "You will get an e-mail at 80% and at 100% of the quota."},
	"done.usage-mail-off": {"Vous ne recevrez plus d’e-mails au sujet du quota.", "You will get no more e-mails about the quota."},
}
