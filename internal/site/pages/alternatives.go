package pages

import (
	"net/http"
	"net/url"
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
		"Les outils les plus proches dans la même catégorie, selon la note, le prix et le public. Sous chaque valeur, ce qui change.",
		"The closest tools in the category, by score, price and audience. Below each value, the difference.",
	},
	"alternatives.instead": {"Que prendre à la place", "What to use instead"},
	"alternatives.best":    {"Les mieux notés de sa catégorie.", "The highest-scored in its category."},
	"alternatives.caption": {"Les alternatives, les plus proches d’abord", "The alternatives, closest first"},
	"alternatives.tool":    {"Outil", "Tool"},
	"alternatives.score":   {"Note", "Score"},
	"alternatives.price":   {"Prix", "Price"},
	"alternatives.icp":     {"Public", "Audience"},
	"alternatives.here":    {"l’outil à remplacer", "the tool to replace"},
	"alternatives.monthly": {"soit %s par mois", "i.e. %s a month"},
	"alternatives.same":    {"même public", "same audience"},
	"alternatives.other":   {"autre public", "different audience"},
	"alternatives.duel":    {"Le face-à-face", "Head to head"},
	"alternatives.all":     {"Toute la catégorie", "The whole category"},
	"alternatives.alone": {
		"Aucun autre outil n’est suivi dans la catégorie. Pour l’instant, c’est lui ou rien.",
		"No other tool in this category is tracked. For now, it is this one or nothing.",
	},
	"alternatives.none": {
		"Aucun autre outil de sa catégorie n’est suivi aujourd’hui\u00a0: il n’y a rien à prendre à la place.",
		"No other tool in its category is tracked today: there is nothing to use instead.",
	},
}

// An alternativesBody is what the page of alternatives shows.
type alternativesBody struct {
	Heading  string
	Notice   *notice // of a tool that was retired
	Rows     []alternative
	Call     layout.Call
	Ends     endings
	Category catalog.Category
}

// An alternative is a tool to use instead of another, with what is different.
type alternative struct {
	*catalog.Tool
	Here     bool   // it is the other tool itself
	Monthly  string // the price for a month when it is for a year
	ScoreGap string
	PriceGap string
	ICPGap   string
	Duel     string // the path of the comparison with the other; "" when there is none
}

// Alternatives is the page of what to use instead of a tool.
func Alternatives(v *view.View, slug string) (*view.Document, error) {
	if t, ok := v.Catalog.Tool(slug); ok {
		return alternativesTo(v, t), nil
	}
	if dead, ok := v.Catalog.Retired(slug); ok {
		return insteadOf(v, dead), nil
	}
	return nil, web.Errorf(http.StatusNotFound, "no tool has the slug %s", web.Quote(slug))
}

// alternativesTo is the page of a living tool: the closest ones, beneath the tool itself.
func alternativesTo(v *view.View, t *catalog.Tool) *view.Document {
	duels := make(map[string]string) // by the other tool
	for _, m := range v.Catalog.ComparisonsOf(t.Slug) {
		duels[m.ToolA], duels[m.ToolB] = v.Path(address.Comparison, m.Slug), v.Path(address.Comparison, m.Slug)
	}
	var rows []alternative
	tools := v.Catalog.Alternatives(t.Slug)
	if len(tools) > 0 {
		rows = append(rows, alternative{Tool: t, Here: true, Monthly: monthly(v, t)})
	}
	for _, other := range tools {
		a := alternative{
			Tool: other, Monthly: monthly(v, other), Duel: duels[other.Slug], ICPGap: v.Text.Must("alternatives.same"),
			ScoreGap: measureGap(v, other.Score, t.Score), PriceGap: priceGap(v, other.Price, t.Price),
		}
		if other.ICP != t.ICP {
			a.ICPGap = v.Text.Must("alternatives.other")
		}
		rows = append(rows, a)
	}
	return alternatives(v, t.Slug, t.Name, tools, alternativesBody{
		Rows: rows, Ends: newEndings(v, append(tools, t)...), Call: v.Call(listPath("/api/v1/tools", url.Values{"category": {t.Category}}, 1)),
		Category: v.CategoryOf(t.Category),
	})
}

// insteadOf is the page of a retired tool: its notice, and the best of its category.
func insteadOf(v *view.View, dead *catalog.Retired) *view.Document {
	notice := newNotice(v, dead)
	p := params.Tools{List: params.List{
		Paging: catalog.Paging{Page: 1, Limit: catalog.MaxAlternatives}, Category: dead.Category,
	}}
	tools := v.Catalog.Tools(p.Query()).Items
	var rows []alternative
	for _, t := range tools {
		rows = append(rows, alternative{Tool: t, Monthly: monthly(v, t)})
	}
	return alternatives(v, dead.Slug, dead.Name, tools, alternativesBody{
		Notice: &notice, Rows: rows, Ends: newEndings(v, tools...), Call: v.Call(listPath("/api/v1/tools", p.Values(), 1)),
		Category: v.CategoryOf(dead.Category),
	})
}

func alternatives(v *view.View, slug, name string, tools []*catalog.Tool, body alternativesBody) *view.Document {
	body.Heading = v.Text.Must("alternatives.title", name)
	d := &view.Document{
		Template: "alternatives", Section: address.Tools,
		Title: body.Heading, Description: v.Text.Must("alternatives.description.none", name),
		API: []string{body.Call.Path}, Image: v.Image(slug),
		Data: jsonld.Item(v, address.Tools, body.Category.Slug, body.Heading, v.Canonical(address.Alternatives, slug)), Body: body,
	}
	if body.Notice != nil {
		d.Section = address.Cemetery
	}
	if len(tools) > 0 {
		var names []string
		for _, t := range tools[:min(len(tools), 3)] {
			names = append(names, t.Name)
		}
		d.Description = v.Text.Must("alternatives.description", strings.Join(names, ", "))
	}
	return d
}

// monthly is what a tool with a price for a year costs a month; "" for any other.
func monthly(v *view.View, t *catalog.Tool) string {
	p, _ := catalog.ParsePrice(t.Price)
	cents, ok := monthlyCents(t.Price)
	if !ok || cents == 0 || p.Cents == cents {
		return ""
	}
	return v.Text.Must("alternatives.monthly", v.Text.Euros(cents))
}
