package pages

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/site/jsonld"
	"github.com/palmares-hq/palmares/internal/site/markdown"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var toolTexts = layout.Texts{
	"tool.title": {"%s\u00a0: note, prix et alternatives", "%s: score, price and alternatives"},
	"tool.description": {
		"%s, %s\u00a0: noté %s sur 10, %s. Historique du prix, alternatives et comparatifs.",
		"%s, %s: scored %s out of 10, %s. Price history, alternatives and comparisons.",
	},
	"tool.description.unscored": {
		"%s, %s\u00a0: pas encore noté, %s. Historique du prix, alternatives et comparatifs.",
		"%s, %s: no score yet, %s. Price history, alternatives and comparisons.",
	},

	"tool.overall":     {"%s sur %s outils notés", "%s of %s scored tools"},
	"tool.incategory":  {"%s de sa catégorie", "%s in its category"},
	"tool.score":       {"Note", "Score"},
	"tool.score.sense": {"Note de la rédaction, sur dix.", "Editors’ score, out of ten."},
	"tool.unscored":    {"Pas encore noté", "No score yet"},
	"tool.unscored.sense": {
		"La rédaction ne lui a pas encore donné de note.",
		"The editors have not given it a score yet.",
	},
	"tool.verifiability": {"Vérifiabilité", "Verifiability"},
	"tool.verifiability.sense": {
		"Part de ses promesses qui a pu être vérifiée. 0\u00a0:\u00a0rien, 10\u00a0:\u00a0tout.",
		"How much of what it claims could be verified. 0:\u00a0nothing, 10:\u00a0everything.",
	},
	"tool.unverified": {"Pas encore établie", "Not known yet"},
	"tool.outof":      {"/ 10", "/ 10"},

	"tool.price":   {"Prix", "Price"},
	"tool.pricing": {"Formule", "Pricing"},
	"tool.icp":     {"Public", "Audience"},
	"tool.site":    {"Site", "Website"},
	"tool.updated": {"Mis à jour", "Updated"},

	"tool.review":      {"L’avis", "The review"},
	"tool.review.all":  {"Lire l’avis en entier", "Read the full review"},
	"tool.review.none": {"L’avis n’est pas encore écrit.", "The review has not been written yet."},
	"tool.review.later": {
		"L’avis est écrit\u202f; son texte arrive avec la prochaine édition.",
		"The review is written; its text arrives with the next edition.",
	},

	"tool.comparisons":        {"Face-à-face", "Head to head"},
	"tool.comparisons.none":   {"Pas encore de comparatif.", "No comparisons yet."},
	"tool.comparisons.others": {"et %s autre comparatif|et %s autres comparatifs", "and %s more comparison|and %s more comparisons"},

	"tool.instead":         {"Alternatives", "Alternatives"},
	"tool.instead.caption": {"Les outils les plus proches, avec leur note", "The closest tools, with their scores"},
	"tool.instead.all":     {"Toutes les alternatives, comparées", "All alternatives, compared"},

	"tool.api":            {"Dans l’API", "In the API"},
	"tool.report":         {"Signaler une erreur", "Report an error"},
	"tool.report.subject": {"%s\u00a0: une erreur (%s)", "%s: an error (%s)"},
	"tool.badge":          {"Le badge", "The badge"},
	"tool.badge.sentence": {"La note à jour, à afficher dans un README ou sur une page.", "The current score, for a README or a web page."},
	"tool.badge.alt":      {"%s, noté par %s", "%s, scored by %s"},
	"tool.badge.markdown": {"Markdown", "Markdown"},
	"tool.badge.code":     {"Code du badge", "Badge code"},
	"tool.badge.html":     {"HTML", "HTML"},

	"tool.retired.title":       {"%s, retiré du catalogue", "%s, retired from the catalogue"},
	"tool.retired.description": {"%s a quitté le catalogue le %s. %s.", "%s left the catalogue on %s. %s."},
	"tool.retired.when":        {"%s le %s", "%s on %s"},
	"tool.retired.instead":     {"Que prendre à la place", "What to use instead"},
	"tool.retired.all":         {"Toutes les alternatives", "All alternatives"},
	"tool.retired.cemetery":    {"Le cimetière", "The cemetery"},
	"tool.retired.living":      {"Toujours en vie, dans la même catégorie", "Still alive, in the same category"},
	"tool.retired.alone":       {"Il ne reste aucun outil dans cette catégorie.", "No tool is left in this category."},
}

// A toolBody is the data of the page of a tool.
type toolBody struct {
	*catalog.Tool

	Byline          byline
	CategoryName    template.HTML
	Rank            catalog.Rank  // zero without a score
	Scored          int           // tools that have a score
	Tagline         template.HTML // as a sentence
	Outdated        bool          // the translation of its tagline or review is from an earlier version
	Checks          toolChecks
	End             ending
	Price           pricePage
	ScorePage       *scorePage // nil without a score
	Review          reviewStart
	Comparisons     []catalog.ComparisonWithTools
	MoreComparisons int
	Alternatives    shortList
	Lacking         string // why there are no Alternatives
	Changes         []toolChange
	Calls           []layout.Call
	Badge           badge
	Compare         string       // the path of the page that compares it with others
	Sources         []sourceRow  // for editors
	Report          string       // the address for reporting errors on the page; "" if there is none
	Follow          string       // the address of a list with the tool
	Retired         *retiredBody // instead of everything else
}

