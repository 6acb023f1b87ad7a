package site

import (
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

var plansTexts = texts{
	"plans.key":   {"Obtenir une clé", "Get a key"},
	"plans.title": {"Tarifs", "Plans"},
	"plans.description": {
		"Cent requêtes par jour sans inscription, mille avec une adresse e-mail, sans limite avec Pro.",
		"A hundred requests a day without signing up, a thousand with an e-mail address, no limit with Pro.",
	},
	"plans.lede": {
		"Les mêmes données pour tout le monde. On paie le débit, jamais la réponse.",
		"The same data for everybody. You pay for volume, never for the answer.",
	},
	"plans.trial":         {"Essai", "Trial"},
	"plans.trial.price":   {"0\u00a0€, sans inscription", "€0, no sign-up"},
	"plans.developer":     {"Développeur", "Developer"},
	"plans.dev.price":     {"0\u00a0€, une adresse e-mail", "€0, an e-mail address"},
	"plans.pro":           {"Pro", "Pro"},
	"plans.pro.price":     {"99\u00a0€ HT par mois, plus TVA", "€99 a month, plus VAT"},
	"plans.requests":      {"Requêtes par jour", "Requests a day"},
	"plans.requests.ip":   {"%s par adresse IP", "%s per IP address"},
	"plans.unlimited":     {"sans limite", "no limit"},
	"plans.keys":          {"Clés", "Keys"},
	"plans.none":          {"aucune", "none"},
	"plans.embeddings":    {"Avis en morceaux (embeddings)", "Reviews in chunks (embeddings)"},
	"plans.tools":         {"%s outils", "%s tools"},
	"plans.webhooks":      {"Webhooks signés, rejouables 30 jours", "Signed webhooks, replayable for 30 days"},
	"plans.yes":           {"oui", "yes"},
	"plans.no":            {"non", "no"},
	"plans.try":           {"Faire un premier appel", "Make a first call"},
	"plans.own":           {"Voir mon offre", "See my plan"},
	"plans.detail":        {"Comment on compte", "How requests are counted"},
	"plans.detail.quota":  {"Une réponse 200 ou 404 compte pour une requête\u00a0; une 304 ne compte pas. Le compteur repart à minuit, temps universel.", "A 200 or a 404 counts as one request; a 304 does not. The counter starts again at midnight UTC."},
	"plans.detail.cache":  {"Les réponses sans clé se partagent\u00a0: ce qu’un cache répond n’est décompté à personne.", "Responses without a key can be shared: what a cache answers counts against nobody."},
	"plans.detail.credit": {"La mention de la source est la seule condition de reprise.", "Naming the source is the only condition of reuse."},
}

// A plansBody is what the page of plans shows.
type plansBody struct {
	Plans plansTable
	Own   string // the path of the reader's own plan; "" where there are no accounts
}

// A plansTable is what the table of plans shows.
type plansTable struct {
	Anonymous, Developer   int // requests a day
	DeveloperKeys, ProKeys int
	Embeddings             int
}

func viewPlans(r *request) (*document, error) {
	body := plansBody{Plans: plans()}
	if r.account != nil {
		body.Own = r.account.Plan.At(r.Language, "")
	}
	return &document{
		Title: r.Must("plans.title"), Description: r.Must("plans.description"), Body: body,
	}, nil
}

// plans is made of the limits that the service enforces.
func plans() plansTable {
	developer, pro := account.Developer.Limits(), account.Pro.Limits()
	return plansTable{
		Anonymous: account.Anonymous.Limits().Daily, Developer: developer.Daily,
		DeveloperKeys: developer.Keys, ProKeys: pro.Keys, Embeddings: catalog.EmbeddingsSize,
	}
}
