package layout

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// Text is a sentence in both languages.
type Text = locale.Text

// Texts are sentences by name.
type Texts = locale.Texts

// Join merges texts.
func Join(parts ...Texts) Texts { return locale.Join(parts...) }

// A Writer writes the texts of pages in one language.
type Writer struct{ locale.Writer }

// NewWriter returns a writer of texts in a language.
func NewWriter(l locale.Language, all Texts) Writer { return Writer{locale.NewWriter(l, all)} }

// In returns the writer of the same texts in another language.
func (w Writer) In(l locale.Language) Writer { return Writer{w.Writer.In(l)} }

// HTML returns a text that contains markup, whose name must end in "-html". It escapes the values filled in unless they
// are template.HTML.
func (w Writer) HTML(name string, args ...any) (template.HTML, error) {
	if !strings.HasSuffix(name, "-html") {
		return "", fmt.Errorf("the text %q has no markup", name)
	}
	safe := make([]any, len(args))
	for i, arg := range args {
		if markup, ok := arg.(template.HTML); ok {
			safe[i] = markup
		} else {
			safe[i] = template.HTMLEscapeString(fmt.Sprint(arg))
		}
	}
	s, err := w.Text(name, safe...)
	return template.HTML(s), err //nolint:gosec // the sentence is ours, the values are escaped
}

// Choose returns a text of the catalog: the English on an English page if there is one, else the French.
func (w Writer) Choose(french string, t catalog.Translation) string {
	if w.Shows(t) {
		return t.Text
	}
	return locale.FrenchText(french)
}

// Shows reports whether Choose would return the translation rather than the French.
func (w Writer) Shows(t catalog.Translation) bool {
	return w.Language == locale.English && t.Text != ""
}

// Translated is like Choose, but returns HTML, with French marked as such on an English page.
func (w Writer) Translated(french string, t catalog.Translation) template.HTML {
	if w.Shows(t) {
		return template.HTML(template.HTMLEscapeString(t.Text)) //nolint:gosec // it was escaped
	}
	return w.French(french)
}

// French returns a French text of the catalog as HTML, marked with its language on an English page.
func (w Writer) French(s string) template.HTML {
	s = template.HTMLEscapeString(locale.FrenchText(s))
	if w.Language != locale.French {
		s = `<span lang="fr">` + s + `</span>`
	}
	return template.HTML(s) //nolint:gosec // it was escaped
}

// FrameTexts returns the texts that every renderer has: those of the frame, of shared parts of pages, and of the error
// page.
func FrameTexts() Texts { return Join(frameTexts, errorTexts) }

var frameTexts = Texts{
	"frame.skip":      {"Aller au contenu", "Skip to content"},
	"frame.number":    {"N°\u00a0%s", "No.\u00a0%s"},
	"frame.next":      {"Une édition à chaque changement", "A new edition with every change"},
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
	"frame.license":   {"Licence des données\u00a0:", "Data licence:"},
	"frame.read":      {"Lire", "Read"},
	"frame.build":     {"Développer", "Build"},
	"frame.about":     {"Le service", "The service"},
	"frame.cancel":    {"Résilier votre contrat", "Cancel your contract"},
	"frame.agents":    {"Pour les agents", "For agents"},
	"frame.data":      {"Données à télécharger", "Downloads"},
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

// frenchMark is the attribute of an element in French. It never occurs in a text, which has its quotes escaped.
var frenchMark = []byte(` lang="fr"`)

// tellFrench adds a notice to an English page where it shows French: before the first French passage, and at the first
// that is a block of text of its own. Further passages get none, because the reader recognises them.
func (w Writer) tellFrench(main []byte) []byte {
	if w.Language == locale.French {
		return main
	}
	told, grown, said := main, 0, false
	for from := 0; ; {
		mark := bytes.Index(main[from:], frenchMark)
		if mark < 0 {
			return told
		}
		mark += from
		from = mark + len(frenchMark)
		at, text := frenchPassage(main, mark)
		if said && !text || at < 0 {
			continue
		}
		label := w.inFrench(text)
		told = slices.Insert(slices.Clone(told), at+grown, label...)
		grown += len(label)
		if text {
			return told
		}
		said = true
	}
}

// inFrench returns the notice as HTML: a line of its own if it introduces a block of text, else inline.
func (w Writer) inFrench(text bool) []byte {
	open, end := "<span", "</span> "
	if text {
		open, end = "<div", "</div>"
	}
	return []byte(open + ` class="tongue" lang="` + w.String() + `">` + template.HTMLEscapeString(w.Must("frame.intongue")) + end)
}

// frenchPassage returns where to insert the notice for the element whose frenchMark is at mark, and whether the element
// is a block of text of its own. It returns -1 if it needs no notice: an option of a menu, or a link of a navigation,
// is only a name.
func frenchPassage(main []byte, mark int) (at int, text bool) {
	start := bytes.LastIndexByte(main[:mark], '<')
	end := mark + bytes.IndexByte(main[mark:], '>') + 1
	if bytes.Count(main[:start], []byte("<nav")) > bytes.Count(main[:start], []byte("</nav>")) {
		return -1, false
	}
	name, _, _ := bytes.Cut(main[start+1:mark], []byte(" "))
	switch string(name) {
	case "option":
		return -1, false
	case "article", "aside", "blockquote", "div", "section":
		return end, true
	case "dl", "ol", "pre", "table", "ul":
		return start, true
	case "caption", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "label", "li", "p", "td", "th":
		return end, false
	}
	// Put the notice before the link, not inside it.
	if link := bytes.LastIndexByte(main[:start], '<'); start > 0 && main[start-1] == '>' && bytes.HasPrefix(main[link:], []byte("<a ")) {
		return link, false
	}
	return start, false
}
