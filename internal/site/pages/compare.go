package pages

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var compareTexts = layout.Texts{
	"compare.title":     {"Comparer des outils", "Compare tools"},
	"compare.title.one": {"Comparer %s", "Compare %s"},
	"compare.title.of":  {"Côte à côte\u00a0: %s", "Side by side: %s"},
	"compare.description": {
		"Deux, trois ou quatre outils côte à côte\u00a0: leurs notes, leurs prix par mois, et ce qu’en dit la rédaction.",
		"Two, three or four tools side by side: their scores, their monthly prices, and what the editors say.",
	},
	"compare.lede": {
		"De deux à quatre outils, au choix, côte à côte\u00a0: la note, le prix par mois, le public, et le verdict de la rédaction s’il existe.",
		"Two to four tools of your choice, side by side: score, monthly price, audience, and the editors’ verdict if there is one.",
	},
	"compare.link":    {"Comparer", "Compare"},
	"compare.own":     {"Comparer d’autres outils", "Compare other tools"},
	"compare.add":     {"Ajouter un outil", "Add a tool"},
	"compare.first":   {"Premier outil", "First tool"},
	"compare.second":  {"Deuxième outil", "Second tool"},
	"compare.with":    {"Comparer à", "Compare with"},
	"compare.hint":    {"Un nom, un domaine, un paquet", "A name, a domain, a package"},
	"compare.go":      {"Comparer", "Compare"},
	"compare.remove":  {"Enlever", "Remove"},
	"compare.chosen":  {"Dans la comparaison", "In the comparison"},
	"compare.closest": {"Les plus proches", "The closest"},
	"compare.instead": {"Que prendre à la place", "What to use instead"},
	"compare.editors": {"Comparés par la rédaction", "Compared by the editors"},
	"compare.verdict": {"Le verdict de la rédaction", "The editors’ verdict"},
	"compare.table":   {"Côte à côte", "Side by side"},
	"compare.best":    {"le mieux placé", "ahead"},
	"compare.none":    {"sans objet", "not applicable"},
	"compare.which":   {"Quel outil est %s\u202f?", "Which tool is %s?"},
	"compare.guess":   {"Comparer %s et %s", "Compare %s and %s"},
	"compare.nothing": {"Rien dans le catalogue ne correspond à %s.", "Nothing in the catalogue matches %s."},
	"compare.gone":    {"Aucun outil n’a l’identifiant %s.", "No tool has the slug %s."},
	"compare.full": {
		"On compare quatre outils au plus\u00a0: enlevez-en un pour en ajouter un autre.",
		"Up to four tools are compared: remove one to add another.",
	},
	"compare.full.to": {
		"On compare quatre outils au plus\u00a0: enlevez-en un pour ajouter %s.",
		"Up to four tools are compared: remove one to add %s.",
	},
}

// The most items of each list on the page of a comparison.
const (
	comparedFound    = 8 // tools that a text may mean
	comparedClosest  = 6
	comparedVerdicts = 2
	comparedEditors  = 4
)

// A compareBody is the data of the page that compares any tools.
type compareBody struct {
	Action, Name, Value string          // of the form: its address, and the hidden field with the tools chosen so far
	Fields              []compareField  // to name further tools; none if there are enough
	Found               []compareFound  // what was typed and names no tool, or several
	Guess               compareLink     // to compare the first tools that two texts may mean; empty for one text
	Said                []string        // what could not be done
	Full                string          // that no further tool can be added; "" if one can
	Columns             []compareColumn // the tools chosen
	Duel                *duel           // of two tools
	Rows                []compareRow    // none for fewer than two tools
	Same                string          // the names of properties that are equal; "" for none
	Verdicts            []catalog.ComparisonWithTools
	Suggested           []compareLink                 // for one tool: what to compare it with
	Suggesting          string                        // the heading of Suggested
	Editors             []catalog.ComparisonWithTools // for no tool: comparisons to read
	Call                layout.Call                   // empty for fewer than two tools
}

// A compareField is a field of the form.
type compareField struct{ ID, Label, Typed string }

// A compareFound is a text with the tools that it may mean, as links that add them.
type compareFound struct {
	Heading string // or the sentence that there is none
	Links   []compareLink
	slugs   []string // of the tools
}

// A compareLink leads to the page with one more tool.
type compareLink struct {
	Name, Path string
	About      template.HTML // its tagline, or that it was retired
}

// A compareColumn is a tool of the comparison, living or retired.
type compareColumn struct {
	Slug, Name string
	Tagline    template.HTML
	End        ending
	Retired    string // why and when it was retired; "" for a living tool
	Instead    successor
	Review     bool
	Remove     string // the path of the page without it
}

