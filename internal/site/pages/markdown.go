package pages

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/markdown"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var markdownTexts = layout.Texts{
	"markdown.colon":     {"\u00a0: ", ": "},
	"markdown.rank":      {"Rang", "Rank"},
	"markdown.outof":     {"%s / 10", "%s / 10"},
	"markdown.category":  {"Catégorie", "Category"},
	"markdown.page":      {"La page", "The page"},
	"markdown.scoredfor": {"%s, note %s", "%s, score %s"},
}

// A markdownPage builds the Markdown of a page, from the same data as its HTML.
type markdownPage struct {
	view.Lines
	v      *view.View
	french bool // the notice that a text is in French has been written
}

func newMarkdownPage(v *view.View) *markdownPage {
	return &markdownPage{Lines: view.Lines{Base: v.Base()}, v: v}
}

// file returns the text written so far as a file.
func (md *markdownPage) file() (*view.File, error) { return md.File(view.MarkdownType), nil }

// choose returns a text of the catalog in the language of the page, or else in French. On an English page, it puts a
// notice before the first French text, as the HTML does.
func (md *markdownPage) choose(french string, t catalog.Translation) string {
	chosen := md.v.Text.Choose(french, t)
	if md.french || !md.v.Foreign() || md.v.Text.Shows(t) {
		return chosen
	}
	md.french = true
	return md.v.Text.Must("frame.intongue") + " " + chosen
}

// note writes a note of the catalog, paragraph by paragraph.
func (md *markdownPage) note(french string, t catalog.Translation) {
	for _, p := range paragraphs(md.choose(french, t)) {
		md.paragraph(p)
	}
}

// category returns the label of a category in the language of the page, or else in French.
func (md *markdownPage) category(slug string) string {
	c := md.v.CategoryOf(slug)
	return md.v.Text.Choose(c.Label, c.English)
}

// earlier writes a notice that a translation is from an earlier version, if it is outdated.
func (md *markdownPage) earlier(outdated bool) {
	if outdated {
		md.paragraph(md.v.Text.Must("translation.outdated"))
	}
}

func (md *markdownPage) heading(level, text string) {
	md.Line(level, " ", markdown.Text(text))
	md.Line()
}

func (md *markdownPage) paragraph(text string) {
	md.Line(markdown.Text(text))
	md.Line()
}

// fact writes a list item: a name and a value.
func (md *markdownPage) fact(name, value string) {
	md.Line("- ", markdown.Text(name), md.v.Text.Must("markdown.colon"), markdown.Text(value))
}

// to writes a list item that links to the Markdown of another page.
func (md *markdownPage) to(name string, page address.Page, slug, note string) {
	md.Link(markdown.Text(name), md.v.Path(page, slug), markdown.Text(note))
}

// calls writes the section with the API calls that return the same data, and a link to the HTML page.
func (md *markdownPage) calls(calls []layout.Call, page address.Page, slug string) {
	md.heading("##", md.v.Text.Must("tool.api"))
	for _, c := range calls {
		md.Line("- `GET ", c.Path, "`")
	}
	md.Link(md.v.Text.Must("markdown.page"), md.v.Path(page, slug), "")
}

