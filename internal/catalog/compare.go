package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/search"
)

// A Compared is some tools side by side.
type Compared struct {
	Tools       []ComparedTool
	Differ      []string              // the fields in which they are not all alike, by their names in the API
	Comparisons []ComparisonWithTools // those of two of them, the newest first
}

// A ComparedTool is a tool that is compared. Either Tool is set or, for a retired one, Retired.
type ComparedTool struct {
	Tool    *Tool
	Retired *Retired
}

// Slug returns the slug of the tool.
func (t ComparedTool) Slug() string {
	if t.Retired != nil {
		return t.Retired.Slug
	}
	return t.Tool.Slug
}

// Name returns the name of the tool.
func (t ComparedTool) Name() string {
	if t.Retired != nil {
		return t.Retired.Name
	}
	return t.Tool.Name
}

// comparedFields are the fields that are checked for differences: those by which people choose a
// tool. Their values are texts, "" for null, as all but the category are of a retired tool.
var comparedFields = []struct {
	name    string
	living  func(*Tool) string
	retired func(*Retired) string
}{
	{"category", func(t *Tool) string { return t.Category }, func(r *Retired) string { return r.Category }},
	{"icp", func(t *Tool) string { return string(t.ICP) }, null},
	{"pricing", func(t *Tool) string { return string(t.Pricing) }, null},
	{"price", func(t *Tool) string { return t.Price }, null},
	{"score", func(t *Tool) string { return t.Score.String() }, null},
	{"verifiability", func(t *Tool) string { return t.Verifiability.String() }, null},
	{"ends_at", func(t *Tool) string { return string(t.Ending.At) }, null},
	{"retired_at", func(*Tool) string { return "" }, func(r *Retired) string { return string(r.RetiredAt) }},
}

func null(*Retired) string { return "" }

// Compare returns tools, living or retired, side by side, in the order of the slugs. It skips unknown
// slugs.
func (s *Snapshot) Compare(slugs []string) Compared {
	var c Compared
	for _, slug := range slugs {
		if t, ok := s.Tool(slug); ok {
			c.Tools = append(c.Tools, ComparedTool{Tool: t})
		} else if r, ok := s.Retired(slug); ok {
			c.Tools = append(c.Tools, ComparedTool{Retired: r})
		}
	}
	for _, f := range comparedFields {
		value := func(t ComparedTool) string {
			if t.Retired != nil {
				return f.retired(t.Retired)
			}
			return f.living(t.Tool)
		}
		if slices.ContainsFunc(c.Tools, func(t ComparedTool) bool { return value(t) != value(c.Tools[0]) }) {
			c.Differ = append(c.Differ, f.name)
		}
	}
	for _, e := range s.comparisonsAmong(slugs) {
		c.Comparisons = append(c.Comparisons, e.ComparisonWithTools)
	}
	return c
}

// The most living and retired tools that MayMean finds by words.
const (
	mostMeant   = 6
	mostRetired = 2
)

// MayMean returns the slugs of the tools, living and retired, that somebody may mean by a text, for
// them to choose: all that it names equally well, or those that its words find, or else the nearest.
func (s *Snapshot) MayMean(text string) []string {
	_, slugs := s.Identify(text)
	if words := search.Fold(text); len(slugs) == 0 && words != "" {
		for _, t := range s.Tools(ToolQuery{Paging: Paging{1, mostMeant}, Search: words}).Items {
			slugs = append(slugs, t.Slug)
		}
		for _, r := range s.Cemetery(CemeteryQuery{Paging: Paging{1, mostRetired}, Search: words}).Items {
			slugs = append(slugs, r.Slug)
		}
	}
	if len(slugs) == 0 {
		slugs = s.NearestTo(text)
	}
	return slugs[:min(len(slugs), MaxMeant)]
}

// comparisonsAmong returns the comparisons of two of the tools, the newest first.
func (s *Snapshot) comparisonsAmong(slugs []string) []*comparisonEntry {
	var found []*comparisonEntry
	for _, slug := range slugs {
		for _, e := range s.byTool.list(slug) {
			if e.ToolA == slug && slices.Contains(slugs, e.ToolB) { // each is in the lists of both
				found = append(found, e)
			}
		}
	}
	slices.SortFunc(found, func(a, b *comparisonEntry) int {
		return cmp.Or(strings.Compare(string(b.UpdatedAt), string(a.UpdatedAt)), strings.Compare(a.Slug, b.Slug))
	})
	return found
}

// CompareJSON returns tools side by side as JSON: see Compare. Every row has every key.
func (s *Snapshot) CompareJSON(slugs []string) Document {
	c := s.Compare(slugs)
	o := newObject()
	o.raw("tools", appendArray(nil, c.Tools, func(b []byte, t ComparedTool) []byte {
		if t.Retired != nil {
			return append(b, encodeRetiredRow(s.service, t.Retired)...)
		}
		return append(b, s.encodeLivingRow(t.Tool)...)
	}))
	o.raw("differ", appendArray(nil, c.Differ, appendString))
	o.raw("comparisons", appendArray(nil, s.comparisonsAmong(slugs), func(b []byte, e *comparisonEntry) []byte {
		return append(b, e.item.Body...)
	}))
	return NewDocument(o.close())
}

// encodeLivingRow returns the tool as everywhere, with what only comparing needs after it.
func (s *Snapshot) encodeLivingRow(t *Tool) []byte {
	item := s.tools.get(t.Slug).item.Body
	o := append(make(object, 0, len(item)+128), item[:len(item)-1]...)
	price, _ := ParsePrice(t.Price) // checked when the file was read
	if cents, ok := price.Monthly(); ok {
		o.int("monthly_cents", int(cents))
	} else {
		o.nullable("monthly_cents", "")
	}
	o.nullable("ends_at", string(t.Ending.At))
	o.nullable("retired_at", "")
	o.nullable("successor", t.Ending.Successor)
	return o.close()
}

func encodeRetiredRow(s Service, r *Retired) []byte {
	o := newObject()
	nulls := func(names ...string) {
		for _, name := range names {
			o.nullable(name, "")
		}
	}
	o.string("slug", r.Slug)
	o.string("name", r.Name)
	o.nullable("domain", r.Domain)
	o.string("category", r.Category)
	nulls("icp", "pricing", "price", "score", "verifiability", "tagline")
	o.string("canonical_url", s.ToolURL(r.Slug))
	nulls("avis_url")
	o.string("alternatives_url", expand(s.Site.Alternatives, r.Slug))
	nulls("updated_at", "monthly_cents", "ends_at")
	o.string("retired_at", string(r.RetiredAt))
	o.nullable("successor", r.Successor)
	return o.close()
}
