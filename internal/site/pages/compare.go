package pages

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
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
	"compare.best":    {"la meilleure note", "the best score"},
	"compare.none":    {"sans objet", "not applicable"},
	"compare.which":   {"Quel outil est %s\u202f?", "Which tool is %s?"},
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
	Said                []string        // what could not be done
	Full                string          // that no further tool can be added; "" if one can
	Columns             []compareColumn // the tools chosen
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

// A compareRow is a property of the tools.
type compareRow struct {
	Name  string
	Cells []compareCell
}

// A compareCell is the value of a property of one tool. The zero value means that it has none.
type compareCell struct {
	Tool  string // its name
	Value template.HTML
	Note  string // beneath the value
	Scale template.HTML
	Best  bool
	equal string // cells of equal values have the same
}

// Compare returns the page that puts up to four tools side by side. Only its address has the list of tools: it redirects
// to the list's only form, and once more when what was typed names exactly one tool.
func Compare(v *view.View, p params.SideBySide) (*view.Document, error) {
	lang := v.Text.Language
	at := func(slugs []string, typed ...string) string {
		slices.Sort(slugs)
		to := params.SideBySide{Tools: strings.Join(slices.Compact(slugs), ",")}
		copy(to.Typed[:], typed)
		return v.Path(address.Compare) + to.In(lang)
	}
	var now, known []string
	b := compareBody{Action: v.Path(address.Compare)}
	for _, slug := range p.Slugs() {
		now = append(now, v.Catalog.ToolSlug(slug))
	}
	if !p.Exact || !slices.Equal(now, p.Slugs()) {
		return &view.Document{Redirect: at(now, p.Typed[:]...)}, nil
	}
	for _, slug := range now {
		if t := v.Catalog.Compare([]string{slug}).Tools; len(t) > 0 {
			known = append(known, slug)
		} else {
			b.Said = append(b.Said, v.Text.Must("compare.gone", v.Text.Quoted(slug)))
		}
	}
	typed, full := resolveTyped(v, p, &known)
	if len(full) > 0 {
		b.Said = append(b.Said, v.Text.Must("compare.full.to", strings.Join(full, ", ")))
	} else if len(typed) < countTyped(p) {
		return &view.Document{Redirect: at(known, typed...), Status: http.StatusSeeOther}, nil
	}
	c := v.Catalog.Compare(known)
	b.Name, _ = params.WatchNames(lang)
	b.Value = strings.Join(known, ",")
	b.addFields(v, typed)
	if len(known) < params.MaxSideBySide {
		for i, text := range typed {
			others := slices.Concat(typed[:i:i], typed[i+1:])
			b.Found = append(b.Found, newCompareFound(v, text, known, func(slug string) string { return at(append(slices.Clone(known), slug), others...) }))
		}
	} else if len(full) == 0 {
		b.Full = v.Text.Must("compare.full")
	}
	for _, t := range c.Tools {
		rest := slices.DeleteFunc(slices.Clone(known), func(slug string) bool { return slug == t.Slug() })
		b.Columns = append(b.Columns, newCompareColumn(v, t, at(rest, typed...)))
	}
	d := &view.Document{
		Template: "compare", Section: address.Comparisons, NoIndex: true,
		Title: v.Text.Must("compare.title"), Description: v.Text.Must("compare.description"),
		Query: func(l locale.Language) string { return p.In(l) },
	}
	switch len(known) {
	case 0:
		if len(typed) > 0 {
			break // the reader is about to choose
		}
		b.Editors = v.Catalog.Comparisons(catalog.ComparisonQuery{Paging: catalog.Paging{Page: 1, Limit: comparedEditors}}).Items
	case 1:
		d.Title = v.Text.Must("compare.title.one", c.Tools[0].Name())
		b.suggest(v, c.Tools[0], func(slug string) string { return at([]string{known[0], slug}) })
	default:
		var names []string
		for _, t := range c.Tools {
			names = append(names, t.Name())
		}
		d.Title = v.Text.Must("compare.title.of", strings.Join(names, ", "))
		b.Rows, b.Same = compareRows(v, c.Tools)
		b.Verdicts = c.Comparisons[:min(len(c.Comparisons), comparedVerdicts)]
		b.Call = v.Call("/api/v1/compare?items=" + b.Value)
		d.API = []string{b.Call.Path}
		if len(known) == 2 && len(c.Comparisons) > 0 {
			d.Canonical = v.Canonical(address.Comparison, c.Comparisons[0].Slug)
		}
	}
	d.Body = b
	return d, nil
}

func countTyped(p params.SideBySide) (n int) {
	for _, text := range p.Typed {
		if text != "" {
			n++
		}
	}
	return n
}

// resolveTyped adds the tools that typed texts name to known. It returns the other texts, and the names of those tools
// for which there is no room.
func resolveTyped(v *view.View, p params.SideBySide, known *[]string) (typed, full []string) {
	for _, text := range p.Typed {
		if text == "" {
			continue
		}
		_, slug, _ := v.Catalog.Resolve(text)
		switch {
		case slug == "":
			typed = append(typed, text)
		case slices.Contains(*known, slug):
		case len(*known) == params.MaxSideBySide:
			full = append(full, v.Catalog.Compare([]string{slug}).Tools[0].Name())
		default:
			*known = append(*known, slug)
		}
	}
	slices.Sort(*known)
	return typed, full
}

