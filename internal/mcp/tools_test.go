package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/engine"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// cases have a call of each tool, with what its answer has: values at paths. "slugs" lists those of a list.
var cases = []struct {
	tool      string
	arguments string
	want      map[string]any
}{
	{"search_tools", `{}`, map[string]any{"total": 5.0, "slugs tools": "alpha beta epsilon gamma delta", "match": "absent", "ignored": "absent", "resolved": "absent"}},
	{"search_tools", `{"q":"beta"}`, map[string]any{
		"total": 1.0, "tools.0.name": "Béta", "tools.0.price": "29 €/mois", "tools.0.price_checked": nil,
		"tools.0.canonical_url": "https://palmares.example/outils/beta", "tools.0.url": "absent",
		"match": "all", "ignored": []any{}, "slugs retired": "", "categories": "absent",
	}},
	{"search_tools", `{"q":"OMEGA"}`, map[string]any{
		"slugs retired": "omega", "retired.0.name": "Oméga", "retired.0.retired_at": "2025-06-01", "retired.0.successor": "alpha",
	}},
	{"search_tools", `{"q":"omega.example"}`, map[string]any{"slugs retired": "omega"}},
	{"search_tools", `{"category":"CATEGORIE sans outil"}`, map[string]any{
		"total": 0.0, "slugs categories": "code image voix vide", "categories.0.label": "Code", "categories.0.tool_count": 5.0,
		"match": "absent", "ignored": "absent",
	}},
	{"search_tools", `{"category":" Category Without Tools","language":"en"}`, map[string]any{"total": 0.0, "categories.3.label": "Category without tools"}},
	{"search_tools", `{"category":"code,Voix et son"}`, map[string]any{"total": 5.0}},
	{"search_tools", `{"score_min":8.5,"limit":1}`, map[string]any{"total": 2.0, "slugs tools": "alpha"}},
	{"search_tools", `{"price_max":0}`, map[string]any{"slugs tools": "delta", "tools.0.score": nil, "tools.0.pricing": "gratuit"}},
	{"search_tools", `{"q":"rien de tel","pricing":null,"category":null}`, map[string]any{"total": 0.0, "slugs tools": "", "slugs categories": "code image voix vide"}},
	{"get_tool", `{"slug":"alpha"}`, map[string]any{
		"tool.name": "Alpha", "tool.score": 9.1, "tool.domain": "alpha.example", "tool.price_checked": "2026-11-03",
		"facts.0.field": "price", "facts.0.source": "https://alpha.example/prix", "facts.1.checked": nil,
		"rank.overall": 1.0, "rank.category": 1.0, "slugs comparisons": "alpha-ou-beta",
		"tool.avis_url": "https://palmares.example/avis/alpha", "tool.review_url": "absent",
		"comparisons.0.winner": "Alpha", "comparisons.0.winner_slug": "alpha", "comparisons.0.winner_note": "Alpha gagne.",
		"comparisons.0.canonical_url": "https://palmares.example/comparatifs/alpha-ou-beta", "comparisons.0.note": "absent",
		"resolved": resolvedAs("alpha", "alpha", "slug"),
	}},
	{"get_tool", `{"slug":" «ALPHA» "}`, map[string]any{"tool.slug": "alpha", "resolved": resolvedAs(" «ALPHA» ", "alpha", "name"), "renamed": "absent"}},
	{"get_tool", `{"slug":"beta","language":"en"}`, map[string]any{
		"tool.tagline": "A tool", "comparisons.0.title": "Alpha or Beta", "comparisons.0.winner_note": "Alpha wins.", "review": "In English.",
	}},
	{"get_tool", `{"slug":"beta","language":"fr"}`, map[string]any{"tool.tagline": "Un outil", "comparisons.0.title": "Alpha ou Béta", "review": "En français."}},
	{"get_tool", `{"slug":"delta","language":"en"}`, map[string]any{"tool.tagline": "Un autre"}}, // nobody has translated it
	{"get_tool", `{"slug":"delta"}`, map[string]any{"rank": nil, "review": nil, "slugs comparisons": ""}},
	{"get_tool", `{"slug":"gamma"}`, map[string]any{"tool.ends_at": "2027-03-31", "tool.successor": "alpha"}},
	{"compare_tools", `{"slugs":["beta","alpha"]}`, map[string]any{
		"slugs tools": "beta alpha", "differ": []any{"price", "score"}, "slugs comparisons": "alpha-ou-beta",
	}},
	{"compare_tools", `{"slugs":["Béta","https://www.alpha.example/prix"]}`, map[string]any{
		"slugs tools": "beta alpha", "resolved.0.matched_by": "name", "resolved.1.matched_by": "domain", "resolved.1.slug": "alpha",
	}},
	{"price_history", `{"slug":"pkg:npm/beta@2.0"}`, map[string]any{
		"current_price": "29 €/mois", "current_pricing": "payant", "total": 1.0, "price_history.0.old_price": "24 €/mois",
		"price_history.0.new_price": "29 €/mois", "price_history.0.changed_at": "2025-01-11", "resolved": resolvedAs("pkg:npm/beta@2.0", "beta", "package"),
	}},
	{"alternatives", `{"slug":"alpha","limit":1}`, map[string]any{
		"slugs tools": "beta", "tools.0.why": "Score 8.7, 0.4 lower. Costs more: 29 €/mois instead of 20 €/mois. Made for the same audience.",
	}},
	{"alternatives", `{"slug":"omega"}`, map[string]any{"tools.0.slug": "alpha", "tools.0.why": "The successor that its retirement names."}},
	{"retired", `{"slug":"omega"}`, map[string]any{"retired": true, "entry.name": "Oméga", "entry.successor": "alpha", "instead.0.slug": "alpha"}},
	{"retired", `{"slug":"Omega","language":"en"}`, map[string]any{"entry.slug": "omega", "entry.note": "Closed.", "instead.0.tagline": "Un outil"}},
	{"alternatives", `{"slug":"oméga","language":"en"}`, map[string]any{"tools.0.slug": "alpha", "resolved.0.slug": "omega"}},
	{"retired", `{"slug":"alpha"}`, map[string]any{"retired": false, "entry": nil, "slugs instead": ""}},
	{"what_changed", `{}`, map[string]any{
		"more": false, "changes.8.type": "price.changed", "changes.8.slug": "beta", "changes.8.changed": []any{"price"},
		"changes.8.object": map[string]any{"price": "29 €/mois"}, "changes.8.previous": map[string]any{"price": "24 €/mois"},
		"changes.9.type": "tool.created", "changes.9.object.name": "Outil epsilon", "changes.9.object.score": 8.0, "changes.9.previous": "absent",
	}},
	{"what_changed", `{"since":"2025-01-11","category":"CODE"}`, map[string]any{
		"changes.0.type": "tool.updated", "changes.0.slug": "beta", "log_begins": "absent",
	}},
	{"what_changed", `{"since":"2020-02-29","limit":1}`, map[string]any{"log_begins": "2025-01-10", "changes.0.type": "catalog.updated", "more": true}},
	{"what_changed", `{"since":"2025-01-10","type":"tool.created"}`, map[string]any{"log_begins": "absent", "slugs changes": "alpha beta delta gamma epsilon"}},
	{"what_changed", `{"since":"2025-01-12"}`, map[string]any{"slugs changes": "", "more": false}},
	{"what_changed", `{"since":"0","type":"tool.created","limit":2}`, map[string]any{"more": true, "slugs changes": "alpha beta"}},
	{"check_stack", `{"items":["alpha","omega","gamma","inconnu"]}`, map[string]any{
		"items.0.slug": "alpha", "items.0.matched_by": "slug", "items.0.findings": []any{}, "items.0.detail": nil,
		"items.1.findings": []any{"retired"}, "items.2.findings": []any{"ending", "low_score"}, "items.2.instead.0": "alpha",
		"items.3.slug": nil, "items.3.matched_by": nil, "items.3.near": []any{}, "renamed": "absent",
	}},

	// A slug that a tool had before is the tool's, and the answer says so.
	{"get_tool", `{"slug":"alef"}`, map[string]any{"tool.slug": "alpha", "renamed": renamedAlpha, "rank.overall": 1.0, "resolved": resolvedAs("alef", "alpha", "slug")}},
	{"compare_tools", `{"slugs":["beta","alef"]}`, map[string]any{"slugs tools": "beta alpha", "slugs comparisons": "alpha-ou-beta", "renamed": renamedAlpha}},
	{"price_history", `{"slug":"alef"}`, map[string]any{"slug": "alpha", "renamed": renamedAlpha}},
	{"alternatives", `{"slug":"alef","limit":1}`, map[string]any{"slugs tools": "beta", "renamed": renamedAlpha}},
	{"retired", `{"slug":"alef"}`, map[string]any{"retired": false, "renamed": renamedAlpha}},
	{"retired", `{"slug":"om"}`, map[string]any{"retired": true, "entry.slug": "omega", "renamed.0.to": "omega"}},
	{"check_stack", `{"items":["beta"," alef ","om"]}`, map[string]any{
		"items.1.input": " alef ", "items.1.slug": "alpha", "items.1.matched_by": "slug", "items.2.findings": []any{"retired"},
		"renamed.0.from": "alef", "renamed.1.from": "om",
	}},
}

