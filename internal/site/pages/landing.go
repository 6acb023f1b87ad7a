package pages

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var landingTexts = layout.Texts{
	"landing.title": {"%s\u00a0: les outils d’IA, notés et comparés", "%s: AI tools, scored and compared"},
	"landing.description": {
		"Des outils d’intelligence artificielle notés sur dix, leurs prix en euros et leur historique, des comparatifs, et une API ouverte.",
		"AI tools scored out of ten, their prices in euros with their history, head-to-head comparisons, and an open API.",
	},
	"landing.first":   {"Un premier appel, tout de suite", "A first call, right now"},
	"landing.lang":    {"Langage", "Language"},
	"landing.headers": {"En-têtes de la réponse", "Response headers"},
	"landing.answer":  {"200, la réponse entière", "200, the whole response"},
	"landing.openapi": {"Toutes les opérations", "All operations"},

	"landing.week":          {"Ces derniers jours", "The last few days"},
	"landing.all":           {"Tous les changements", "All changes"},
	"landing.watch":         {"Suivre les outils que vous utilisez", "Follow the tools you use"},
	"landing.prices":        {"Prix", "Prices"},
	"landing.noprices":      {"Aucun prix n’a changé depuis sept jours.", "No price has changed in seven days."},
	"landing.new":           {"Nouveaux", "New"},
	"landing.nonew":         {"Aucun outil n’est entré depuis sept jours.", "No tool has been added in seven days."},
	"landing.nodeath":       {"Personne n’est encore mort.", "Nobody has died yet."},
	"landing.alive":         {"Aucun outil n’a été retiré depuis sept jours.", "No tool has been retired in the last seven days."},
	"landing.lastdeath":     {"Le dernier\u00a0:", "The latest:"},
	"landing.firstedition":  {"C’est la première édition\u00a0: tout y est nouveau.", "This is the first edition: everything is new."},
	"landing.rise":          {"passe à %s", "goes up to %s"},
	"landing.fall":          {"descend à %s", "comes down to %s"},
	"landing.free":          {"devient gratuit", "becomes free"},
	"landing.change":        {"passe à %s", "changes to %s"},
	"landing.before":        {"%s jusqu’au %s", "%s until %s"},
	"landing.entry":         {"%s, note %s", "%s, scored %s"},
	"landing.entryunscored": {"%s, pas encore noté", "%s, not scored yet"},

	"landing.comparisons": {"Face-à-face", "Head to head"},
	"landing.against":     {"contre", "against"},
	"landing.count":       {"Le seul comparatif|Les %s comparatifs", "The only comparison|All %s comparisons"},
	"landing.plans":       {"L’API", "The API"},
	"landing.details":     {"Comparer les offres", "Compare plans"},
	"landing.offers": {
		"%s requêtes par jour sans inscription, %s avec une clé gratuite, sans limite avec Pro, à 99\u00a0€ HT par mois.",
		"%s requests a day without signing up, %s with a free key, and no limit with Pro, at €99 a month before VAT.",
	},
}

// codeLanguages are the languages of the first API call, each with its program; %s is the URL.
var codeLanguages = []struct{ id, name, code string }{
	{"curl", "curl", "curl '%s'"},
	{"go", "Go", "resp, err := http.Get(\n\t\"%s\")"},
	{"typescript", "TypeScript", "const tool = await (await fetch(\n  \"%s\")).json();"},
	{"python", "Python", "import json, urllib.request as u\ntool = json.load(u.urlopen(\n    \"%s\"))"},
}

// LandingParams are the parameters of the landing page: the programming language of the first API call.
type LandingParams struct{ code int }

// ParseLanding parses the parameters of the landing page. It never fails: an unknown language, or an invalid query
// string, means the first language.
func ParseLanding(rawQuery string) (LandingParams, error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return LandingParams{}, nil //nolint:nilerr // the rest of the page does not depend on it
	}
	for i, l := range codeLanguages {
		if l.id == values.Get("lang") {
			return LandingParams{i}, nil
		}
	}
	return LandingParams{}, nil
}

type landingBody struct {
	firstScreen
	Stats       catalog.Stats
	First       firstCall
	Week        week
	Comparisons []catalog.ComparisonWithTools
	Plans       view.PlansTable
	Map         *priceMap // nil for too few tools
}

// A ranked is a tool of a ranking, or one that is new.
type ranked struct {
	*catalog.Tool
	Rank         int
	CategoryName string
}

// A firstCall is the sample API call of the landing page with its response.
type firstCall struct {
	Tabs   []tab
	Code   string
	Answer template.HTML
	Date   catalog.Date
}

type tab struct {
	Name, Path string
	Current    bool
}

// A week is the events of the last seven days.
type week struct {
	First  bool // the catalog has only one edition, in which everything is new
	Prices []priceMove
	New    []ranked
	Dead   *notice          // retired in these days; nil if none
	Last   *catalog.Retired // the last tool retired ever, if Dead is nil
}