// addFields adds the fields of the form, with what was typed and could not be resolved.
func (b *compareBody) addFields(v *view.View, typed []string) {
	labels := []string{"compare.add"}
	switch chosen := strings.Count(b.Value, ",") + 1; {
	case b.Value == "":
		labels = []string{"compare.first", "compare.second"}
	case chosen == 1:
		labels = []string{"compare.with"}
	case chosen >= params.MaxSideBySide:
		return
	}
	for i, label := range labels {
		f := compareField{ID: "q" + string(rune('1'+i)), Label: v.Text.Must(label)}
		if i < len(typed) {
			f.Typed = typed[i]
		}
		b.Fields = append(b.Fields, f)
	}
}

// newCompareFound returns the tools that a text may mean, but for those that are chosen already.
func newCompareFound(v *view.View, text string, chosen []string, at func(slug string) string) compareFound {
	slugs := v.Catalog.MayMean(text)
	slugs = slices.DeleteFunc(slugs, func(slug string) bool { return slices.Contains(chosen, slug) })
	found := compareFound{Links: compareLinks(v, slugs[:min(len(slugs), comparedFound)], at)}
	if found.Heading = v.Text.Must("compare.which", v.Text.Quoted(text)); len(found.Links) == 0 {
		found.Heading = v.Text.Must("compare.nothing", v.Text.Quoted(text))
	}
	return found
}

func compareLinks(v *view.View, slugs []string, at func(slug string) string) []compareLink {
	var links []compareLink
	for _, t := range v.Catalog.Compare(slugs).Tools {
		l := compareLink{Name: t.Name(), Path: at(t.Slug())}
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
func (b *compareBody) suggest(v *view.View, t catalog.ComparedTool, at func(slug string) string) {
	if t.Retired != nil {
		b.Suggesting = v.Text.Must("compare.instead")
		f, _ := v.Catalog.Findings(t.Retired.Slug, catalog.AtLeast(catalog.LowScore))
		b.Suggested = compareLinks(v, f.Instead, at)
		return
	}
	b.Suggesting = v.Text.Must("compare.closest")
	others := v.Catalog.Alternatives(t.Tool.Slug)
	b.Suggested = compareLinks(v, slugsOf(others[:min(len(others), comparedClosest)]), at)
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

// compareRows returns the properties in which the tools differ, the score and the price in any case, and the names of
// those that are equal, joined by commas. A retired tool has only a category.
func compareRows(v *view.View, tools []catalog.ComparedTool) (rows []compareRow, same string) {
	living := 0
	best := catalog.Measure{}
	for _, t := range tools {
		if t.Tool != nil {
			living++
			if t.Tool.Score.Hundredths > best.Hundredths {
				best = t.Tool.Score
			}
		}
	}
	var equal []string
	add := func(name string, always bool, value func(*catalog.Tool) compareCell) {
		row := compareRow{Name: v.Text.Must(name)}
		values := make(map[string]bool)
		for _, t := range tools {
			var c compareCell
			switch {
			case t.Tool != nil:
				c = value(t.Tool)
				values[c.equal] = true
			case name == "comparison.category":
				c.Value = v.MarkedCategory(t.Retired.Category)
			}
			c.Tool = t.Name()
			row.Cells = append(row.Cells, c)
		}
		switch {
		case living == 0, len(values) == 1 && values[""]: // nothing to say
		case len(values) > 1 || always || living == 1:
			rows = append(rows, row)
		default:
			equal = append(equal, strings.ToLower(row.Name))
		}
	}
	measure := func(m catalog.Measure) compareCell {
		if !m.Known {
			return compareCell{}
		}
		return compareCell{Value: view.Escaped(v.Text.Measure(m)), Scale: scale(m), equal: m.String()}
	}
	add("comparison.score", true, func(t *catalog.Tool) compareCell {
		if !t.Score.Known {
			return compareCell{Note: v.Text.Must("comparison.unscored"), equal: "unscored"}
		}
		c := measure(t.Score)
		c.Best = living > 1 && t.Score == best
		return c
	})
	add("comparison.verifiability", false, func(t *catalog.Tool) compareCell { return measure(t.Verifiability) })
	add("comparison.obsolescence", false, func(t *catalog.Tool) compareCell { return measure(t.Obsolescence) })
	add("comparison.price", true, func(t *catalog.Tool) compareCell {
		return compareCell{Value: view.Escaped(v.Price(t.Price)), Note: monthly(v, t), equal: t.Price}
	})
	word := func(family, value string) compareCell {
		return compareCell{Value: view.Escaped(v.Text.Must(family + value)), equal: value}
	}
	add("comparison.pricing", false, func(t *catalog.Tool) compareCell { return word("pricing.", string(t.Pricing)) })
	add("comparison.icp", false, func(t *catalog.Tool) compareCell { return word("icp.", string(t.ICP)) })
	add("comparison.category", false, func(t *catalog.Tool) compareCell {
		return compareCell{Value: v.MarkedCategory(t.Category), equal: t.Category}
	})
	return rows, strings.Join(equal, ", ")
}