func resolvedAs(input, slug, by string) []any {
	return []any{map[string]any{"input": input, "slug": slug, "matched_by": by}}
}

var renamedAlpha = []any{map[string]any{"from": "alef", "to": "alpha"}}

// Every tool answers in both revisions of the protocol and to the SDK's own client, the same each time, and what it
// says is what its schema says.
func TestTools(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: v.url + "/mcp", DisableStandaloneSSE: true}, nil)
	testkit.Must(t, err)
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	testkit.Must(t, err)
	schemas := make(map[string]*jsonschema.Resolved)
	for _, tool := range list.Tools {
		var s jsonschema.Schema
		b, err := json.Marshal(tool.OutputSchema)
		testkit.Must(t, err)
		testkit.Must(t, json.Unmarshal(b, &s))
		schemas[tool.Name], err = s.Resolve(nil)
		testkit.Must(t, err)
	}
	seen := make(map[string]bool)
	for _, c := range cases {
		seen[c.tool] = true
		t.Run(c.tool+" "+c.arguments, func(t *testing.T) {
			arguments := json.RawMessage(c.arguments)
			got := v.call(handshake, c.tool, arguments, v.bearer()...)
			if got.IsError {
				t.Fatal(got.Content)
			}
			for path, want := range c.want {
				if value := at(got.Structured, path); !reflect.DeepEqual(value, want) {
					t.Errorf("%s is %#v, want %#v", path, value, want)
				}
			}
			testkit.Equal(t, "edition", at(got.Structured, "edition"), 2.0)
			testkit.Equal(t, "source", at(got.Structured, "source"), v.edition.Current().Service().Credit())
			if err := schemas[c.tool].Validate(got.Structured); err != nil {
				t.Errorf("the answer is not what its schema says: %v", err)
			}
			var inText map[string]any
			testkit.Must(t, json.Unmarshal([]byte(got.Content[0].Text), &inText))
			if !reflect.DeepEqual(inText, got.Structured) {
				t.Error("the text is not the structured content")
			}
			if again := v.call(stateless, c.tool, arguments, v.bearer()...); !reflect.DeepEqual(again.Structured, got.Structured) {
				t.Errorf("%s answers %v", stateless, again.Structured)
			}
			asked, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: arguments})
			testkit.Must(t, err)
			if !reflect.DeepEqual(asked.StructuredContent, any(got.Structured)) {
				t.Errorf("the client of the SDK gets %v", asked.StructuredContent)
			}
			shown, err := mcp.Show(v.edition.Current(), v.url, c.tool, arguments)
			testkit.Must(t, err)
			testkit.Equal(t, "what a page shows", string(shown), got.Content[0].Text)
			api, _ := at(got.Structured, "api").(string)
			if r := v.send("GET", strings.TrimPrefix(api, v.url), nil, v.bearer()...); r.status != http.StatusOK {
				t.Errorf("%s: %d %s", api, r.status, r.body)
			}
		})
	}
	for _, name := range mcp.Names() {
		if !seen[name] {
			t.Errorf("no case calls %s", name)
		}
	}
}