// A priceMove is a change of price, in words.
type priceMove struct {
	*catalog.Tool
	Text    string
	Percent int // 0 if the two cannot be compared
	Before  string
	On      catalog.Date
}

const landingComparisons = 2

// Landing returns the landing page.
func Landing(v *view.View, params LandingParams) (*view.Document, error) {
	d := &view.Document{
		Template: "landing", TitleAlone: true, Feeds: []address.Page{address.FeedPrices, address.FeedNew, address.FeedCemetery},
		Title: v.Text.Must("landing.title", v.Catalog.Service().Name), Description: v.Text.Must("landing.description"),
		API: []string{"/api/v1/stats"},
	}
	d.NoIndex, d.OwnSearch = params != LandingParams{}, true
	body := landingBody{firstScreen: newFirstScreen(v), Stats: v.Catalog.Stats(), Week: newWeek(v), Plans: v.Plans(), Map: newPriceMap(v, catalog.ToolQuery{}, besideOthers(v, everyTool))}
	if top := v.Catalog.Tools(catalog.ToolQuery{Paging: oneItem}).Items; len(top) > 0 {
		first, err := newFirstCall(v, top[0].Slug, params.code)
		if err != nil {
			return nil, err
		}
		body.First = first
	}
	body.Comparisons = v.Catalog.Comparisons(catalog.ComparisonQuery{
		Paging: catalog.Paging{Page: 1, Limit: landingComparisons},
	}).Items
	d.Body = body
	return d, nil
}

func newFirstCall(v *view.View, slug string, code int) (firstCall, error) {
	path := "/api/v1/tools/" + slug
	answer, _ := v.Catalog.ToolJSON(slug)
	var indented bytes.Buffer
	if err := json.Indent(&indented, answer.Body, "", "  "); err != nil {
		return firstCall{}, err
	}
	f := firstCall{
		Code:   strings.ReplaceAll(codeLanguages[code].code, "%s", v.Base()+path),
		Answer: highlightJSON(indented.String()), Date: v.Catalog.Edition().Date(),
	}
	for i, l := range codeLanguages {
		to := v.Path(address.Landing) + "?lang=" + l.id + "#appel"
		if i == 0 {
			to = v.Path(address.Landing) + "#appel"
		}
		f.Tabs = append(f.Tabs, tab{l.name, to, i == code})
	}
	return f, nil
}

// highlightJSON returns JSON as HTML with keys and strings highlighted. It expects indented JSON, with one key per
// line.
func highlightJSON(s string) template.HTML {
	var b strings.Builder
	for line := range strings.Lines(s) {
		key, value, found := strings.Cut(line, `": `)
		if !found {
			b.WriteString(template.HTMLEscapeString(line))
			continue
		}
		quote := strings.IndexByte(key, '"')
		b.WriteString(key[:quote] + `<span class="k">` + template.HTMLEscapeString(key[quote:]+`"`) + `</span>: `)
		end := strings.LastIndexByte(value, '"')
		if !strings.HasPrefix(value, `"`) || end == 0 {
			b.WriteString(template.HTMLEscapeString(value))
			continue
		}
		b.WriteString(`<span class="s">` + template.HTMLEscapeString(value[:end+1]) + `</span>` + value[end+1:])
	}
	return template.HTML(b.String()) //nolint:gosec // it was escaped
}

// newWeek returns the events of the last seven days.
func newWeek(v *view.View) week {
	w := week{First: v.Catalog.Edition().Number == 1}
	if dead := v.Figures.Week.Dead; dead != nil {
		shown := newNotice(v, dead)
		w.Dead = &shown
	} else if dead := v.Catalog.Cemetery(catalog.CemeteryQuery{Paging: oneItem}).Items; len(dead) > 0 {
		w.Last = dead[0]
	}
	for _, r := range v.Figures.Week.Repriced {
		w.Prices = append(w.Prices, newPriceMove(v, r.Tool, r.On))
	}
	for _, t := range v.Figures.Week.Created {
		w.New = append(w.New, ranked{Tool: t, CategoryName: v.Category(t.Category)})
	}
	return w
}

// newPriceMove describes the last change of a tool's price. on is the day to show for it.
func newPriceMove(v *view.View, t *catalog.Tool, on catalog.Date) priceMove {
	if len(t.History) == 0 {
		return priceMove{Tool: t, On: on, Text: v.Text.Must("landing.change", v.Price(t.Price))}
	}
	change := figures.RepricingOf(t.History[0])
	m := priceMove{Tool: t, On: on, Percent: change.Percent, Before: v.Offer(change.Before)}
	switch {
	case change.After.Pricing == catalog.Free:
		m.Text = v.Text.Must("landing.free")
	case change.Percent > 0:
		m.Text = v.Text.Must("landing.rise", v.Offer(change.After))
	case change.Percent < 0:
		m.Text = v.Text.Must("landing.fall", v.Offer(change.After))
	default:
		m.Text = v.Text.Must("landing.change", v.Offer(change.After))
	}
	return m
}