// A toolChoice is what a reader chose and typed.
type toolChoice struct {
	slugs []string // of tools, sorted
	gone  []string // slugs that no tool has
	typed []string // texts that name no tool, or several
	full  []string // the names of tools that were typed, and for which there is no room
}

// Compare returns the page that puts up to four tools side by side. Only its address has the list of tools: it redirects
// to the list's only form, and once more when what was typed names exactly one tool.
func Compare(v *view.View, p params.SideBySide) (*view.Document, error) {
	var now []string
	for _, slug := range p.Slugs() {
		now = append(now, v.Catalog.ToolSlug(slug))
	}
	if !p.Exact || !slices.Equal(now, p.Slugs()) {
		return &view.Document{Redirect: comparePath(v, now, p.Typed[:]...)}, nil
	}
	c, resolved := newToolChoice(v, p)
	if resolved {
		return &view.Document{Redirect: comparePath(v, c.slugs, c.typed...), Status: http.StatusSeeOther}, nil
	}
	d := &view.Document{
		Template: "compare", Section: address.Comparisons, NoIndex: true, Query: p.In,
		Title: v.Text.Must("compare.title"), Description: v.Text.Must("compare.description"),
	}
	b := newCompareBody(v, c)
	found := v.Catalog.Compare(c.slugs)
	for _, t := range found.Tools {
		rest := slices.DeleteFunc(slices.Clone(c.slugs), func(slug string) bool { return slug == t.Slug() })
		b.Columns = append(b.Columns, newCompareColumn(v, t, comparePath(v, rest, c.typed...)))
	}
	switch len(found.Tools) {
	case 0:
		if len(c.typed) == 0 { // else the reader is about to choose
			b.Editors = v.Catalog.Comparisons(catalog.ComparisonQuery{Paging: catalog.Paging{Page: 1, Limit: comparedEditors}}).Items
		}
	case 1:
		d.Title = v.Text.Must("compare.title.one", b.Columns[0].Name)
		b.suggest(v, found.Tools[0])
	default:
		b.set(v, d, found)
	}
	d.Body = b
	return d, nil
}

// newToolChoice returns the choice of a reader, and whether it has all tools that typed texts name, at least one: such a
// choice has another address.
func newToolChoice(v *view.View, p params.SideBySide) (c toolChoice, resolved bool) {
	for _, slug := range p.Slugs() {
		if len(v.Catalog.Compare([]string{slug}).Tools) > 0 {
			c.slugs = append(c.slugs, slug)
		} else {
			c.gone = append(c.gone, slug)
		}
	}
	for _, text := range p.Typed {
		if text == "" {
			continue
		}
		_, slug, _ := v.Catalog.Resolve(text)
		switch {
		case slug == "":
			c.typed = append(c.typed, text)
		case slices.Contains(c.slugs, slug):
			resolved = true
		case len(c.slugs) == params.MaxSideBySide:
			c.full = append(c.full, v.Catalog.Compare([]string{slug}).Tools[0].Name())
		default:
			c.slugs, resolved = append(c.slugs, slug), true
		}
	}
	slices.Sort(c.slugs)
	return c, resolved && len(c.full) == 0
}

// newCompareBody returns the data of the page without its tools.
func newCompareBody(v *view.View, c toolChoice) compareBody {
	b := compareBody{Action: v.Path(address.Compare), Value: strings.Join(c.slugs, ",")}
	b.Name, _ = params.WatchNames(v.Text.Language)
	for _, slug := range c.gone {
		b.Said = append(b.Said, v.Text.Must("compare.gone", v.Text.Quoted(slug)))
	}
	b.addFields(v, c)
	switch {
	case len(c.full) > 0:
		b.Said = append(b.Said, v.Text.Must("compare.full.to", strings.Join(c.full, ", ")))
	case len(c.slugs) == params.MaxSideBySide:
		b.Full = v.Text.Must("compare.full")
	default:
		for i, text := range c.typed {
			b.Found = append(b.Found, newCompareFound(v, text, c.slugs, slices.Concat(c.typed[:i], c.typed[i+1:])))
		}
		b.setGuess(v)
	}
	return b
}

// setGuess sets the link that compares the first tools that two texts may mean. Without it, a reader who types neither
// name exactly chooses twice.
func (b *compareBody) setGuess(v *view.View) {
	var slugs []string
	for _, found := range b.Found {
		if i := slices.IndexFunc(found.slugs, func(slug string) bool { return !slices.Contains(slugs, slug) }); i >= 0 {
			slugs = append(slugs, found.slugs[i])
		}
	}
	if len(slugs) == 2 && b.Value == "" { // with a tool chosen already, one field is left
		tools := v.Catalog.Compare(slugs).Tools
		b.Guess = compareLink{Name: v.Text.Must("compare.guess", tools[0].Name(), tools[1].Name()), Path: comparePath(v, slugs)}
	}
}

