package catalog

import "slices"

// A Period is something that prices are usually for.
type Period struct {
	Name string   // as it stands in a price
	Also []string // other words that people write for it
}

// Periods are the periods that are known, the most usual first. Prices may have others.
func Periods() []Period { return slices.Clone(periods) }

var periods = []Period{
	{monthly, []string{"month", "months", "monthly", "mensuel"}},
	{yearly, []string{"ans", "année", "années", "year", "years", "yearly", "annum", "annuel"}},
	{"jour", []string{"day", "days", "journée"}},
	{"semaine", []string{"week", "weeks", "hebdo"}},
	{"trimestre", []string{"quarter"}},
	{"semestre", nil},
	{"heure", []string{"hour", "hours"}},
	{"minute", []string{"min"}},
	{"siège", []string{"seat", "seats"}},
	{"utilisateur", []string{"user", "users", "usager"}},
	{"poste", nil},
	{"équipe", []string{"team", "teams"}},
	{"licence", []string{"license"}},
	{"projet", []string{"project"}},
	{"site", nil},
	{"agent", nil},
	{"serveur", []string{"server"}},
	{"crédit", []string{"credit", "credits"}},
	{"jeton", []string{"token", "tokens"}},
	{"requête", []string{"request", "requests", "query"}},
	{"appel", []string{"call", "calls"}},
	{"exécution", []string{"run", "runs"}},
	{"message", nil},
	{"document", nil},
	{"fichier", []string{"file", "files"}},
	{"page", nil},
	{"mot", []string{"word", "words"}},
	{"image", nil},
	{"vidéo", []string{"video"}},
	{"œuvre", nil},
	{"usage", []string{"use", "utilisation"}},
}
