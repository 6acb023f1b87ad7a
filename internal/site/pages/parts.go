package pages

import (
	"html"
	"html/template"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// newPager returns the pager for page p of the list at path. params are the parameters of the list; the number of the
// page among them is ignored.
func newPager[T any](path string, params url.Values, p catalog.Page[T]) layout.Pager {
	at := func(n int) string {
		if n < 1 || n > p.Pages() {
			return ""
		}
		return listPath(path, params, n)
	}
	pager := layout.Pager{
		Page: p.Number, Pages: max(p.Pages(), 1),
		Previous: at(min(p.Number-1, p.Pages())), Next: at(p.Number + 1),
	}
	last := 0
	for _, n := range shownPages(min(p.Number, pager.Pages), pager.Pages) {
		if n > last+1 {
			pager.Numbers = append(pager.Numbers, layout.PageLink{})
		}
		pager.Numbers = append(pager.Numbers, layout.PageLink{Number: n, Path: at(n), Current: n == p.Number})
		last = n
	}
	return pager
}

// shownPages returns the numbers of the pages that a pager shows: the first, the last, and those around the current
// one. A gap is never a single page, whose number would take no more room than the ellipsis.
func shownPages(current, pages int) []int {
	const around = 1
	from, to := max(current-around, 1), min(current+around, pages)
	if from <= 3 {
		from = 1
	}
	if to >= pages-2 {
		to = pages
	}
	var shown []int
	if from > 1 {
		shown = append(shown, 1)
	}
	for n := from; n <= to; n++ {
		shown = append(shown, n)
	}
	if to < pages {
		shown = append(shown, pages)
	}
	return shown
}

// listPath returns the path and query of a page of the list at path. It changes params.
func listPath(path string, params url.Values, page int) string {
	params.Del("page")
	if page > 1 {
		params.Set("page", strconv.Itoa(page))
	}
	if len(params) == 0 {
		return path
	}
	return path + "?" + params.Encode()
}

// comparePath returns the path of the page that puts these tools side by side, in any order, with texts that name more.
func comparePath(v *view.View, slugs []string, typed ...string) string {
	slugs = slices.Compact(slices.Sorted(slices.Values(slugs)))
	to := params.SideBySide{Tools: strings.Join(slugs, ",")}
	copy(to.Typed[:], typed)
	return v.Path(address.Compare) + to.In(v.Text.Language)
}

// followPath returns the address of a reader's list that has these tools.
func followPath(v *view.View, slugs ...string) string {
	return v.Path(address.Watch) + params.Watch{}.With(slugs...).In(v.Text.Language)
}

// brief shortens a text to as many whole sentences as fit in the given number of bytes, but at least one.
func brief(s string, most int) string {
	end := 0
	for i := range len(s) {
		whole := s[i] == '.' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n')
		if whole && (end == 0 || i < most) {
			end = i + 1
		}
	}
	if end == 0 {
		return s
	}
	return s[:end]
}

// scale draws a score as a ruler from 0 to 10; "" for an unknown one. Screen readers skip it, because the number is
// beside it.
func scale(m catalog.Measure) template.HTML {
	if !m.Known {
		return ""
	}
	return chart.Scale(int(m.Hundredths))
}

var tags = regexp.MustCompile(`<[^>]*>`)

// plainHTML returns the text of HTML that this program wrote, without the tags.
func plainHTML(h template.HTML) string {
	return html.UnescapeString(tags.ReplaceAllString(string(h), ""))
}

// decimal converts a number with a decimal point to the notation of the page's language.
func decimal(v *view.View, s string) string {
	if v.Text.Language == locale.French {
		s = strings.ReplaceAll(s, ".", ",")
	}
	return strings.ReplaceAll(s, "-", "\u2212")
}

// A notice is a death notice: a retired tool with its note.
type notice struct {
	*catalog.Retired
	Paragraphs []template.HTML // of the note
	Outdated   bool            // the translation of the note is from an earlier version of it
	Instead    successor
	Next       string // the path of the page of alternatives; "" for no link
}

func newNotice(v *view.View, r *catalog.Retired) notice {
	return notice{
		Retired: r, Paragraphs: translatedParagraphs(v, r.Note, r.English.Note),
		Outdated: v.Text.Shows(r.English.Note) && r.English.Note.Outdated(r.Note), Instead: newSuccessor(v, r.Successor),
		Next: v.Path(address.Alternatives, r.Slug),
	}
}

// translatedParagraphs returns the paragraphs of a note in the language of the page, or in French.
func translatedParagraphs(v *view.View, french string, t catalog.Translation) []template.HTML {
	var out []template.HTML
	if v.Text.Shows(t) {
		for _, p := range paragraphs(t.Text) {
			out = append(out, view.Escaped(p))
		}
		return out
	}
	for _, p := range paragraphs(french) {
		out = append(out, v.Text.French(p))
	}
	return out
}

// paragraphs splits a note of the catalog into paragraphs.
func paragraphs(note string) []string {
	var out []string
	for p := range strings.SplitSeq(note, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

var bylineTexts = layout.Texts{
	"byline.tested":  {"Testé par %s le %s", "Tested by %s on %s"},
	"byline.editors": {"Par la rédaction de %s", "By the editors of %s"},
	"byline.updated": {"mis à jour le %s", "updated on %s"},
}

// A byline says who wrote about a tool, when, and where to read how they work.
type byline struct {
	By, Updated string
	Method      layout.Section
}

func newByline(v *view.View, t *catalog.Tool) byline {
	b := byline{
		By:      v.Text.Must("byline.editors", v.Catalog.Service().Name),
		Updated: v.Text.Must("byline.updated", v.Text.Date(t.UpdatedAt.Time())), Method: method(v),
	}
	if t.Tested.By != "" {
		b.By = v.Text.Must("byline.tested", t.Tested.By, v.Text.Date(t.Tested.On.Time()))
	}
	return b
}

// method returns the link to the page that says how the operator works.
func method(v *view.View) (found layout.Section) {
	for _, p := range v.Operator().Pages {
		if p.Kind == address.Method.Name {
			found = p
		}
	}
	return found
}

// A choice is a link that filters a list by a value.
type choice struct {
	Name    template.HTML
	Count   int
	Path    string
	Current bool // somebody chose it; what is shown without a choice is not marked
}

// choose returns a choice that links to the list with these parameters and key set to value; "" removes key.
func choose(name template.HTML, count int, path string, params url.Values, key, value string) choice {
	c := choice{Name: name, Count: count, Current: value != "" && params.Get(key) == value}
	to := maps.Clone(params)
	to.Del(key)
	if value != "" {
		to.Set(key, value)
	}
	c.Path = listPath(path, to, 1)
	return c
}

// fresh returns how current a tool is, from 0 to 10: the other way round than its obsolescence in the API, so that more is
// better in all that pages show.
func fresh(m catalog.Measure) catalog.Measure {
	if !m.Known {
		return m
	}
	return catalog.Hundredths(1000 - int(m.Hundredths))
}

// oneItem is the paging of a query of which only the total counts.
var oneItem = catalog.Paging{Page: 1, Limit: 1}

// byCategory returns a choice for each category in which count finds something, and for the chosen one. The first
// choice is all categories, under the name all.
func byCategory(v *view.View,
	all, path string, params url.Values, count func(category string) int,
) []choice {
	const key = "category"
	choices := []choice{choose(view.Escaped(all), count(""), path, params, key, "")}
	add := func(c catalog.Category) {
		if n := count(c.Slug); n > 0 || c.Slug == params.Get(key) {
			choices = append(choices, choose(v.Text.Translated(c.Label, c.English), n, path, params, key, c.Slug))
		}
	}
	for _, c := range v.Catalog.Categories() {
		add(c.Category)
	}
	return choices
}

var gapTexts = layout.Texts{
	"gap.more":       {"%s de plus", "%s more"},
	"gap.less":       {"%s de moins", "%s less"},
	"gap.more.month": {"%s de plus par mois", "%s more a month"},
	"gap.less.month": {"%s de moins par mois", "%s less a month"},
	"gap.bit.more":   {"un rien de plus", "a touch more"},
	"gap.bit.less":   {"un rien de moins", "a touch less"},
	"gap.same":       {"à égalité", "level"},
	"gap.same.score": {"même note", "same score"},
	"gap.same.price": {"même prix", "same price"},
	"gap.free":       {"ne coûte rien", "costs nothing"},
	"gap.paid":       {"n’est pas gratuit", "is not free"},
	"gap.periods":    {"autre unité de facturation", "different billing unit"},
	"gap.unscored":   {"pas de note à comparer", "no score to compare"},
}

// measureGap returns in words how far measure a is above or below b. It subtracts the rounded figures that the page
// shows, so that a reader who subtracts them gets the same.
func measureGap(v *view.View, a, b catalog.Measure) string {
	if !a.Known || !b.Known {
		return v.Text.Must("gap.unscored")
	}
	shown := int(a.Rounded().Hundredths) - int(b.Rounded().Hundredths)
	switch {
	case a == b:
		return v.Text.Must("gap.same.score")
	case shown > 0:
		return v.Text.Must("gap.more", v.Text.Measure(catalog.Hundredths(shown)))
	case shown < 0:
		return v.Text.Must("gap.less", v.Text.Measure(catalog.Hundredths(-shown)))
	case a.Hundredths > b.Hundredths:
		return v.Text.Must("gap.bit.more")
	default:
		return v.Text.Must("gap.bit.less")
	}
}

// priceGap returns how much dearer or cheaper a price is than another, per month.
func priceGap(v *view.View, a, b string) string {
	x, xOK := monthlyCents(a)
	y, yOK := monthlyCents(b)
	switch {
	case a == b || xOK && yOK && x == y:
		return v.Text.Must("gap.same.price")
	case xOK && x == 0:
		return v.Text.Must("gap.free")
	case yOK && y == 0 && !xOK:
		return v.Text.Must("gap.paid")
	case !xOK || !yOK:
		return v.Text.Must("gap.periods")
	case x > y:
		return v.Text.Must("gap.more.month", v.Text.Euros(x-y))
	default:
		return v.Text.Must("gap.less.month", v.Text.Euros(y-x))
	}
}

// monthlyCents returns a price converted to cents per month. ok is false if it cannot be converted.
func monthlyCents(price string) (cents int64, ok bool) {
	p, ok := catalog.ParsePrice(price)
	if !ok {
		return 0, false
	}
	return p.Monthly()
}

// chartFrame returns the frame of a chart with the formats that the charts of the page share.
func chartFrame(v *view.View, width, height int, title string) chart.Frame {
	return chart.Frame{
		Title: title, Width: width, Height: height,
		Value: v.Text.Integer, Month: v.Text.ShortMonth, Day: v.Text.DayMonth,
	}
}