// set sets what the page says of two tools or more.
func (b *compareBody) set(v *view.View, d *view.Document, found catalog.Compared) {
	var names []string
	for _, t := range found.Tools {
		names = append(names, t.Name())
	}
	d.Title = v.Text.Must("compare.title.of", strings.Join(names, ", "))
	if len(found.Tools) == 2 {
		b.Duel = newDuel(v, [2]catalog.ComparedTool(found.Tools))
	} else {
		b.Rows, b.Same = compareRows(v, found.Tools)
	}
	b.Verdicts = found.Comparisons[:min(len(found.Comparisons), comparedVerdicts)]
	b.Call = v.Call("/api/v1/compare?items=" + b.Value)
	d.API = []string{b.Call.Path}
	if len(found.Tools) == 2 && len(found.Comparisons) > 0 {
		d.Canonical = v.Canonical(address.Comparison, found.Comparisons[0].Slug)
	}
}

// addFields adds the fields of the form, with what was typed and names no tool.
func (b *compareBody) addFields(v *view.View, c toolChoice) {
	labels := []string{"compare.add"}
	switch len(c.slugs) {
	case 0:
		labels = []string{"compare.first", "compare.second"}
	case 1:
		labels = []string{"compare.with"}
	case params.MaxSideBySide:
		return
	}
	for i, label := range labels {
		f := compareField{ID: "q" + strconv.Itoa(i+1), Label: v.Text.Must(label)}
		if i < len(c.typed) {
			f.Typed = c.typed[i]
		}
		b.Fields = append(b.Fields, f)
	}
}

// newCompareFound returns the tools that a text may mean, but for those that are chosen already. others are the other
// texts, which stay to be asked about.
func newCompareFound(v *view.View, text string, chosen, others []string) compareFound {
	slugs := slices.DeleteFunc(v.Catalog.MayMean(text), func(slug string) bool { return slices.Contains(chosen, slug) })
	slugs = slugs[:min(len(slugs), comparedFound)]
	found := compareFound{
		Heading: v.Text.Must("compare.which", v.Text.Quoted(text)), Links: compareLinks(v, slugs, chosen, others), slugs: slugs,
	}
	if len(found.Links) == 0 {
		found.Heading = v.Text.Must("compare.nothing", v.Text.Quoted(text))
	}
	return found
}

// compareLinks returns links that add each of some tools to the chosen ones.
func compareLinks(v *view.View, slugs, chosen, typed []string) []compareLink {
	var links []compareLink
	for _, t := range v.Catalog.Compare(slugs).Tools {
		l := compareLink{Name: t.Name(), Path: comparePath(v, append(slices.Clone(chosen), t.Slug()), typed...)}
		if t.Retired != nil {
			l.About = view.Escaped(retiredWhen(v, t.Retired))
		} else {
			l.About = v.MarkedTagline(t.Tool)
		}
		links = append(links, l)
	}
	return links
}

// retiredWhen returns why and when a tool was retired.
func retiredWhen(v *view.View, r *catalog.Retired) string {
	return v.Text.Must("tool.retired.when", v.Text.Must("reason."+string(r.Reason)), v.Text.Date(r.RetiredAt.Time()))
}

// suggest sets what to compare one tool with: the closest tools, or those to use instead of a retired one.
func (b *compareBody) suggest(v *view.View, t catalog.ComparedTool) {
	var slugs []string
	if t.Retired != nil {
		b.Suggesting = v.Text.Must("compare.instead")
		f, _ := v.Catalog.Findings(t.Retired.Slug, catalog.AtLeast(catalog.LowScore))
		slugs = f.Instead
	} else {
		b.Suggesting = v.Text.Must("compare.closest")
		others := v.Catalog.Alternatives(t.Tool.Slug)
		slugs = slugsOf(others[:min(len(others), comparedClosest)])
	}
	b.Suggested = compareLinks(v, slugs, []string{t.Slug()}, nil)
}

func newCompareColumn(v *view.View, t catalog.ComparedTool, remove string) compareColumn {
	c := compareColumn{Slug: t.Slug(), Name: t.Name(), Remove: remove}
	if r := t.Retired; r != nil {
		c.Retired, c.Instead = retiredWhen(v, r), newSuccessor(v, r.Successor)
		return c
	}
	c.Tagline, c.End, c.Review = v.MarkedTagline(t.Tool), newEnding(v, t.Tool), t.Tool.Review.Exists()
	return c
}
