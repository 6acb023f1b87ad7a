package catalog

import "slices"

// A Period is something that prices are usually for.
type Period struct {
	Name    string   // as it stands in a price
	English string   // what it is on English pages
	Also    []string // other words that people write for it
}

// Periods are the periods that are known, the most usual first. Prices may have others.
func Periods() []Period { return slices.Clone(periods) }

// PeriodInEnglish is the English of a period that is known, and "" of any other.
func PeriodInEnglish(name string) string {
	for _, p := range periods {
		if p.Name == name {
			return p.English
		}
	}
	return ""
}

var periods = []Period{
	{monthly, "month", []string{"month", "months", "monthly", "mensuel"}},
	{yearly, "year", []string{"ans", "année", "années", "year", "years", "yearly", "annum", "annuel"}},
	{"jour", "day", []string{"day", "days", "journée"}},
	{"semaine", "week", []string{"week", "weeks", "hebdo"}},
	{"trimestre", "quarter", []string{"quarter"}},
	{"semestre", "half-year", nil},
	{"heure", "hour", []string{"hour", "hours"}},
	{"minute", "minute", []string{"min"}},
	{"siège", "seat", []string{"seat", "seats"}},
	{"utilisateur", "user", []string{"user", "users", "usager"}},
	{"poste", "workstation", nil},
	{"équipe", "team", []string{"team", "teams"}},
	{"licence", "licence", []string{"license"}},
	{"projet", "project", []string{"project"}},
	{"site", "site", nil},
	{"agent", "agent", nil},
	{"serveur", "server", []string{"server"}},
	{"crédit", "credit", []string{"credit", "credits"}},
	{"jeton", "token", []string{"token", "tokens"}},
	{"requête", "request", []string{"request", "requests", "query"}},
	{"appel", "call", []string{"call", "calls"}},
	{"exécution", "run", []string{"run", "runs"}},
	{"message", "message", nil},
	{"document", "document", nil},
	{"fichier", "file", []string{"file", "files"}},
	{"page", "page", nil},
	{"mot", "word", []string{"word", "words"}},
	{"image", "image", nil},
	{"vidéo", "video", []string{"video"}},
	{"œuvre", "work", nil},
	{"usage", "use", []string{"use", "utilisation"}},
}
