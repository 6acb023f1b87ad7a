package export

import (
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// Tables lists the tables, in the order the documentation gives them.
func Tables() []Table { return slices.Clone(tables) }

// TableOf returns the table of that name.
func TableOf(name string) (Table, bool) {
	at := slices.IndexFunc(tables, func(t Table) bool { return t.Name == name })
	if at < 0 {
		return Table{}, false
	}
	return tables[at], true
}

var tables = []Table{tools, pricing, comparisons, cemetery, categories, facts, identifiers, history}

const (
	toolsName      = "tools"
	categoriesName = "categories"
	embeddings     = "embeddings"
)

// Identifiers is the name of the table by which programs recognise tools on their own machines.
const Identifiers = "identifiers"

var tools = Table{
	Name: toolsName,
	Key:  []string{"slug"},
	Columns: []Column{
		{Name: "slug", Kind: Text},
		{Name: "name", Kind: Text},
		{Name: "domain", Kind: Text},
		{Name: "category", Kind: Text, Of: categoriesName},
		{Name: "icp", Kind: Text, Values: texts(catalog.ICPs())},
		{Name: "pricing", Kind: Text, Values: texts(catalog.Pricings())},
		{Name: "price", Kind: Text},
		{Name: "score", Kind: Number, Nullable: true},
		{Name: "verifiability", Kind: Number, Nullable: true},
		{Name: "tagline", Kind: Text},
		{Name: "canonical_url", Kind: Text, URL: true},
		{Name: "avis_url", Kind: Text, URL: true, Nullable: true},
		{Name: "alternatives_url", Kind: Text, URL: true},
		{Name: "updated_at", Kind: Day},
		{Name: "price_cents", Kind: Integer, Nullable: true},
		{Name: "price_period", Kind: Text, Nullable: true},
	},
	count: func(s *catalog.Snapshot) int { return s.Stats().Tools },
	slugs: (*catalog.Snapshot).ToolSlugs,
	line: func(b []byte, s *catalog.Snapshot, slug string) []byte {
		t, _ := s.Tool(slug)
		d, _ := s.ToolJSON(slug)
		return append(appendAmount(append(b, open(d.Body)...), t.Price), '}')
	},
	cells: func(row []Cell, s *catalog.Snapshot, slug string) []Cell {
		t, _ := s.Tool(slug)
		site, review := s.Service().Site, ""
		if t.Review.Exists() {
			review = expand(site.Review, slug)
		}
		cents, period := amount(t.Price)
		return append(row,
			text(t.Slug), text(t.Name), text(t.Domain), text(t.Category), text(t.ICP), text(t.Pricing), text(t.Price),
			measure(t.Score), measure(t.Verifiability), text(t.Tagline), text(expand(site.Tool, slug)),
			text(review), text(expand(site.Alternatives, slug)), text(t.UpdatedAt), cents, period)
	},
}

var pricing = Table{
	Name: "pricing",
	Key:  []string{"slug"},
	Columns: []Column{
		{Name: "slug", Kind: Text, Of: toolsName},
		{Name: "name", Kind: Text},
		{Name: "current_pricing", Kind: Text, Values: texts(catalog.Pricings())},
		{Name: "current_price", Kind: Text},
		{Name: "price_cents", Kind: Integer, Nullable: true},
		{Name: "price_period", Kind: Text, Nullable: true},
	},
	count: tools.count,
	slugs: tools.slugs,
	line: func(b []byte, s *catalog.Snapshot, slug string) []byte {
		t, _ := s.Tool(slug)
		d, _ := s.PriceJSON(slug)
		first, rest, _ := strings.Cut(string(open(d.Body)), ",") // after the slug, which has no comma
		b = catalog.AppendString(append(append(b, first...), `,"name":`...), t.Name)
		return append(appendAmount(append(append(b, ','), rest...), t.Price), '}')
	},
	cells: func(row []Cell, s *catalog.Snapshot, slug string) []Cell {
		t, _ := s.Tool(slug)
		cents, period := amount(t.Price)
		return append(row, text(t.Slug), text(t.Name), text(t.Pricing), text(t.Price), cents, period)
	},
}

var comparisons = Table{
	Name: "comparatifs",
	Key:  []string{"slug"},
	Columns: []Column{
		{Name: "slug", Kind: Text},
		{Name: "title", Kind: Text},
		{Name: "tool_a.slug", Kind: Text, Of: toolsName},
		{Name: "tool_a.name", Kind: Text},
		{Name: "tool_a.score", Kind: Number, Nullable: true},
		{Name: "tool_b.slug", Kind: Text, Of: toolsName},
		{Name: "tool_b.name", Kind: Text},
		{Name: "tool_b.score", Kind: Number, Nullable: true},
		{Name: "winner", Kind: Text},
		{Name: "winner_note", Kind: Text},
		{Name: "updated_at", Kind: Day},
		{Name: "canonical_url", Kind: Text, URL: true},
	},
	count: func(s *catalog.Snapshot) int { return s.Stats().Comparisons },
	slugs: (*catalog.Snapshot).ComparisonSlugs,
	line: func(b []byte, s *catalog.Snapshot, slug string) []byte {
		object, _ := s.LoggedComparisonJSON(slug)
		return append(b, object...)
	},
	cells: func(row []Cell, s *catalog.Snapshot, slug string) []Cell {
		m, _ := s.Comparison(slug)
		return append(row, text(m.Slug), text(m.Title), text(m.A.Slug), text(m.A.Name), measure(m.A.Score),
			text(m.B.Slug), text(m.B.Name), measure(m.B.Score), text(m.Winning().Name), text(m.Note), text(m.UpdatedAt),
			text(expand(s.Service().Site.Comparison, slug)))
	},
}

var cemetery = Table{
	Name: "cimetiere",
	Key:  []string{"slug"},
	Columns: []Column{
		{Name: "slug", Kind: Text},
		{Name: "name", Kind: Text},
		{Name: "reason", Kind: Text, Values: texts(catalog.Reasons())},
		{Name: "retired_at", Kind: Day},
		{Name: "note", Kind: Text},
	},
	count: func(s *catalog.Snapshot) int { return s.Stats().Retired },
	slugs: (*catalog.Snapshot).RetiredSlugs,
	line: func(b []byte, s *catalog.Snapshot, slug string) []byte {
		object, _ := s.RetiredJSON(slug)
		return append(b, object...)
	},
	cells: func(row []Cell, s *catalog.Snapshot, slug string) []Cell {
		r, _ := s.Retired(slug)
		return append(row, text(r.Slug), text(r.Name), text(r.Reason), text(r.RetiredAt), text(r.Note))
	},
}

var categories = Table{
	Name: categoriesName,
	Key:  []string{"slug"},
	Columns: []Column{
		{Name: "slug", Kind: Text},
		{Name: "label", Kind: Text},
		{Name: "tool_count", Kind: Integer},
		{Name: "avg_score", Kind: Number},
	},
	count: func(s *catalog.Snapshot) int { return len(s.Categories()) },
	slugs: func(s *catalog.Snapshot, _ *throttle.Throttle) []string {
		slugs := make([]string, 0, len(s.Categories()))
		for _, c := range s.Categories() {
			slugs = append(slugs, c.Slug)
		}
		slices.Sort(slugs)
		return slugs
	},
	line: func(b []byte, s *catalog.Snapshot, slug string) []byte { return append(b, category(s, slug).JSON()...) },
	cells: func(row []Cell, s *catalog.Snapshot, slug string) []Cell {
		c := category(s, slug)
		average := c.AverageScore
		average.Known = true // 0 when absent, as in the API
		return append(row, text(c.Slug), text(c.Label), integer(c.Tools), measure(average))
	},
}

// facts has the sources of living and retired tools, whose slugs differ.
var facts = Table{
	Name: "facts",
	Key:  []string{"slug", "field"},
	Columns: []Column{
		{Name: "slug", Kind: Text},
		{Name: "name", Kind: Text},
		{Name: "field", Kind: Text, Values: texts(catalog.FactFields())},
		{Name: "value", Kind: Text, Nullable: true},
		{Name: "checked", Kind: Day, Nullable: true},
		{Name: "source", Kind: Text, URL: true, Nullable: true},
		{Name: "note", Kind: Text, Nullable: true},
	},
	count: func(s *catalog.Snapshot) int { return s.Stats().Tools + s.Stats().Retired },
	csvRows: func(s *catalog.Snapshot) int {
		return len(new(catalog.Tool).FactList())*s.Stats().Tools + len(new(catalog.Retired).FactList())*s.Stats().Retired
	},
	slugs: (*catalog.Snapshot).FactSlugs,
	line: func(b []byte, s *catalog.Snapshot, slug string) []byte {
		d, _ := s.FactsJSON(slug)
		return append(b, d.Body...)
	},
	cells: func(rows []Cell, s *catalog.Snapshot, slug string) []Cell {
		name, list := s.Facts(slug)
		for _, f := range list {
			rows = append(rows, text(slug), text(name), text(f.Field), Cell{f.Value, f.Field == catalog.ScoreFact},
				text(f.Checked), text(f.Source), text(f.Note))
		}
		return rows
	},
}

// identifiers has the package URLs and domains by which programs refer to living and retired tools.
// It has a row for each key of catalog.IdentifierKeys instead of each slug, since a tool has
// several.
var identifiers = Table{
	Name: Identifiers,
	Key:  []string{"id", "slug"},
	Columns: []Column{
		{Name: "id", Kind: Text},
		{Name: "slug", Kind: Text},
		{Name: "name", Kind: Text},
		{Name: "retired", Kind: Boolean},
		{Name: "ends_at", Kind: Day, Nullable: true},
		{Name: "successor", Kind: Text, Nullable: true, Of: toolsName},
		{Name: "score", Kind: Number, Nullable: true},
		{Name: "price_cents", Kind: Integer, Nullable: true},
		{Name: "price_period", Kind: Text, Nullable: true},
		{Name: "old_price_cents", Kind: Integer, Nullable: true},
		{Name: "old_price_period", Kind: Text, Nullable: true},
		{Name: "price_changed_at", Kind: Day, Nullable: true},
	},
	count: (*catalog.Snapshot).IdentifierCount,
	slugs: (*catalog.Snapshot).IdentifierKeys,
	line:  func(b []byte, s *catalog.Snapshot, key string) []byte { return append(b, s.Identifier(key).JSON()...) },
	cells: func(row []Cell, s *catalog.Snapshot, key string) []Cell {
		i := s.Identifier(key)
		cents, period := amount(i.Price)
		old, oldPeriod := amount(i.OldPrice)
		return append(row, text(i.ID), text(i.Slug), text(i.Name), boolean(i.Retired), text(i.EndsAt), text(i.Successor),
			measure(i.Score), cents, period, old, oldPeriod, text(i.ChangedAt))
	},
}

// history has what was true of living and retired tools: in CSV a row for each interval.
var history = Table{
	Name: "history",
	Key:  []string{"slug", "field", "from"},
	Columns: []Column{
		{Name: "slug", Kind: Text},
		{Name: "name", Kind: Text},
		{Name: "field", Kind: Text, Values: texts(catalog.HistoryFields())},
		{Name: "value", Kind: Text, Nullable: true},
		{Name: "pricing", Kind: Text, Nullable: true, Values: texts(catalog.Pricings())},
		{Name: "cents", Kind: Integer, Nullable: true},
		{Name: "period", Kind: Text, Nullable: true},
		{Name: "from", Kind: Day, Nullable: true},
		{Name: "until", Kind: Day, Nullable: true},
		{Name: "basis", Kind: Text, Values: texts(catalog.Bases())},
		{Name: "corrected", Kind: Boolean},
	},
	count:   facts.count,
	csvRows: (*catalog.Snapshot).IntervalCount,
	slugs:   facts.slugs,
	line: func(b []byte, s *catalog.Snapshot, slug string) []byte {
		d, _ := s.HistoryJSON(slug, "")
		return append(b, d.Body...)
	},
	cells: func(rows []Cell, s *catalog.Snapshot, slug string) []Cell {
		name, _ := s.Facts(slug)
		list, _ := s.Intervals(slug)
		for _, i := range list {
			value, cents, period := text(i.Price), Cell{}, Cell{}
			switch i.Field {
			case catalog.PriceHistory:
				cents, period = amount(i.Price)
			case catalog.ScoreHistory:
				value = measure(i.Score)
			case catalog.LifeHistory:
			}
			rows = append(rows, text(slug), text(name), text(i.Field), value, text(i.Pricing), cents, period,
				text(i.From), text(i.Until), text(i.Basis), boolean(i.Corrected))
		}
		return rows
	},
}

// chunks is the embeddings set, which has no columns.
var chunks = Table{
	Name:  embeddings,
	slugs: (*catalog.Snapshot).EmbeddedSlugs,
	line: func(b []byte, s *catalog.Snapshot, slug string) []byte {
		object, _ := s.HashedEmbeddingsJSON(slug)
		return append(b, object...)
	},
}

func category(s *catalog.Snapshot, slug string) catalog.CategoryStats {
	for _, c := range s.Categories() {
		if c.Slug == slug {
			return c
		}
	}
	return catalog.CategoryStats{} // cannot happen: the slug is one of theirs
}

// open returns an object without its closing brace.
func open(object []byte) []byte { return object[:len(object)-1] }

func expand(pattern, slug string) string {
	return strings.ReplaceAll(pattern, catalog.SlugPlaceholder, slug)
}

func texts[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
