package machine

import (
	"net/http"
	"net/url"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/theme"
	"github.com/palmares-hq/palmares/internal/web"
)

var badgeTexts = layout.Texts{
	"badge.score":    {"%s sur 10", "%s out of 10"},
	"badge.unscored": {"pas encore noté", "not scored yet"},
	"badge.retired":  {"retiré", "retired"},
	"badge.title":    {"%s\u00a0: %s, selon %s", "%s: %s, according to %s"},
}

// BadgeParams are the parameters of a badge. Without a language it is in French: a badge has one address, whatever the
// language of the page it was copied from.
type BadgeParams struct {
	dark bool
	lang locale.Language
}

// ParseBadge parses the parameters of a badge: theme=dark and lang=en. It ignores anything else and never fails: a
// badge is better than none, even if its address was copied wrongly.
func ParseBadge(rawQuery string) (BadgeParams, error) {
	values, _ := url.ParseQuery(rawQuery)
	p := BadgeParams{dark: values.Get("theme") == "dark"}
	if values.Get("lang") == locale.English.String() {
		p.lang = locale.English
	}
	return p, nil
}

// Badge returns the badge of a tool, living or retired, as SVG; a 404 for any other slug.
func Badge(v *view.View, slug string, p BadgeParams) (*view.File, error) {
	w := v.Text.In(p.lang)
	b := picture.Badge{Label: v.Catalog.Service().Name, Host: v.Host(), Colours: picture.ColoursOf(themeOf(v).Light)}
	if p.dark {
		b.Colours = picture.ColoursOf(themeOf(v).Chosen)
	}
	var name string
	if t, ok := v.Catalog.Tool(slug); ok {
		name = t.Name
		if b.Value = w.Must("badge.score", w.Measure(t.Score)); !t.Score.Known {
			b.Kind, b.Value = picture.Unscored, w.Must("badge.unscored")
		}
	} else if dead, ok := v.Catalog.Retired(slug); ok {
		name = dead.Name
		b.Kind, b.Value = picture.Retired, w.Must("badge.retired")
	} else {
		return nil, noSuchTool(slug)
	}
	b.Title = w.Must("badge.title", name, b.Value, v.Catalog.Service().Name)
	return &view.File{Type: "image/svg+xml", Body: b.SVG()}, nil
}

func noSuchTool(slug string) *web.Error {
	return web.Errorf(http.StatusNotFound, "there is no tool %s", slug)
}

var cardTexts = layout.Texts{
	"card.service":  {"Les outils d’IA, notés, comparés, servis en JSON.", "AI tools, scored, compared, served as JSON."},
	"card.ranked":   {"%s du classement · %s", "%s in the ranking · %s"},
	"card.unscored": {"%s · pas encore noté", "%s · not scored yet"},
	"card.out-of":   {"Note sur 10", "Score out of 10"},
	"card.retired":  {"%s, %s", "%s, %s"},
	"card.rated":    {"%s outil noté|%s outils notés", "%s tool scored|%s tools scored"},
	"card.prices":   {"Ce que coûtent les outils d’IA", "What AI tools cost"},
	"card.median":   {"par mois, prix médian", "a month, the median price"},
	"card.moved":    {"%s en un an", "%s in a year"},
	"card.same":     {"Le même prix qu’il y a un an", "The same as a year ago"},
}

// Card returns the social image of pages that are not about one tool.
func Card(v *view.View) (picture.Card, error) {
	c := blank(v)
	c.Line = v.Text.Must("card.service")
	return c, nil
}

// blank returns an empty card in the operator's theme.
func blank(v *view.View) picture.Card {
	c := picture.Card{Service: v.Catalog.Service().Name, Host: v.Host(), Colours: picture.ColoursOf(themeOf(v).Light)}
	if f, ok := v.Catalog.OperatorFile(catalog.LogoPicture); ok {
		c.Logo = &picture.Logo{Hash: f.Hash, PNG: f.Picture}
	}
	return c
}

// themeOf returns the operator's theme, or ours.
func themeOf(v *view.View) theme.Theme {
	css := ""
	if f, ok := v.Catalog.OperatorFile(catalog.ThemeFile); ok {
		css = f.Text
	}
	return theme.Read(css)
}

// ToolCard returns the social image of a tool, living or retired; a 404 for any other slug.
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

// ComparisonCard returns the social image of a published comparison; a 404 for any other slug.
func ComparisonCard(v *view.View, slug string) (picture.Card, error) {
	m, ok := v.Catalog.Comparison(slug)
	if !ok {
		return picture.Card{}, web.Errorf(http.StatusNotFound, "there is no comparison %s", slug)
	}
	c := blank(v)
	c.Slug, c.Title, c.Kicker = slug, v.Text.Choose(m.Title, m.English.Title), v.Category(m.Winning().Category)
	for i, t := range []*catalog.Tool{m.A, m.B} {
		side := picture.Corner{Name: t.Name, Slug: t.Slug, Price: v.Price(t.Price), Wins: t == m.Winning()}
		if t.Score.Known {
			side.Score, side.Tenths = v.Text.Measure(t.Score), int(t.Score.Rounded().Hundredths)/10
		}
		c.Duel[i] = side
	}
	return c, nil
}

// cardRows is how many tools the card of a category shows.
const cardRows = 3

// CategoryCard returns the social image of a category, with its first tools; a 404 for any other slug.
func CategoryCard(v *view.View, slug string) (picture.Card, error) {
	if !v.HasCategory(slug) {
		return picture.Card{}, web.Errorf(http.StatusNotFound, "there is no category %s", slug)
	}
	c := blank(v)
	scored := v.Catalog.Tools(catalog.ToolQuery{
		Paging: catalog.Paging{Page: 1, Limit: cardRows}, Categories: []string{slug}, ScoreMin: catalog.AtLeast(0),
	})
	c.Slug, c.Title, c.Kicker, c.Rows = slug, v.Category(slug), v.Text.Many("card.rated", scored.Total), []picture.Row{}
	for _, t := range scored.Items {
		c.Rows = append(c.Rows, picture.Row{Name: t.Name, Slug: t.Slug, Score: v.Text.Measure(t.Score)})
	}
	return c, nil
}

// PricesCard returns the social image of the page of prices: the median and how it moved. Without enough prices it is
// that of the service.
func PricesCard(v *view.View) (picture.Card, error) {
	months, enough := v.Figures.Prices.Category("").Drawn()
	if !enough {
		return Card(v)
	}
	c := blank(v)
	last := months[len(months)-1]
	c.Colours = picture.PriceColours(themeOf(v).Light)
	c.Title, c.Figure, c.OutOf = v.Text.Must("card.prices"), v.Text.Euros(last.Median), v.Text.Must("card.median")
	if at := len(months) - 13; at >= 0 {
		ago, now := catalog.Price{Cents: months[at].Median, Period: "mois"}, catalog.Price{Cents: last.Median, Period: "mois"}
		if percent := figures.PercentMoved(ago, now); percent != 0 {
			c.Line = v.Text.Must("card.moved", v.Text.Percent(percent))
		} else {
			c.Line = v.Text.Must("card.same")
		}
	}
	for _, m := range months {
		c.Curve = append(c.Curve, int(m.Median))
	}
	return c, nil
}
