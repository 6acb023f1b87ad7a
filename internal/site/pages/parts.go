package pages

import (
	"html"
	"html/template"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// newPager makes the pager of a list at a path, whose parameters are those of the list without
// its page.
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

// shownPages are the pages of a list that a pager names: the first, the last, and those around one. No
// single page is left out: its number takes no more room than the sign for it.
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

// listPath is where a page of a list is.
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

// brief is the beginning of a text: as many whole sentences as fit, one at least.
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

// scale draws a score as a ruler of ten. The figure stands beside it, so nobody has it read out.
func scale(m catalog.Measure) template.HTML {
	if !m.Known {
		return ""
	}
	return chart.Scale(int(m.Hundredths))
}

var tags = regexp.MustCompile(`<[^>]*>`)

// plainHTML is the text of markup that we wrote.
func plainHTML(h template.HTML) string {
	return html.UnescapeString(tags.ReplaceAllString(string(h), ""))
}

// decimal writes a number that has a decimal point the way of the language.
func decimal(v *view.View, s string) string {
	if v.Text.Language == locale.French {
		s = strings.ReplaceAll(s, ".", ",")
	}
	return strings.ReplaceAll(s, "-", "\u2212")
}
