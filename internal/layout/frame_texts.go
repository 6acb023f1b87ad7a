package layout

// FrameTexts are those of the frame around every page, of the parts that several pages show, and of
// the pages of errors. Every renderer has them.
func FrameTexts() Texts { return Join(frameTexts, errorTexts) }

var frameTexts = Texts{
	"frame.skip":      {"Aller au contenu", "Skip to content"},
	"frame.edition":   {"N°\u00a0%s, %s", "No.\u00a0%s, %s"},
	"frame.next":      {"Prochaine édition dès que le catalogue change", "Next edition as soon as the catalogue changes"},
	"frame.settings":  {"Préférences", "Preferences"},
	"frame.french":    {"Français", "Français"},
	"frame.english":   {"English", "English"},
	"frame.intongue":  {"En français\u00a0:", "In French:"},
	"frame.dark":      {"Mode sombre", "Dark mode"},
	"frame.light":     {"Mode clair", "Light mode"},
	"frame.account":   {"Mon compte", "My account"},
	"frame.sections":  {"Rubriques", "Sections"},
	"frame.search":    {"Chercher dans le catalogue", "Search the catalogue"},
	"frame.searched":  {"Nom, usage, domaine…", "Name, use, domain…"},
	"frame.find":      {"Chercher", "Search"},
	"frame.firstcall": {"Premier appel", "First call"},
	"frame.copy":      {"Copier", "Copy"},
	"frame.copied":    {"Copié", "Copied"},
	"frame.crumb":     {"Fil d’Ariane", "Breadcrumb"},
	"frame.call":      {"Appel de l’API", "API call"},
	"frame.cite": {
		"Pour réutiliser ces données, citez la source\u00a0:",
		"If you reuse this data, credit the source:",
	},
	"frame.license":   {"Licence des données\u00a0:", "Licence of the data:"},
	"frame.read":      {"Lire", "Read"},
	"frame.build":     {"Développer", "Build"},
	"frame.about":     {"Le service", "The service"},
	"frame.cancel":    {"Résilier votre contrat", "Cancel your contract"},
	"frame.agents":    {"Pour les agents", "For agents"},
	"frame.data":      {"Données à télécharger", "Data to download"},
	"frame.status":    {"État du service", "Service status"},
	"frame.write":     {"Nous écrire", "Contact us"},
	"frame.reference": {"Référence de l’API", "API reference"},
	"frame.powered":   {"Fonctionne avec Palmarès", "Powered by Palmarès"},
	"frame.feed":      {"Flux Atom", "Atom feed"},
	"frame.openapi":   {"Description OpenAPI", "OpenAPI description"},
	"frame.pages":     {"Pages", "Pages"},
	"frame.prev":      {"Page précédente", "Previous page"},
	"frame.following": {"Page suivante", "Next page"},
	"frame.page":      {"Page %s sur %s", "Page %s of %s"},

	"nav.tools":       {"Classement", "Ranking"},
	"nav.comparisons": {"Comparatifs", "Comparisons"},
	"nav.prices":      {"Prix", "Prices"},
	"nav.cemetery":    {"Cimetière", "Cemetery"},
	"nav.journal":     {"Journal", "Journal"},
	"nav.plans":       {"Tarifs", "Plans"},
	"nav.guides":      {"Documentation", "Docs"},

	"own.method":    {"Comment nous testons", "How we test"},
	"own.unwritten": {"Méthode", "Method"},
	"own.legal":     {"Mentions légales", "Legal notice"},
	"own.privacy":   {"Confidentialité", "Privacy"},
	"own.terms":     {"Conditions", "Terms"},
}

var errorTexts = Texts{
	"error.400": {"Valeur de filtre refusée", "Invalid filter value"},
	"error.400.sentence": {
		"L’adresse contient une valeur que l’API refuse. Sa réponse, en anglais\u00a0:",
		"The API rejects a value in this URL. It says:",
	},
	"error.without":      {"Retirer ce paramètre", "Remove this parameter"},
	"error.404":          {"Rien à cette adresse", "Nothing here"},
	"error.404.sentence": {"Cette page n’existe pas, ou n’existe plus.", "This page does not exist, or was removed."},
	"error.405":          {"Ces pages sont en lecture seule", "These pages are read-only"},
	"error.405.sentence": {
		"Elles ne répondent qu’à GET et à HEAD.", "They only answer GET and HEAD.",
	},
	"error.410":          {"Cette page a été retirée", "This page has been removed"},
	"error.410.sentence": {"Elle ne reviendra pas.", "It will not come back."},
	"error.503":          {"Pas encore de catalogue", "No catalogue yet"},
	"error.503.sentence": {
		"Le serveur démarre. Réessayez dans un instant.", "The server is starting. Try again in a moment.",
	},
	"error.other":          {"Quelque chose s’est mal passé", "Something went wrong"},
	"error.other.sentence": {"L’erreur est de notre côté\u202f; elle est enregistrée.", "The error is on our side. It has been logged."},
	"error.near":           {"Vous cherchiez peut-être :", "You may have meant:"},
	"error.home":           {"Retour à la une", "Back to the front page"},
}
