package site

import (
	"errors"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"regexp"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/markdown"
	"github.com/palmares-hq/palmares/internal/web"
)

var twinTexts = texts{
	"twin.colon":     {"\u00a0: ", ": "},
	"twin.rank":      {"Rang", "Rank"},
	"twin.outof":     {"%s / 10", "%s / 10"},
	"twin.category":  {"Catégorie", "Category"},
	"twin.page":      {"La page", "The page"},
	"twin.scoredfor": {"%s, note %s", "%s, score %s"},
}

// A twin is a page of the catalog as Markdown: what the page says, from the same values.
type twin struct {
	linesWriter
	r *request
}

// newTwin begins the twin of a page of that kind. The request is then one for the page.
func newTwin(r *request, kind string) *twin {
	page := *r
	page.kind = r.router.kinds[kind]
	return &twin{linesWriter{base: r.base()}, &page}
}

func (t *twin) bytes() (string, []byte, error) { return markdownType, []byte(t.text.String()), nil }

func (t *twin) heading(level, text string) {
	t.line(level, " ", markdown.Text(text))
	t.line()
}

func (t *twin) paragraph(text string) {
	t.line(markdown.Text(text))
	t.line()
}

// fact writes an entry of a list: a name and a value.
func (t *twin) fact(name, value string) {
	t.line("- ", markdown.Text(name), t.r.Must("twin.colon"), markdown.Text(value))
}

// to writes an entry of a list that leads to another twin.
func (t *twin) to(name, kind, slug, note string) {
	t.link(markdown.Text(name), t.r.path(kind, slug), markdown.Text(note))
}

// calls writes how to have the same data from the API, and where the page is.
func (t *twin) calls(calls []call) {
	t.heading("##", t.r.Must("tool.api"))
	for _, c := range calls {
		t.line("- `GET ", c.Path, "`")
	}
	t.link(t.r.Must("twin.page"), t.r.path(t.r.kind.name, t.r.slug), "")
}

var tags = regexp.MustCompile(`<[^>]*>`)

// plainHTML is the text of markup that we wrote.
func plainHTML(h template.HTML) string {
	return html.UnescapeString(tags.ReplaceAllString(string(h), ""))
}

// rawTool is the page of a tool as Markdown.
func rawTool(r *request) (string, []byte, error) {
	t := newTwin(r, "tool")
	d, err := viewTool(t.r)
	if err != nil {
		return "", nil, err
	}
	body, _ := d.Body.(toolBody)
	if body.Retired != nil {
		t.retired(body.Retired)
		return t.bytes()
	}
	t.heading("#", body.Name)
	t.paragraph(locale.FrenchText(body.Tagline))
	t.facts(body.Tool)
	if body.Rank.Overall > 0 {
		t.fact(r.Must("twin.rank"), r.Must("tool.overall", r.Ordinal(body.Rank.Overall), r.Integer(body.Tested))+", "+
			r.Must("tool.incategory", r.Ordinal(body.Rank.InCategory)))
	}
	t.fact(r.Must("tool.site"), "https://"+body.Domain+"/")
	t.line()
	t.prices(body.Price)
	t.heading("##", r.Must("tool.review"))
	if body.Review.Exists {
		t.to(r.Must("tool.review.all"), "review source", body.Slug, "")
	} else {
		t.line(r.Must("tool.review.none"))
	}
	t.line()
	t.heading("##", r.Must("tool.duels"))
	for _, m := range body.Duels {
		t.duel(m)
	}
	if len(body.Duels) == 0 {
		t.line(r.Must("tool.duels.none"))
	}
	t.line()
	t.heading("##", r.Must("tool.instead"))
	t.tools(body.Alternatives, r.Must("tool.instead.none"))
	t.calls(body.Calls)
	return t.bytes()
}

// facts are what every page says of a tool.
func (t *twin) facts(tool *catalog.Tool) {
	r := t.r
	score, verifiability := r.Must("tool.unscored"), r.Must("tool.unverified")
	if tool.Score.Known {
		score = r.Must("twin.outof", r.Measure(tool.Score))
	}
	if tool.Verifiability.Known {
		verifiability = r.Must("twin.outof", r.Measure(tool.Verifiability))
	}
	t.fact(r.Must("tool.score"), score)
	t.fact(r.Must("tool.verifiability"), verifiability)
	t.fact(r.Must("tool.price"), r.price(tool.Price))
	t.fact(r.Must("tool.pricing"), r.Must("pricing."+string(tool.Pricing)))
	t.fact(r.Must("tool.icp"), r.Must("icp."+string(tool.ICP)))
	t.fact(r.Must("twin.category"), locale.FrenchText(r.category(tool.Category)))
	t.fact(r.Must("tool.updated"), r.Date(tool.UpdatedAt.Time()))
}

// prices are the price and its history.
func (t *twin) prices(p pricePage) {
	r := t.r
	t.heading("##", r.Must("toolprice.title"))
	t.paragraph(plainHTML(p.Sentence))
	if len(p.Changes) == 0 {
		return
	}
	t.line("| ", r.Must("toolprice.date"), " | ", r.Must("toolprice.before"), " | ", r.Must("toolprice.after"), " |")
	t.line("|---|---|---|")
	for _, c := range p.Changes {
		before, after := r.price(c.OldPrice), r.price(c.NewPrice)
		if c.OldPricing != c.NewPricing {
			before += ", " + r.Must("pricing."+string(c.OldPricing))
			after += ", " + r.Must("pricing."+string(c.NewPricing))
		}
		t.line("| ", r.Date(c.ChangedAt.Time()), " | ", markdown.Text(before), " | ", markdown.Text(after), " |")
	}
	t.line()
}