// at is the value at a path of names and numbers, joined by dots. "slugs path" joins those of a list.
func at(v any, path string) any {
	if list, ok := strings.CutPrefix(path, "slugs "); ok {
		var slugs []string
		items, _ := at(v, list).([]any)
		for _, item := range items {
			slugs = append(slugs, fmt.Sprint(at(item, "slug")))
		}
		return strings.Join(slugs, " ")
	}
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			value, found := x[name]
			if !found {
				return "absent"
			}
			v = value
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(x) {
				return "absent"
			}
			v = x[i]
		default:
			return "absent"
		}
	}
	return v
}

// What changed says which slug an item had and which it has.
func TestTools_WhatChangedOfNames(t *testing.T) {
	t.Parallel()
	before := published()
	s := catalogtest.Amend(before, func(c *catalog.Contents) {
		beta := catalogtest.Find(c, "beta")
		beta.Slug, beta.Formerly = "beta-pro", []string{"beta"}
		c.Comparisons[0].ToolB = "beta-pro"
		c.Sort()
	})
	shown, err := mcp.Show(s, "", "what_changed", json.RawMessage(`{"since":"`+before.Cursor().String()+`"}`))
	testkit.Must(t, err)
	var got any
	testkit.Must(t, json.Unmarshal(shown, &got))
	for path, want := range map[string]any{
		"changes.0.type": "tool.renamed", "changes.0.slug": "beta-pro", "changes.0.renamed_from": "beta", "changes.0.renamed_to": "beta-pro",
		"changes.1.type": "tool.removed", "changes.1.slug": "beta", "changes.1.renamed_from": "absent", "changes.1.renamed_to": "beta-pro",
		"changes.2.type": "tool.created", "changes.2.slug": "beta-pro", "changes.2.renamed_from": "beta", "changes.2.renamed_to": "absent",
	} {
		testkit.Equal(t, path, at(got, path), want)
	}
}

