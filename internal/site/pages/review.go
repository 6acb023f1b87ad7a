package pages

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/jsonld"
	"github.com/palmares-hq/palmares/internal/site/markdown"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var reviewTexts = layout.Texts{
	"review.title": {"Avis sur %s", "Review: %s"},
	"review.description": {
		"L’avis complet sur %s\u00a0: %s sur dix, prix %s.", "The full review of %s: %s out of ten, price %s.",
	},
	"review.description.unscored": {
		"L’avis complet sur %s, qui n’a pas encore de note. Prix %s.",
		"The full review of %s, which has no score yet. Price %s.",
	},
	"review.score":         {"Note", "Score"},
	"review.verifiability": {"Vérifiabilité", "Verifiability"},
	"review.unscored":      {"Pas encore de note\u00a0: l’avis paraît d’abord.", "No score yet: the review comes first."},
	"review.contents":      {"Sommaire", "Contents"},
	"review.facts":         {"En bref", "At a glance"},
	"review.price":         {"Prix", "Price"},
	"review.pricing":       {"Formule", "Pricing"},
	"review.icp":           {"Public", "Audience"},
	"review.updated":       {"Mis à jour", "Updated"},
	"review.tool":          {"La fiche", "The tool"},
	"review.instead":       {"Les alternatives", "The alternatives"},
	"review.api":           {"Dans l’API", "In the API"},
	"review.plain": {
		"Les avis de cette édition ne sont pas encore mis en forme. Voici le texte, sans ses listes ni ses liens.",
		"Reviews in this edition are not formatted yet. Here is the text, without its lists and links.",
	},
	"review.missing": {
		"Le texte des avis arrive avec la prochaine édition.",
		"The text of reviews arrives with the next edition.",
	},
	"review.gone":        {"L’avis sur %s a été retiré", "The review of %s has been removed"},
	"review.gone.lede":   {"L’outil a quitté le catalogue, et son avis avec lui. Reste sa notice.", "The tool has left the catalogue, and its review with it. Its notice remains."},
	"review.gone.notice": {"Sa notice", "Its notice"},
}

// A reviewBody is the data of the page of a review.
type reviewBody struct {
	*catalog.Tool
	Byline   byline
	Heading  string
	Category catalog.Category
	Tagline  template.HTML // unchanged, not as a sentence
	French   bool          // the review is in French, but the page is not
	Outdated bool          // the translation of its tagline or text is from an earlier version
	Review   markdown.Review
	Sections []reviewSection // the plain text of the review, if its Markdown is missing
	Missing  string          // why the review is not shown as it was written; "" if it is
	Contents []markdown.Heading
	Calls    []layout.Call
	Notice   *notice // if the tool is retired; the other fields are then mostly empty
	Next     string  // the path of the alternatives to a retired tool
}

// A reviewSection is a section of a review in plain text.
type reviewSection struct {
	catalog.Section
	Paragraphs []string
}

// Review returns the page of a tool's review. It redirects to the tool if there is no review, and is a 410 if the tool
// is retired.
func Review(v *view.View, slug string) (*view.Document, error) {
	t, ok := v.Catalog.Tool(slug)
	if !ok {
		return reviewGone(v, slug)
	}
	source, err := v.Catalog.Review(slug)
	if errors.Is(err, catalog.ErrNoReview) {
		return &view.Document{Redirect: v.Path(address.Tool, slug)}, nil
	}
	body := reviewBody{
		Tool: t, Byline: newByline(v, t), Heading: v.Text.Must("review.title", t.Name), French: v.Foreign(), Outdated: outdatedTexts(v, t),
		Category: v.CategoryOf(t.Category), Tagline: v.Text.Translated(t.Tagline, t.English.Tagline),
	}
	english, translated, failed := englishReview(v, t)
	switch {
	case failed != nil:
		return nil, failed
	case translated && err == nil:
		body.Review = markdown.RenderTranslation(english, source)
		body.Contents, body.French = body.Review.Headings, false
	case err == nil:
		body.Review = markdown.Render(source, locale.FrenchText)
		body.Contents = body.Review.Headings
	case errors.Is(err, catalog.ErrNoMarkdown):
		body.plain(v)
	default:
		return nil, fmt.Errorf("reading the review of %s: %w", slug, err)
	}
	const short = 3 // sections: fewer need no table of contents
	if len(body.Contents) < short {
		body.Contents = nil
	}
	d := &view.Document{
		Template: "review", Section: address.Tools,
		Title: body.Heading, API: []string{"/api/v1/tools/" + t.Slug},
		Description: v.Text.Must("review.description", t.Name, v.Text.Measure(t.Score), v.Price(t.Price)),
		Image:       v.Image(t.Slug), Data: jsonld.Review(v, t, body.Heading, body.text()), Markdown: v.Path(address.ReviewSource, t.Slug),
	}
	if !t.Score.Known {
		d.Description = v.Text.Must("review.description.unscored", t.Name, v.Price(t.Price))
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

// maxReviewText is the most characters of a review in the JSON-LD for search engines.
const maxReviewText = 4000

// text returns the review as plain text on one line, cut between two words if it is longer than maxReviewText.
func (b *reviewBody) text() string {
	spaced := strings.NewReplacer("</p>", "</p> ", "</li>", "</li> ", "</td>", "</td> ", "</th>", "</th> ").Replace(string(b.Review.HTML))
	text := strings.Join(strings.Fields(plainHTML(template.HTML(spaced))), " ") //nolint:gosec // its tags go
	for _, s := range b.Sections {
		text += " " + s.Text
	}
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > maxReviewText {
		text = string(runes[:maxReviewText])
		text = text[:max(strings.LastIndexByte(text, ' '), 0)] + "…"
	}
	return text
}

// plain adds the plain text of the review's sections, if the node has it, in place of the missing Markdown.
func (b *reviewBody) plain(v *view.View) {
	if len(b.Tool.Review.Sections) == 0 {
		b.Missing = v.Text.Must("review.missing")
		return
	}
	b.Missing = v.Text.Must("review.plain")
	for _, s := range b.Tool.Review.Sections {
		b.Sections = append(b.Sections, reviewSection{s, paragraphs(s.Text)})
		if s.ID != catalog.SummaryID {
			b.Contents = append(b.Contents, markdown.Heading{ID: s.ID, Text: s.Heading})
		}
	}
}

// reviewGone returns the page for the review of a tool that is not living: a 410 with the notice of a retired tool, or
// a 404.
func reviewGone(v *view.View, slug string) (*view.Document, error) {
	dead, ok := v.Catalog.Retired(slug)
	if !ok {
		return nil, web.Errorf(http.StatusNotFound, "no tool has the slug %s", web.Quote(slug))
	}
	notice := newNotice(v, dead)
	next := notice.Next
	notice.Next = "" // a button beside it leads there
	heading := v.Text.Must("review.gone", dead.Name)
	return &view.Document{
		Template: "review", Section: address.Cemetery,
		Status: http.StatusGone, Title: heading, Description: v.Text.Must("review.gone.lede"), NoIndex: true,
		Image: v.Image(dead.Slug), Body: reviewBody{Heading: heading, Notice: &notice, Next: next},
	}, nil
}