// duel leads to a comparison.
func (t *twin) duel(m catalog.Matchup) {
	t.to(locale.FrenchText(m.Title), "comparison source", m.Slug, t.r.Must("comparison.winner")+t.r.Must("twin.colon")+m.Winning().Name)
}

// tools leads to tools, or says why there are none.
func (t *twin) tools(tools []*catalog.Tool, none string) {
	for _, other := range tools {
		note := t.r.price(other.Price)
		if other.Score.Known {
			note = t.r.Must("twin.scoredfor", note, t.r.Measure(other.Score))
		}
		t.to(other.Name, "tool source", other.Slug, note)
	}
	if len(tools) == 0 {
		t.line(none)
	}
	t.line()
}

// retired is the notice of a tool in the cemetery.
func (t *twin) retired(dead *retiredBody) {
	r := t.r
	t.heading("#", r.Must("tool.retired.title", dead.Name))
	t.paragraph(r.Must("tool.retired.when", r.Must("reason."+string(dead.Reason)), r.Date(dead.RetiredAt.Time())))
	for _, p := range dead.Paragraphs {
		t.paragraph(locale.FrenchText(p))
	}
	t.heading("##", r.Must("tool.retired.living"))
	t.tools(dead.Living, r.Must("tool.retired.alone"))
	t.calls([]call{dead.Call})
}

// rawReview is a review as Markdown. That of a retired tool is gone, as its page is.
func rawReview(r *request) (string, []byte, error) {
	t := newTwin(r, "review")
	d, err := viewReview(t.r)
	if err != nil {
		return "", nil, err
	}
	body, _ := d.Body.(reviewBody)
	switch {
	case d.status() == http.StatusGone:
		return "", nil, web.Errorf(http.StatusGone, "the review of %s is gone", r.slug)
	case d.Redirect != "":
		return "", nil, web.Errorf(http.StatusNotFound, "there is no review of %s", r.slug)
	}
	source, err := r.Review(r.slug)
	if err != nil && !errors.Is(err, catalog.ErrNoMarkdown) {
		return "", nil, fmt.Errorf("reading the review of %s: %w", r.slug, err)
	}
	t.heading("#", body.Heading)
	t.paragraph(locale.FrenchText(sentence(body.Tagline)))
	t.facts(body.Tool)
	t.line()
	if body.Missing != "" {
		t.paragraph(body.Missing)
	}
	for _, s := range body.Sections {
		if s.ID != catalog.SummaryID {
			t.heading("##", s.Heading)
		}
		for _, p := range s.Paragraphs {
			t.paragraph(p)
		}
	}
	t.text.WriteString(markdown.Source(source, t.base, locale.FrenchText))
	t.to(r.Must("review.tool"), "tool source", r.slug, "")
	t.line()
	t.calls(body.Calls)
	return t.bytes()
}

// rawComparison is a comparison as Markdown.
func rawComparison(r *request) (string, []byte, error) {
	t := newTwin(r, "comparison")
	d, err := viewComparison(t.r)
	if err != nil {
		return "", nil, err
	}
	body, _ := d.Body.(comparisonBody)
	t.heading("#", locale.FrenchText(body.Title))
	t.fact(r.Must("comparison.winner"), body.Winning().Name)
	t.line()
	t.heading("##", r.Must("comparison.why", body.Winning().Name))
	for _, p := range body.Why {
		t.paragraph(locale.FrenchText(p))
	}
	if body.UpdatedAt != "" {
		t.paragraph(r.Must("comparison.updated", r.Date(body.UpdatedAt.Time())))
	}
	t.differences(body)
	t.heading("##", body.A.Name+", "+body.B.Name)
	t.tools([]*catalog.Tool{body.A, body.B}, "")
	if len(body.Others) > 0 {
		t.heading("##", r.Must("comparison.others"))
		for _, m := range body.Others {
			t.duel(m)
		}
		t.line()
	}
	var calls []call
	if body.Call.Path != "" {
		calls = append(calls, body.Call)
	}
	t.calls(calls)
	return t.bytes()
}

// differences are those of the two tools of a comparison.
func (t *twin) differences(body comparisonBody) {
	r := t.r
	if body.Buried != "" {
		return
	}
	t.heading("##", r.Must("comparison.differences"))
	if len(body.Differences) == 0 {
		t.paragraph(r.Must("comparison.alike"))
		return
	}
	t.line("| ", strings.Join([]string{
		r.Must("comparison.what"), markdown.Text(body.A.Name), markdown.Text(body.B.Name), r.Must("comparison.gap"),
	}, " | "), " |")
	t.line("|---|---|---|---|")
	for _, d := range body.Differences {
		t.line("| ", strings.Join([]string{
			d.Name, markdown.Text(d.Values[0]), markdown.Text(d.Values[1]), markdown.Text(d.Gap),
		}, " | "), " |")
	}
	t.line()
	if body.Same != "" {
		t.paragraph(r.Must("comparison.same", body.Same))
	}
}
