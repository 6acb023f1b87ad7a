package site

import (
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/picture"
)

var cardTexts = texts{
	"card.service":  {"Les outils d’IA, notés, comparés, servis en JSON.", "AI tools, scored, compared, served as JSON."},
	"card.ranked":   {"%s du classement · %s", "%s in the ranking · %s"},
	"card.unscored": {"%s · pas encore noté", "%s · not scored yet"},
	"card.out-of":   {"Note sur 10", "Score out of 10"},
	"card.retired":  {"%s, %s", "%s, %s"},
}

// image is the path of the picture that stands for a tool where its pages are shared.
func (r *request) image(slug string) string { return r.path("tool card", slug) }

// serviceCard is the picture of all pages that are about no tool.
func serviceCard(r *request) (picture.Card, error) {
	return picture.Card{Service: r.Service().Name, Host: r.host(), Line: r.Must("card.service")}, nil
}

// toolCard is the picture of a tool, living or retired.
func toolCard(r *request) (picture.Card, error) {
	c := picture.Card{Service: r.Service().Name, Host: r.host(), Slug: r.slug}
	if t, ok := r.Tool(r.slug); ok {
		r.drawTool(&c, t)
		return c, nil
	}
	dead, ok := r.Retired(r.slug)
	if !ok {
		return c, noSuchTool(r.slug)
	}
	c.Retired, c.Title, c.Line = true, dead.Name, locale.FrenchText(dead.Note)
	c.Kicker = r.Must("card.retired", r.Must("reason."+string(dead.Reason)), r.Date(dead.RetiredAt.Time()))
	return c, nil
}

func (r *request) drawTool(c *picture.Card, t *catalog.Tool) {
	c.Title, c.Line = t.Name, locale.FrenchText(t.Tagline)
	rank, ok := r.Rank(t.Slug)
	if !ok {
		c.Kicker = r.Must("card.unscored", r.category(t.Category))
		return
	}
	c.Kicker = r.Must("card.ranked", r.Ordinal(rank.Overall), r.category(t.Category))
	c.Score, c.OutOf = r.Measure(t.Score), r.Must("card.out-of")
	c.Tenths = int(t.Score.Hundredths) / 10
}