// ToolMarkdown returns the page of a tool as Markdown.
func ToolMarkdown(v *view.View, slug string) (*view.File, error) {
	md := newMarkdownPage(v)
	d, err := Tool(v, slug)
	if err != nil {
		return nil, err
	}
	body, _ := d.Body.(toolBody)
	if body.Retired != nil {
		md.retired(body.Retired)
		return md.file()
	}
	md.heading("#", body.Name)
	md.tagline(body.Tool)
	md.earlier(body.Outdated)
	md.ending(body.End)
	md.facts(body.Tool)
	if body.Rank.Overall > 0 {
		md.fact(v.Text.Must("markdown.rank"), v.Text.Must("tool.overall", v.Text.Ordinal(body.Rank.Overall), v.Text.Integer(body.Scored))+", "+
			v.Text.Must("tool.incategory", v.Text.Ordinal(body.Rank.InCategory)))
	}
	md.fact(v.Text.Must("tool.site"), "https://"+body.Domain+"/")
	md.Line()
	md.sources(map[string]check{"tool.price": body.Checks.Price, "tool.score": body.Checks.Score, "tool.site": body.Checks.Domain})
	md.prices(body.Price)
	md.heading("##", v.Text.Must("tool.review"))
	if tested := body.Tested; tested.By != "" {
		md.paragraph(v.Text.Must("byline.tested", tested.By, v.Text.Date(tested.On.Time())))
	}
	if body.Review.Exists {
		md.to(v.Text.Must("tool.review.all"), address.ReviewSource, body.Slug, "")
	} else {
		md.Line(v.Text.Must("tool.review.none"))
	}
	md.Line()
	md.heading("##", v.Text.Must("tool.comparisons"))
	for _, m := range body.Comparisons {
		md.comparison(m)
	}
	if len(body.Comparisons) == 0 {
		md.Line(v.Text.Must("tool.comparisons.none"))
	}
	md.Line()
	md.heading("##", v.Text.Must("tool.instead"))
	md.tools(body.Alternatives.Tools, body.Lacking)
	md.calls(body.Calls, address.Tool, slug)
	return md.file()
}

// tagline writes the tagline of a tool as a sentence.
func (md *markdownPage) tagline(t *catalog.Tool) {
	english := t.English.Tagline
	english.Text = view.Sentence(english.Text)
	md.paragraph(md.choose(view.Sentence(t.Tagline), english))
}

// facts writes the score, price and other properties of a tool as list items.
func (md *markdownPage) facts(tool *catalog.Tool) {
	score, verifiability := md.v.Text.Must("tool.unscored"), md.v.Text.Must("tool.unverified")
	if tool.Score.Known {
		score = md.v.Text.Must("markdown.outof", md.v.Text.Measure(tool.Score))
	}
	if tool.Verifiability.Known {
		verifiability = md.v.Text.Must("markdown.outof", md.v.Text.Measure(tool.Verifiability))
	}
	md.fact(md.v.Text.Must("tool.score"), score)
	md.fact(md.v.Text.Must("tool.verifiability"), verifiability)
	md.fact(md.v.Text.Must("tool.price"), md.v.Price(tool.Price))
	md.fact(md.v.Text.Must("tool.pricing"), md.v.Text.Must("pricing."+string(tool.Pricing)))
	md.fact(md.v.Text.Must("tool.icp"), md.v.Text.Must("icp."+string(tool.ICP)))
	md.fact(md.v.Text.Must("markdown.category"), md.category(tool.Category))
	md.fact(md.v.Text.Must("tool.updated"), md.v.Text.Date(tool.UpdatedAt.Time()))
}

// ending writes the announced end of a tool, if there is one.
func (md *markdownPage) ending(e ending) {
	if e.Said == "" {
		return
	}
	md.paragraph(e.Said)
	if e.Source != "" {
		md.source(md.v.Text.Must("ending.source"), e.Source)
		md.Line()
	}
	md.instead(e.Instead)
}

// source writes a list item with a link to another site.
func (md *markdownPage) source(text, url string) {
	md.Line("- ", markdown.Text(text), ", <", strings.NewReplacer("<", "%3C", ">", "%3E").Replace(url), ">")
}

// instead writes a link to the tool to use instead.
func (md *markdownPage) instead(s successor) {
	if s.Name != "" {
		md.to(s.Name, address.ToolSource, s.Slug, strings.TrimRight(md.v.Text.Must("ending.instead"), "\u00a0:"))
		md.Line()
	}
}

// sources writes the section with the sources of values. The keys of checks are the names of the texts that name the
// values. It removes the unknown checks from the map.
func (md *markdownPage) sources(checks map[string]check) {
	maps.DeleteFunc(checks, func(_ string, c check) bool { return c.Said == "" })
	if len(checks) == 0 {
		return
	}
	md.heading("##", md.v.Text.Must("fact.sources"))
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		c := checks[name]
		md.source(md.v.Text.Must(name)+md.v.Text.Must("markdown.colon")+c.Said, c.Source)
	}
	md.Line()
}

