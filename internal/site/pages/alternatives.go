package pages

import (
	"net/http"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/jsonld"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var alternativesTexts = layout.Texts{
	"alternatives.title": {"Alternatives à %s", "Alternatives to %s"},
	"alternatives.description": {
		"Que prendre à la place\u00a0: %s. Ce qui change pour chacun\u00a0: la note, le prix par mois, le public.",
		"What to use instead: %s. How each one differs: score, monthly price, audience.",
	},
	"alternatives.description.none": {
		"%s n’a pas encore d’alternative dans sa catégorie.",
		"%s has no alternative in its category yet.",
	},
	"alternatives.lede": {
		"Les outils les plus proches dans la même catégorie, selon la note, le prix et le public. Les mieux notés d’abord\u202f; sous chaque valeur, ce qui change.",
		"The closest tools in the category, by score, price and audience. Highest-scored first; below each value, the difference.",
	},
	"alternatives.instead":    {"Que prendre à la place", "What to use instead"},
	"alternatives.best":       {"Les mieux notés de sa catégorie.", "The highest-scored in its category."},
	"alternatives.caption":    {"Les alternatives, les mieux notées d’abord", "The alternatives, highest-scored first"},
	"alternatives.tool":       {"Outil", "Tool"},
	"alternatives.score":      {"Note", "Score"},
	"alternatives.price":      {"Prix", "Price"},
	"alternatives.icp":        {"Public", "Audience"},
	"alternatives.heir":       {"son successeur", "its successor"},
	"alternatives.here":       {"l’outil à remplacer", "the tool to replace"},
	"alternatives.monthly":    {"soit %s par mois", "i.e. %s a month"},
	"alternatives.same":       {"même public", "same audience"},
	"alternatives.other":      {"autre public", "different audience"},
	"alternatives.comparison": {"Le face-à-face", "Head to head"},
	"alternatives.all":        {"Toute la catégorie", "The whole category"},
	"alternatives.alone": {
		"Aucun autre outil n’est suivi dans la catégorie. Pour l’instant, c’est lui ou rien.",
		"No other tool in this category is tracked. For now, it is this one or nothing.",
	},
	"alternatives.low": {
		"Aucun autre outil de la catégorie n’atteint 6 sur 10\u00a0: pour l’instant, il n’y en a pas à recommander.",
		"No other tool in this category scores 6 out of 10 or more: for now, there is none to recommend.",
	},
	"alternatives.none": {
		"Aucun autre outil de sa catégorie n’est suivi aujourd’hui\u00a0: il n’y a rien à prendre à la place.",
		"No other tool in its category is tracked today: there is nothing to use instead.",
	},
}

// An alternativesBody is the data of the page of alternatives.
type alternativesBody struct {
	Heading  string
	Notice   *notice // if the tool is retired
	Lede     string  // the sentence if there are no rows
	Rows     []alternative
	Call     layout.Call
	Ends     endings
	Category catalog.Category
	Map      *priceMap // of Rows; nil for too few
}

// An alternative is a tool to use instead of another, with the differences.
type alternative struct {
	*catalog.Tool
	Here       bool   // it is that other tool itself, for comparison
	Successor  bool   // editors name it as the successor
	Monthly    string // the price converted to a month; "" unless it is per year
	ScoreGap   string
	PriceGap   string
	ICPGap     string
	Comparison string // the path of the editors' comparison with the other; "" if there is none
	Compare    string // the path of the page that puts the two side by side
}

// Alternatives returns the page of alternatives to a tool, living or retired; a 404 for any other slug.
func Alternatives(v *view.View, slug string) (*view.Document, error) {
	if t, ok := v.Catalog.Tool(slug); ok {
		return alternativesTo(v, t), nil
	}
	if dead, ok := v.Catalog.Retired(slug); ok {
		return insteadOf(v, dead), nil
	}
	return nil, web.Errorf(http.StatusNotFound, "no tool has the slug %s", web.Quote(slug))
}

// alternativesTo returns the page of a living tool: similar tools, beside the tool itself.
func alternativesTo(v *view.View, t *catalog.Tool) *view.Document {
	found := make(map[string]string) // paths, by the slug of the other tool
	for _, m := range v.Catalog.ComparisonsOf(t.Slug) {
		found[m.ToolA], found[m.ToolB] = v.Path(address.Comparison, m.Slug), v.Path(address.Comparison, m.Slug)
	}
	tools, call := replacements(v, t.Slug, t.Ending.Successor)
	var rows []alternative
	for _, other := range tools {
		a := newAlternative(v, other, t.Ending.Successor)
		if a.Here = other.Slug == t.Slug; !a.Here {
			a.Comparison, a.ICPGap = found[other.Slug], v.Text.Must("alternatives.same")
			a.Compare = comparePath(v, []string{t.Slug, other.Slug})
			a.ScoreGap, a.PriceGap = measureGap(v, other.Score, t.Score), priceGap(v, other.Price, t.Price)
		}
		if other.ICP != t.ICP {
			a.ICPGap = v.Text.Must("alternatives.other")
		}
		rows = append(rows, a)
	}
	return alternatives(v, t.Slug, t.Name, alternativesBody{
		Rows: rows, Ends: newEndings(v, tools...), Call: call, Category: v.CategoryOf(t.Category), Lede: v.Text.Must(lacking(v, t.Category, 1)),
	})
}