// reportPath returns the address for reporting an error on the page of a tool: the form, or else the operator's
// contact; "" if there is neither.
func reportPath(v *view.View, slug, name string) string {
	if v.Site.Reports {
		return v.Path(address.Report, slug)
	}
	contact := v.Operator().Contact
	if !strings.HasPrefix(contact.Href, "mailto:") {
		return contact.Href
	}
	subject := v.Text.Must("tool.report.subject", name, v.Canonical(address.Tool, slug))
	return contact.Href + "?subject=" + url.PathEscape(subject)
}

// A reviewStart is the beginning of a review, and its verdict.
type reviewStart struct {
	HTML    template.HTML
	Exists  bool
	Verdict markdown.Section   // empty if the review has none
	Sides   []markdown.Section // strengths and weaknesses, if the review has headings for them
	French  bool               // it is in French, but the page is not
}

// The ids of the sections of a review that the tool's page shows, if the review has them.
var (
	verdictIDs = []string{"verdict"}
	sideIDs    = [][]string{{"ce-qui-marche", "points-forts"}, {"ce-qui-coince", "points-faibles", "limites"}}
)

// A badge is the badge of a tool: code to copy it to other sites, and its path on this one.
type badge struct{ Markdown, HTML, Path, Alt string }

// A retiredBody is the data of the page of a retired tool.
type retiredBody struct {
	notice

	CategoryName template.HTML
	Price        pricePage // empty where no price is known
	Check        check     // of the day of the retirement
	Living       shortList
	Compare      string // as in toolBody
	Sources      []sourceRow
	Report       string
	Follow       string
	Call         layout.Call
}

// The most items or characters of each part on the page of a tool. The whole lists and the review have pages of their
// own.
const (
	shownComparisons  = 4
	shownAlternatives = 5
	shownReview       = 900 // characters
	shownSection      = 700 // characters of each section of the review
)

// Tool returns the page of a tool, living or retired; a 404 for any other slug.
func Tool(v *view.View, slug string) (*view.Document, error) {
	t, ok := v.Catalog.Tool(slug)
	if !ok {
		return retired(v, slug)
	}
	body := toolBody{
		Tool: t, Byline: newByline(v, t), CategoryName: v.MarkedCategory(t.Category), Scored: v.Catalog.Stats().Tested,
		Tagline: v.MarkedTagline(t), Price: newPricePage(v, t), Outdated: outdatedTexts(v, t),
		Badge: newBadge(v, t), Compare: comparePath(v, []string{t.Slug}), Report: reportPath(v, t.Slug, t.Name), Follow: followPath(v, t.Slug),
		Checks: newToolChecks(v, t), End: newEnding(v, t), Sources: newSources(v, t.FactList(), t.Ending),
	}
	body.Rank, _ = v.Catalog.Rank(t.Slug)
	body.ScorePage = newScorePage(v, t, body.Rank)
	if others := v.Catalog.Alternatives(t.Slug); len(others) > 0 {
		closest := slugsOf(others[:min(len(others), shownAlternatives)])
		slices.Sort(closest)
		body.Alternatives = newShortList(v, named(v, closest))
	}
	body.Lacking = v.Text.Must(lacking(v, t.Category, 1))
	comparisons := v.Catalog.ComparisonsOf(t.Slug)
	body.Comparisons = comparisons[:min(len(comparisons), shownComparisons)]
	body.MoreComparisons = len(comparisons) - len(body.Comparisons)
	var err error
	if body.Review, err = newReviewStart(v, t); err != nil {
		return nil, err
	}
	if body.Changes, err = lastChanges(v, t.Slug); err != nil {
		return nil, err
	}
	d := &view.Document{
		Template: "tool", Section: address.Tools,
		Title: v.Text.Must("tool.title", t.Name), API: []string{"/api/v1/tools/" + t.Slug, "/api/v1/pricing/" + t.Slug},
		Description: v.Text.Must("tool.description.unscored", t.Name, v.Category(t.Category), v.Price(t.Price)),
		Image:       v.Image(t.Slug), Data: jsonld.Tool(v, t), Markdown: v.Path(address.ToolSource, t.Slug),
	}
	if t.Score.Known {
		d.Description = v.Text.Must("tool.description", t.Name, v.Category(t.Category), v.Text.Measure(t.Score), v.Price(t.Price))
	}
	if t.Embedded {
		d.API = append(d.API, "/api/embeddings/"+t.Slug)
	}
	for _, path := range d.API {
		body.Calls = append(body.Calls, v.Call(path))
	}
	d.Body = body
	return d, nil
}

