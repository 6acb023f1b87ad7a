package machine

import (
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/theme"
)

var cardTexts = layout.Texts{
	"card.service":  {"Les outils d’IA, notés, comparés, servis en JSON.", "AI tools, scored, compared, served as JSON."},
	"card.ranked":   {"%s du classement · %s", "%s in the ranking · %s"},
	"card.unscored": {"%s · pas encore noté", "%s · not scored yet"},
	"card.out-of":   {"Note sur 10", "Score out of 10"},
	"card.retired":  {"%s, %s", "%s, %s"},
}

// Card is the picture of all pages that are about no tool.
func Card(v *view.View) (picture.Card, error) {
	c := blank(v)
	c.Line = v.Text.Must("card.service")
	return c, nil
}

// blank is a card that says nothing yet, in the looks of the operator.
func blank(v *view.View) picture.Card {
	c := picture.Card{Service: v.Catalog.Service().Name, Host: v.Host(), Colours: picture.ColoursOf(themeOf(v).Light)}
	if f, ok := v.Catalog.OperatorFile(catalog.LogoPicture); ok {
		c.Logo = &picture.Logo{Hash: f.Hash, PNG: f.Picture}
	}
	return c
}

// themeOf is what readers see of the operator's colours.
func themeOf(v *view.View) theme.Theme {
	css := ""
	if f, ok := v.Catalog.OperatorFile(catalog.ThemeFile); ok {
		css = f.Text
	}
	return theme.Read(css)
}

// ToolCard is the picture of a tool, living or retired.
func ToolCard(v *view.View, slug string) (picture.Card, error) {
	c := blank(v)
	c.Slug = slug
	if t, ok := v.Catalog.Tool(slug); ok {
		drawTool(v, &c, t)
		return c, nil
	}
	dead, ok := v.Catalog.Retired(slug)
	if !ok {
		return c, noSuchTool(slug)
	}
	c.Retired, c.Title, c.Line = true, dead.Name, v.Text.Choose(dead.Note, dead.English.Note)
	c.Kicker = v.Text.Must("card.retired", v.Text.Must("reason."+string(dead.Reason)), v.Text.Date(dead.RetiredAt.Time()))
	return c, nil
}

func drawTool(v *view.View, c *picture.Card, t *catalog.Tool) {
	c.Title, c.Line = t.Name, v.Text.Choose(t.Tagline, t.English.Tagline)
	rank, ok := v.Catalog.Rank(t.Slug)
	if !ok {
		c.Kicker = v.Text.Must("card.unscored", v.Category(t.Category))
		return
	}
	c.Kicker = v.Text.Must("card.ranked", v.Text.Ordinal(rank.Overall), v.Category(t.Category))
	c.Score, c.OutOf = v.Text.Measure(t.Score), v.Text.Must("card.out-of")
	c.Tenths = int(t.Score.Rounded().Hundredths) / 10
}
