package site

import (
	"net/http"
	"net/url"

	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/web"
)

var badgeTexts = texts{
	"badge.score":    {"%s sur 10", "%s out of 10"},
	"badge.unscored": {"pas encore noté", "not scored yet"},
	"badge.retired":  {"retiré", "retired"},
	"badge.title":    {"%s\u00a0: %s, selon %s", "%s: %s, says %s"},
}

// badgeParams are how a page wants the badge. It is in French unless it asks for English: it has
// one address whatever the language of the page where it was copied.
type badgeParams struct {
	dark bool
	lang locale.Language
}

// parseBadge reads the parameters. What it does not know it leaves alone: a badge that was wrongly
// copied is better than none.
func parseBadge(rawQuery string) (any, error) {
	values, _ := url.ParseQuery(rawQuery)
	p := badgeParams{dark: values.Get("theme") == "dark"}
	if values.Get("lang") == locale.English.String() {
		p.lang = locale.English
	}
	return p, nil
}

// rawBadge is the badge of a tool, living or retired.
func rawBadge(r *request) (string, []byte, error) {
	p, _ := r.params.(badgeParams)
	w := r.In(p.lang)
	b := picture.Badge{Label: r.Service().Name, Host: r.host(), Dark: p.dark}
	var name string
	if t, ok := r.Tool(r.slug); ok {
		name = t.Name
		if b.Value = w.Must("badge.score", w.Measure(t.Score)); !t.Score.Known {
			b.Kind, b.Value = picture.Unscored, w.Must("badge.unscored")
		}
	} else if dead, ok := r.Retired(r.slug); ok {
		name = dead.Name
		b.Kind, b.Value = picture.Retired, w.Must("badge.retired")
	} else {
		return "", nil, noSuchTool(r.slug)
	}
	b.Title = w.Must("badge.title", name, b.Value, r.Service().Name)
	return "image/svg+xml", b.SVG(), nil
}

func noSuchTool(slug string) *web.Error {
	return web.Errorf(http.StatusNotFound, "there is no tool %s", slug)
}

// host is that of the site's own address.
func (r *request) host() string {
	u, err := url.Parse(r.base())
	if err != nil {
		return ""
	}
	return u.Hostname()
}