// newReviewStart renders the beginning, the verdict and the sides of a tool's review, in the language of the page if
// there is a translation. Without the review's Markdown it sets only Exists.
func newReviewStart(v *view.View, t *catalog.Tool) (reviewStart, error) {
	s := reviewStart{Exists: t.Review.Exists()}
	french, err := v.Catalog.Review(t.Slug)
	switch {
	case errors.Is(err, catalog.ErrNoReview), errors.Is(err, catalog.ErrNoMarkdown):
		return s, nil
	case err != nil:
		return s, err
	}
	shown, typeset := french, locale.FrenchText
	english, translated, err := englishReview(v, t)
	switch {
	case err != nil:
		return s, err
	case translated:
		shown, typeset = english, nil
	default:
		s.French = v.Foreign()
	}
	s.HTML, _ = markdown.Beginning(shown, shownReview, typeset)
	s.Verdict, _ = markdown.First(shown, french, verdictIDs, shownSection, typeset)
	for _, ids := range sideIDs {
		if side, ok := markdown.First(shown, french, ids, shownSection, typeset); ok {
			s.Sides = append(s.Sides, side)
		}
	}
	return s, nil
}

// englishReview returns the English translation of a tool's review. ok is false if the page is not in English, or there
// is no translation.
func englishReview(v *view.View, t *catalog.Tool) (source string, ok bool, err error) {
	if !v.Foreign() || !t.Review.Exists() {
		return "", false, nil
	}
	switch source, err = v.Catalog.EnglishReview(t.Slug); {
	case errors.Is(err, catalog.ErrNoReview), errors.Is(err, catalog.ErrNoMarkdown):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("reading the English review of %s: %w", t.Slug, err)
	}
	return source, true, nil
}

// outdatedTexts reports whether the page shows a translation of an earlier version of the tool's tagline or review.
func outdatedTexts(v *view.View, t *catalog.Tool) bool {
	return v.Foreign() && (t.English.Tagline.Outdated(t.Tagline) || t.English.Review.Outdated(t.Review.Markdown))
}

// markdownText escapes plain text for Markdown.
var markdownText = strings.NewReplacer(
	`\`, `\\`, `[`, `\[`, `]`, `\]`, `*`, `\*`, `_`, `\_`, "`", "\\`", `<`, `\<`, `&`, `\&`,
)

// newBadge returns the badge of a tool. The code to copy links to the tool's page.
func newBadge(v *view.View, t *catalog.Tool) badge {
	path, page := v.Path(address.Badge, t.Slug), v.Canonical(address.Tool, t.Slug)
	if v.Text.Language != locale.French { // French needs no parameter
		path += "?lang=" + v.Text.String()
	}
	image := v.Base() + path
	alt := v.Text.Must("tool.badge.alt", t.Name, v.Catalog.Service().Name)
	html := template.HTMLEscapeString
	return badge{
		Path: path, Alt: alt, // on this site, even if the catalog names another one
		Markdown: "[![" + markdownText.Replace(alt) + "](" + image + ")](" + page + ")",
		HTML:     `<a href="` + html(page) + `"><img src="` + html(image) + `" alt="` + html(alt) + `"></a>`,
	}
}

// retired returns the page of a retired tool; a 404 for any other slug.
func retired(v *view.View, slug string) (*view.Document, error) {
	t, ok := v.Catalog.Retired(slug)
	if !ok {
		return nil, web.Errorf(http.StatusNotFound, "there is no tool %s", logging.Clean(slug, layout.MaxQuoted))
	}
	when := v.Text.Date(t.RetiredAt.Time())
	call := v.Call("/api/v1/cimetiere?" + url.Values{"category": {t.Category}}.Encode())
	living := v.Catalog.Tools(catalog.ToolQuery{
		Categories: []string{t.Category}, Paging: catalog.Paging{Page: 1, Limit: shownAlternatives},
	})
	return &view.Document{
		Template: "tool", Section: address.Cemetery,
		Title: v.Text.Must("tool.retired.title", t.Name),
		Description: v.Text.Must("tool.retired.description", t.Name, when,
			v.Text.Must("reason."+string(t.Reason))),
		API: []string{call.Path}, Image: v.Image(t.Slug), Data: jsonld.Item(v, address.Cemetery, t.Category, t.Name, v.Canonical(address.Tool, t.Slug)),
		Markdown: v.Path(address.ToolSource, t.Slug),
		Body: toolBody{Retired: &retiredBody{
			notice: newNotice(v, t), CategoryName: v.MarkedCategory(t.Category), Living: newShortList(v, living.Items), Call: call,
			Check: newCheck(v, t.Facts.RetiredAt), Report: reportPath(v, t.Slug, t.Name), Follow: followPath(v, t.Slug), Price: retiredPrices(v, t),
			Compare: comparePath(v, []string{t.Slug}), Sources: newSources(v, t.FactList(), catalog.Ending{}),
		}},
	}, nil
}
