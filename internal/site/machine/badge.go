package machine

import (
	"net/http"
	"net/url"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var badgeTexts = layout.Texts{
	"badge.score":    {"%s sur 10", "%s out of 10"},
	"badge.unscored": {"pas encore noté", "not scored yet"},
	"badge.retired":  {"retiré", "retired"},
	"badge.title":    {"%s\u00a0: %s, selon %s", "%s: %s, according to %s"},
}

// BadgeParams are how a page wants the badge. It is in French unless it asks for English: it has
// one address whatever the language of the page where it was copied.
type BadgeParams struct {
	dark bool
	lang locale.Language
}

// ParseBadge reads the parameters. What it does not know it leaves alone: a badge that was wrongly
// copied is better than none.
func ParseBadge(rawQuery string) (BadgeParams, error) {
	values, _ := url.ParseQuery(rawQuery)
	p := BadgeParams{dark: values.Get("theme") == "dark"}
	if values.Get("lang") == locale.English.String() {
		p.lang = locale.English
	}
	return p, nil
}

// Badge is the badge of a tool, living or retired.
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