// A review is cut between words, and is plain text, however its Markdown is written.
func TestTools_Review(t *testing.T) {
	t.Parallel()
	for name, sentence := range map[string]string{
		"one line":    "Il tient ses promesses. ",
		"short lines": "Il tient ses promesses.\n\n",
		"addresses":   "Il [tient](https://alpha.example/une/adresse/que/personne/ne/voit) ses promesses.\n",
	} {
		s := catalogtest.Snapshot(catalogtest.Tool("alpha", catalogtest.Reviewed("x"),
			catalogtest.Written("## Résumé\n\nUn outil **sérieux**. "+strings.Repeat(sentence, 60))))
		shown, err := mcp.Show(s, "", "get_tool", json.RawMessage(`{"slug":"alpha"}`))
		testkit.Must(t, err)
		var got struct{ Review string }
		testkit.Must(t, json.Unmarshal(shown, &got))
		if n := len([]rune(got.Review)); n > 600 || n < 550 {
			t.Errorf("%s: it has %d characters", name, n)
		}
		if !strings.HasPrefix(got.Review, "Un outil sérieux. Il tient ses promesses.") || !strings.HasSuffix(got.Review, "…") {
			t.Errorf("%s: it is %q", name, got.Review)
		}
	}
}

// What is asked wrongly is said in words, to the model, in an answer that counts.
func TestTools_Refuse(t *testing.T) {
	t.Parallel()
	v := serve(t, catalogtest.Amend(published(), func(c *catalog.Contents) {
		for _, slug := range []string{"zwilling", "gemini"} {
			c.Tools = append(c.Tools, catalogtest.Tool(slug, catalogtest.Named("Jumeau")))
		}
		c.Retired = append(c.Retired, catalogtest.Retired("castor", func(r *catalog.Retired) { r.Name = "Jumeau" }))
		c.Sort()
	}))
	for _, c := range []struct{ tool, arguments, want string }{
		{"get_tool", `{"slug":"personne"}`, `no tool has the slug, name, domain or package "personne": search_tools`},
		{"get_tool", `{"slug":"alpa"}`, "one of the nearest, alpha (code); search_tools"},
		{"price_history", `{"slug":"alpa.example"}`, "alpha (code)"},
		{"get_tool", `{"slug":"jumeau"}`, `several tools are "jumeau": call again with the slug of one, such as gemini (code), zwilling (code), castor (retired)`},
		{"retired", `{"slug":"jumeau"}`, "gemini (code), zwilling (code), castor (retired)"},
		{"get_tool", `{"slug":""}`, "no tool"},
		{"get_tool", `{"slug":"` + strings.Repeat("x", 301) + `"}`, "slug"},
		{"get_tool", `{"slug":"alpha","language":"de"}`, "language"},
		{"search_tools", `{"category":"musique"}`, `no category is "musique"; the categories are code, image, voix, vide`},
		{"what_changed", `{"category":"code,musique"}`, `no category is "musique"; the categories are code, image, voix, vide`},
		{"get_tool", `{"slug":"omega"}`, "omega was retired on"},
		{"get_tool", `{}`, "slug"},
		{"get_tool", `{"slug":7}`, "slug"},
		{"get_tool", `{"slug":"alpha","Slug":"beta"}`, "additional properties"},
		{"get_tool", `null`, "slug"},
		{"get_tool", `[]`, "object"},
		{"search_tools", `{"score_min":11}`, "score_min"},
		{"search_tools", `{"price_max":-1}`, "price_max"},
		{"search_tools", `{"limit":21}`, "limit"},
		{"search_tools", `{"limit":0}`, "limit"},
		{"search_tools", `{"q":"` + strings.Repeat("a", 101) + `"}`, "q"},
		{"search_tools", `{"pricing":"cher"}`, "pricing"},
		{"compare_tools", `{"slugs":["alpha"]}`, "slugs"},
		{"compare_tools", `{"slugs":["alpha","alpha"]}`, "twice"},
		{"compare_tools", `{"slugs":["alpha","alef"]}`, "twice"},
		{"get_tool", `{"slug":"om"}`, "omega was retired on"},
		{"compare_tools", `{"slugs":["alpha","beta","gamma","delta","epsilon","alpha"]}`, "slugs"},
		{"compare_tools", `{"slugs":["alpha","omega"]}`, "retired"},
		{"alternatives", `{"slug":"personne"}`, "no tool has the slug, name"},
		{"retired", `{"slug":"personne"}`, "no tool has the slug, name"},
		{"what_changed", `{"since":"demain"}`, `since: "demain" is neither a day`},
		{"what_changed", `{"since":"2026-02-30"}`, "neither a day"},
		{"what_changed", `{"since":"999999"}`, "ask again without since"},
		{"what_changed", `{"type":"tool.exploded"}`, "type"},
		{"check_stack", `{"items":[]}`, "items"},
		{"check_stack", `{"items":[` + strings.Repeat(`"x",`, 50) + `"x"]}`, "items"},
		{"check_stack", `{"items":["` + strings.Repeat("x", 301) + `"]}`, "items"},
	} {
		got := v.call(handshake, c.tool, json.RawMessage(c.arguments))
		if !got.IsError || len(got.Content) != 1 || got.Structured != nil || !strings.Contains(got.Content[0].Text, c.want) {
			t.Errorf("%s %.80s: %v %v, want %q", c.tool, c.arguments, got.IsError, got.Content, c.want)
		}
		if shown, err := mcp.Show(v.edition.Current(), v.url, c.tool, json.RawMessage(c.arguments)); err == nil {
			t.Errorf("%s %.80s: a page shows %s", c.tool, c.arguments, shown)
		}
	}
}

// old is a change log that only the database has. Asking for it waits for an engine.
type old struct{}

func (old) ReadChanges(ctx context.Context, _ changes.Query) (changes.Batch, error) {
	engine.Check(ctx)
	return changes.Batch{}, changes.ErrGone
}

func (old) EndsAfter(ctx context.Context, _ int64) ([]catalog.Cursor, error) {
	engine.Check(ctx)
	return nil, nil
}

// Nobody holds a turn while the database is asked.
func TestWhatChanged_WaitsOutside(t *testing.T) {
	t.Parallel()
	v := serve(t, published(), func(o *mcp.Options) { o.Changes = changes.NewReader(o.Catalog.(*asked), old{}) })
	got := v.call(handshake, "what_changed", map[string]any{"since": "5-0123456789abcdef"})
	if !got.IsError || !strings.Contains(got.Content[0].Text, "not of this log") {
		t.Errorf("%+v", got)
	}
}