// prices writes the price and its history.
func (md *markdownPage) prices(p pricePage) {
	md.heading("##", md.v.Text.Must("toolprice.title"))
	md.paragraph(plainHTML(p.Sentence))
	if len(p.Changes) == 0 {
		return
	}
	md.Line("| ", md.v.Text.Must("toolprice.date"), " | ", md.v.Text.Must("toolprice.before"), " | ", md.v.Text.Must("toolprice.after"), " |")
	md.Line("|---|---|---|")
	for _, c := range p.Changes {
		before, after := md.v.Price(c.OldPrice), md.v.Price(c.NewPrice)
		if c.OldPricing != c.NewPricing {
			before += ", " + md.v.Text.Must("pricing."+string(c.OldPricing))
			after += ", " + md.v.Text.Must("pricing."+string(c.NewPricing))
		}
		md.Line("| ", md.v.Text.Date(c.ChangedAt.Time()), " | ", markdown.Text(before), " | ", markdown.Text(after), " |")
	}
	md.Line()
}

// comparison writes a link to a comparison.
func (md *markdownPage) comparison(m catalog.ComparisonWithTools) {
	md.to(md.choose(m.Title, m.English.Title), address.ComparisonSource, m.Slug, md.v.Text.Must("comparison.winner")+md.v.Text.Must("markdown.colon")+m.Winning().Name)
}

// tools writes links to tools with their prices and scores, or none if there are no tools.
func (md *markdownPage) tools(tools []*catalog.Tool, none string) {
	for _, other := range tools {
		note := md.v.Price(other.Price)
		if other.Score.Known {
			note = md.v.Text.Must("markdown.scoredfor", note, md.v.Text.Measure(other.Score))
		}
		md.to(other.Name, address.ToolSource, other.Slug, note)
	}
	if len(tools) == 0 {
		md.Line(none)
	}
	md.Line()
}

// retired writes the page of a retired tool.
func (md *markdownPage) retired(dead *retiredBody) {
	md.heading("#", md.v.Text.Must("tool.retired.title", dead.Name))
	md.paragraph(md.v.Text.Must("tool.retired.when", md.v.Text.Must("reason."+string(dead.Reason)), md.v.Text.Date(dead.RetiredAt.Time())))
	md.note(dead.Note, dead.English.Note)
	md.earlier(dead.Outdated)
	md.instead(dead.Instead)
	md.sources(map[string]check{"tool.retired.date": dead.Check})
	md.heading("##", md.v.Text.Must("tool.retired.living"))
	md.tools(dead.Living.Tools, md.v.Text.Must("tool.retired.alone"))
	md.calls([]layout.Call{dead.Call}, address.Tool, dead.Slug)
}

// ReviewMarkdown returns the page of a tool's review as Markdown. It is a 410 for a retired tool, like the page, and a
// 404 if there is no review.
func ReviewMarkdown(v *view.View, slug string) (*view.File, error) {
	md := newMarkdownPage(v)
	d, err := Review(v, slug)
	if err != nil {
		return nil, err
	}
	body, _ := d.Body.(reviewBody)
	switch {
	case d.HTTPStatus() == http.StatusGone:
		return nil, web.Errorf(http.StatusGone, "the review of %s is gone", slug)
	case d.Redirect != "":
		return nil, web.Errorf(http.StatusNotFound, "there is no review of %s", slug)
	}
	source, err := v.Catalog.Review(slug)
	if err != nil && !errors.Is(err, catalog.ErrNoMarkdown) {
		return nil, fmt.Errorf("reading the review of %s: %w", slug, err)
	}
	md.heading("#", body.Heading)
	md.tagline(body.Tool)
	md.earlier(body.Outdated)
	md.facts(body.Tool)
	md.Line()
	if body.Missing != "" {
		md.paragraph(body.Missing)
	}
	for _, s := range body.Sections {
		if s.ID != catalog.SummaryID {
			md.heading("##", s.Heading)
		}
		for _, p := range s.Paragraphs {
			md.paragraph(p)
		}
	}
	english, translated, err := englishReview(v, body.Tool)
	switch {
	case err != nil:
		return nil, err
	case translated:
		md.Write(markdown.Source(english, md.Base, nil))
	default:
		if v.Foreign() {
			md.paragraph(v.Text.Must("frame.intongue"))
		}
		md.Write(markdown.Source(source, md.Base, locale.FrenchText))
	}
	md.to(v.Text.Must("review.tool"), address.ToolSource, slug, "")
	md.Line()
	md.calls(body.Calls, address.Review, slug)
	return md.file()
}