// insteadOf returns the page for a retired tool: its notice, its successor if named, and the best tools of its
// category.
func insteadOf(v *view.View, dead *catalog.Retired) *view.Document {
	notice := newNotice(v, dead)
	notice.Next, notice.Instead = "", successor{} // Next is this page, and the list has the successor
	tools, call := replacements(v, dead.Slug, dead.Successor)
	var rows []alternative
	for _, t := range tools {
		rows = append(rows, newAlternative(v, t, dead.Successor))
	}
	return alternatives(v, dead.Slug, dead.Name, alternativesBody{
		Notice: &notice, Rows: rows, Ends: newEndings(v, tools...), Call: call, Category: v.CategoryOf(dead.Category),
		Lede: v.Text.Must(lacking(v, dead.Category, 0)),
	})
}

// replacements returns the tools to use instead of a tool, and the API call that returns the same list: the alternatives, the
// named successor heir, and the last of that one's own successors if it will end, too. The tool itself is among them if
// it is living. If there is nothing to use, it returns nil.
func replacements(v *view.View, slug, heir string) ([]*catalog.Tool, layout.Call) {
	slugs := slugsOf(v.Catalog.Alternatives(slug))
	if heir != "" {
		if last, ok := v.Catalog.Successor(slug); ok {
			slugs = append(slugs, last.Slug)
		}
		if t, ok := v.Catalog.Tool(heir); ok {
			slugs = append(slugs, t.Slug)
		}
	}
	if len(slugs) == 0 {
		return nil, layout.Call{}
	}
	if _, ok := v.Catalog.Tool(slug); ok {
		slugs = append(slugs, slug)
	}
	slices.Sort(slugs)
	slugs = slices.Compact(slugs)
	return named(v, slugs), v.Call("/api/v1/tools?slugs=" + strings.Join(slugs, ","))
}

// named returns the tools with the given slugs, which must be sorted, in the order of the API: best first.
func named(v *view.View, slugs []string) []*catalog.Tool {
	return v.Catalog.Tools(catalog.ToolQuery{Slugs: slugs, Paging: catalog.Paging{Page: 1, Limit: params.DefaultLimit}}).Items
}

// lacking returns the name of the text that says why there is nothing to use instead of a tool: its category has no
// other tool, or none that is good enough. alone is how many tools the category has if there is no other: 1 for a
// living tool, 0 for a retired one.
func lacking(v *view.View, category string, alone int) string {
	all := v.Catalog.Tools(catalog.ToolQuery{Paging: oneItem, Categories: []string{category}}).Total
	switch {
	case all > alone:
		return "alternatives.low"
	case alone > 0:
		return "alternatives.alone"
	default:
		return "alternatives.none"
	}
}

func newAlternative(v *view.View, t *catalog.Tool, heir string) alternative {
	return alternative{Tool: t, Monthly: monthly(v, t), Successor: t.Slug == heir}
}

func alternatives(v *view.View, slug, name string, body alternativesBody) *view.Document {
	body.Heading = v.Text.Must("alternatives.title", name)
	d := &view.Document{
		Template: "alternatives", Section: address.Tools,
		Title: body.Heading, Description: v.Text.Must("alternatives.description.none", name),
		Image: v.Image(slug),
		Data:  jsonld.Item(v, address.Tools, body.Category.Slug, body.Heading, v.Canonical(address.Alternatives, slug)), Body: body,
	}
	if body.Notice != nil {
		d.Section = address.Cemetery
	}
	if len(body.Rows) == 0 {
		return d
	}
	d.API = []string{body.Call.Path}
	var names, slugs []string
	for _, a := range body.Rows {
		slugs = append(slugs, a.Slug)
		if !a.Here && len(names) < 3 {
			names = append(names, a.Name)
		}
	}
	slices.Sort(slugs)
	scope := besideOthers(v, params.Tools{Slugs: strings.Join(slugs, ",")})
	scope.here = slug
	body.Map = newPriceMap(v, catalog.ToolQuery{Slugs: slugs}, scope)
	d.Body = body
	d.Description = v.Text.Must("alternatives.description", strings.Join(names, ", "))
	return d
}

// monthly formats the price of a tool converted to a month; "" if the price is free, per month already, or cannot be
// converted.
func monthly(v *view.View, t *catalog.Tool) string {
	p, _ := catalog.ParsePrice(t.Price)
	cents, ok := monthlyCents(t.Price)
	if !ok || cents == 0 || p.Cents == cents {
		return ""
	}
	return v.Text.Must("alternatives.monthly", v.Text.Euros(cents))
}

func slugsOf(tools []*catalog.Tool) []string {
	slugs := make([]string, 0, len(tools)+3)
	for _, t := range tools {
		slugs = append(slugs, t.Slug)
	}
	return slugs
}
