package layout

// FrameTexts are those of the frame around every page, of the parts that several pages show, and of
// the pages of errors. Every renderer has them.
func FrameTexts() Texts { return Join(frameTexts, errorTexts) }

var frameTexts = Texts{
	"frame.skip":      {"Aller au contenu", "Skip to content"},
	"frame.edition":   {"N°\u00a0%s, %s", "No.\u00a0%s, %s"},
	"frame.next":      {"Prochaine édition quand le catalogue change", "Next edition when the catalog changes"},
	"frame.settings":  {"Préférences", "Preferences"},
	"frame.french":    {"Français", "Français"},
	"frame.english":   {"English", "English"},
	"frame.dark":      {"Mode sombre", "Dark mode"},
	"frame.light":     {"Mode clair", "Light mode"},
	"frame.sections":  {"Rubriques", "Sections"},
	"frame.firstcall": {"Premier appel", "First call"},
	"frame.copy":      {"Copier", "Copy"},
	"frame.copied":    {"Copié", "Copied"},
	"frame.cite": {
		"Toute reprise de ces données cite sa source\u00a0:",
		"Whoever reuses this data names its source:",
	},
	"frame.read":      {"Lire", "Read"},
	"frame.build":     {"Construire", "Build"},
	"frame.about":     {"Le service", "The service"},
	"frame.status":    {"État du service", "Service status"},
	"frame.write":     {"Nous écrire", "Write to us"},
	"frame.reference": {"Référence de l’API", "API reference"},
	"frame.powered":   {"Propulsé par Palmarès", "Powered by Palmarès"},
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
	"nav.guides":      {"Docs", "Docs"},

	"own.method":    {"Comment nous testons", "How we test"},
	"own.unwritten": {"Méthode", "Method"},
	"own.legal":     {"Mentions légales", "Legal notice"},
	"own.privacy":   {"Confidentialité", "Privacy"},
	"own.terms":     {"Conditions", "Terms"},
}

var errorTexts = Texts{
	"error.400": {"Ce filtre n’existe pas", "There is no such filter"},
	"error.400.sentence": {
		"L’adresse demande ce que l’API n’accepte pas. Elle répond\u00a0:",
		"The address asks for what the API does not accept. It says:",
	},
	"error.404":          {"Rien à cette adresse", "Nothing here"},
	"error.404.sentence": {"La page n’existe pas, ou n’existe plus.", "The page does not exist, or no longer."},
	"error.405":          {"Ces pages se lisent", "These pages are for reading"},
	"error.405.sentence": {
		"Elles ne répondent qu’à GET et à HEAD.", "They answer GET and HEAD alone.",
	},
	"error.410":          {"Cette page a été retirée", "This page is gone"},
	"error.410.sentence": {"Elle ne reviendra pas.", "It will not come back."},
	"error.503":          {"Pas encore de catalogue", "No catalog yet"},
	"error.503.sentence": {
		"Le serveur démarre. Réessayez dans un instant.", "The server is starting. Try again in a moment.",
	},
	"error.other":          {"Quelque chose s’est mal passé", "Something went wrong"},
	"error.other.sentence": {"L’erreur est de notre côté\u00a0; elle est notée.", "The fault is ours, and it was noted."},
	"error.near":           {"Vous cherchiez peut-être :", "You may have meant:"},
	"error.home":           {"Retour à la une", "Back to the front page"},
}