// Markdown returns a comparison as Markdown.
func (c ComparisonPages) Markdown(v *view.View, slug string) (*view.File, error) {
	md := newMarkdownPage(v)
	d, err := c.Page(v, slug)
	if err != nil {
		return nil, err
	}
	body, _ := d.Body.(comparisonBody)
	md.heading("#", md.choose(body.Title, body.English.Title))
	md.earlier(body.Outdated)
	md.fact(v.Text.Must("comparison.winner"), body.Winning().Name)
	md.Line()
	md.heading("##", v.Text.Must("comparison.why", body.Winning().Name))
	md.note(body.Note, body.English.Note)
	if body.UpdatedAt != "" {
		md.paragraph(v.Text.Must("comparison.updated", v.Text.Date(body.UpdatedAt.Time())))
	}
	md.differences(body)
	md.heading("##", body.A.Name+", "+body.B.Name)
	md.tools([]*catalog.Tool{body.A, body.B}, "")
	if len(body.Others) > 0 {
		md.heading("##", v.Text.Must("comparison.others"))
		for _, m := range body.Others {
			md.comparison(m)
		}
		md.Line()
	}
	var calls []layout.Call
	if body.Call.Path != "" {
		calls = append(calls, body.Call)
	}
	md.calls(calls, address.Comparison, slug)
	return md.file()
}

// differences writes the differences of the two tools of a comparison as a table. It writes nothing if one is retired.
func (md *markdownPage) differences(body comparisonBody) {
	if body.Retired != "" {
		return
	}
	md.heading("##", md.v.Text.Must("comparison.differences"))
	if body.Duel.Alike {
		md.paragraph(md.v.Text.Must("comparison.alike"))
		return
	}
	md.Line("| ", strings.Join([]string{
		md.v.Text.Must("comparison.what"), markdown.Text(body.A.Name), markdown.Text(body.B.Name), md.v.Text.Must("comparison.gap"),
	}, " | "), " |")
	md.Line("|---|---|---|---|")
	for _, r := range body.Duel.Rows {
		cells := []string{r.Name, r.Cells[0].plain(), r.Cells[1].plain(), r.Gap}
		if r.key == "comparison.obsolescence" { // as the API has it
			cells = obsolescenceRow(md.v, body.A, body.B)
		}
		for i, cell := range cells {
			cells[i] = markdown.Text(cell)
		}
		md.Line("| ", strings.Join(cells, " | "), " |")
	}
	md.Line()
	if body.Duel.Same != "" {
		md.paragraph(md.v.Text.Must("comparison.same", body.Duel.Same))
	}
}

// obsolescenceRow returns the row of obsolescence, which pages show as freshness.
func obsolescenceRow(v *view.View, a, b *catalog.Tool) []string {
	gap := duelGap(v, "comparison.obsolescence", a, b)
	switch x, y := a.Obsolescence, b.Obsolescence; {
	case !x.Known || !y.Known || x == y:
	case x.Hundredths < y.Hundredths:
		gap = v.Text.Must("comparison.ahead", a.Name, measureGap(v, x, y))
	default:
		gap = v.Text.Must("comparison.ahead", b.Name, measureGap(v, y, x))
	}
	return []string{v.Text.Must("comparison.twin.obsolescence"), v.Text.Measure(a.Obsolescence), v.Text.Measure(b.Obsolescence), gap}
}
