package catalog_test

import (
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// toolItem is a tool as the log must have it.
func toolItem(s Service, t *Tool) LoggedItem {
	return LoggedItem{
		Name: t.Name, Domain: t.Domain, Category: t.Category, ICP: t.ICP, Pricing: t.Pricing, Price: t.Price,
		Score: t.Score, Verifiability: t.Verifiability, Tagline: t.Tagline,
		URL: strings.ReplaceAll(s.Site.Tool, SlugPlaceholder, t.Slug), ReviewURL: reviewOf(s, t),
	}
}

func reviewOf(s Service, t *Tool) string {
	if !t.Review.Exists() {
		return ""
	}
	return strings.ReplaceAll(s.Site.Review, SlugPlaceholder, t.Slug)
}

// What an entry of each type says is what the catalog had and has, field by field.
func TestLogEntry_Items(t *testing.T) {
	t.Parallel()
	current := published(t)
	next := build.Edited(current, func(c *Contents) {
		a, b := c.Tools[0], c.Tools[1]
		a.Score, a.Price, a.Tagline, a.Domain = Measure{}, "31 €/mois", "Un \"score\": 1, et plus", "autre.example"
		b.Name, b.Score, b.Category, b.ICP, b.Verifiability = "Bé", Hundredths(905), "image", Mixed, Hundredths(5)
		build.Reviewed("Neuf")(b)
		c.Tools = append(c.Tools[:2], build.Tool("d", build.Scored(0)))
		c.Retired = append(c.Retired, build.Retired("c"))
		c.Comparisons[0].Note = "Autre note"
		c.Comparisons = append(c.Comparisons, build.Comparison("d-ou-b", "d", "b"))
	})
	changes := Diff(current, next, today)
	old, now := make(map[string]*Tool), make(map[string]*Tool)
	for _, tool := range current.Tools {
		old[tool.Slug] = tool
	}
	for _, tool := range next.Tools {
		now[tool.Slug] = tool
	}
	tool := func(tools map[string]*Tool, slug string) LoggedItem { return toolItem(current.Service, tools[slug]) }
	price := func(x *Tool) LoggedItem { return LoggedItem{Name: x.Name, Pricing: x.Pricing, Price: x.Price} }
	comparison := func(c *Comparison, tools map[string]*Tool) LoggedItem {
		a, b := tools[c.ToolA], tools[c.ToolB]
		return LoggedItem{
			Title: c.Title, WinnerNote: c.Note, Winner: ComparisonWithTools{c, a, b}.Winning().Name,
			URL:   strings.ReplaceAll(current.Service.Site.Comparison, SlugPlaceholder, c.Slug),
			ToolA: LoggedTool{a.Name, a.Score}, ToolB: LoggedTool{b.Name, b.Score},
		}
	}
	dead := next.Retired[0]
	want := map[string][2]LoggedItem{
		"tool.updated a":              {tool(old, "a"), tool(now, "a")},
		"price.changed a":             {price(old["a"]), price(now["a"])},
		"tool.updated b":              {tool(old, "b"), tool(now, "b")},
		"tool.retired c":              {tool(old, "c"), {Name: dead.Name, Reason: dead.Reason, RetiredAt: dead.RetiredAt, Note: dead.Note}},
		"tool.created d":              {{}, tool(now, "d")},
		"comparatif.updated a-ou-b":   {comparison(current.Comparisons[0], old), comparison(next.Comparisons[0], now)},
		"comparatif.published d-ou-b": {{}, comparison(next.Comparisons[1], now)},
	}
	for _, e := range changes.LogEntries(Edition{Number: 2}, 0) {
		name := string(e.Type) + " " + e.Slug
		was, is, err := e.Items()
		testkit.Must(t, err)
		if pair, ok := want[name]; ok {
			testkit.Equal(t, name, [2]LoggedItem{was, is}, pair)
			delete(want, name)
		}
		if strings.HasPrefix(string(e.Type), "tool.") {
			before, after := e.Scores()
			testkit.Equal(t, name+": the scores", [2]Measure{before, after}, [2]Measure{was.Score, is.Score})
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the log: %v", want)
	}
}

func TestLogEntry_ItemsThatAreNotThere(t *testing.T) {
	t.Parallel()
	e := LogEntry{Seq: 7}
	was, is, err := e.Items()
	testkit.Must(t, err)
	testkit.Equal(t, "nothing", [2]LoggedItem{was, is}, [2]LoggedItem{})
	for _, text := range []string{`{`, `{"score":"9"}`, `{"score":11}`, `{"name":1}`} {
		e.Object = []byte(text)
		if _, _, err := e.Items(); err == nil || !strings.HasPrefix(err.Error(), "reading entry 7 of the change log: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
	e.Object, e.Previous = []byte(`{"score": 9.10 , "name":"x"}`), []byte(`{"score": null}`)
	was, is, err = e.Items()
	testkit.Must(t, err)
	before, after := e.Scores()
	testkit.Equal(t, "scores among spaces", [4]Measure{was.Score, is.Score, before, after}, [4]Measure{{}, Hundredths(910), {}, Hundredths(910)})
}

func TestEvent_Changed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind             EventType
		previous, object string
		want             []string
	}{
		{ToolUpdated, `{"name":"a","score":9,"tier": 1}`, `{"tier":1, "score":9.1,"later":true,"name":"a"}`, []string{"later", "score"}},
		{PriceChanged, `{"price":"1","gone":null}`, `{"price":"2"}`, []string{"gone", "price"}},
		{ComparisonUpdated, `{"tool_a":{"name": "a"}}`, `{"tool_a":{"name":"a"}}`, []string{}},
		{EmbeddingsUpdated, `{"hash":"1"}`, `{"hash":"2"}`, []string{"hash"}},
		{EmbeddingsUpdated, ``, `{"hash":"2"}`, nil},
		{ToolRetired, `{"name":"a"}`, `{"name":"b"}`, nil},
		{ToolUpdated, `{`, `{"name":"b"}`, nil},
	} {
		e := Event{Type: tt.kind, Previous: []byte(tt.previous), Object: []byte(tt.object)}
		got := e.Changed()
		if testkit.Equal(t, tt.object, got, tt.want); (got == nil) != (tt.want == nil) {
			t.Errorf("%s: %#v, want %#v", tt.object, got, tt.want)
		}
	}
}
