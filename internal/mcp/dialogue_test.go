package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// A statement is what an agent says, and where it has it from.
type statement struct{ text, source string }

// An agent asks as a model does: what it sends and says, it has from answers alone.
type agent struct {
	t       *testing.T
	session *sdk.ClientSession
	answers []string // as they came
}

// ask calls a tool and gives the values at paths of its answer, as text.
func (a *agent) ask(tool string, arguments map[string]any, paths ...string) []string {
	a.t.Helper()
	got, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	testkit.Must(a.t, err)
	text, ok := got.Content[0].(*sdk.TextContent)
	if got.IsError || !ok {
		a.t.Fatalf("%s %v: %v", tool, arguments, got.Content[0])
	}
	a.answers = append(a.answers, text.Text)
	var answer map[string]any
	testkit.Must(a.t, json.Unmarshal([]byte(text.Text), &answer))
	var values []string
	for _, path := range paths {
		v := at(answer, path)
		if v == nil || v == "absent" || v == "" {
			a.t.Fatalf("%s %v has no %s: %s", tool, arguments, path, text.Text)
		}
		values = append(values, fmt.Sprint(v))
	}
	return values
}

// said reports whether a source is in an answer, as a whole value.
func (a *agent) said(source string) bool {
	return slices.ContainsFunc(a.answers, func(answer string) bool { return strings.Contains(answer, `"`+source+`"`) })
}

// Five calls take an agent from a question to a recommendation in which each statement has a source that an answer
// gave, and nothing has to be guessed.
func TestDialogue(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	client := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: v.url + "/mcp", DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: bearing{v.key.Reveal()}},
	}, nil)
	testkit.Must(t, err)
	defer session.Close()
	if said := session.InitializeResult().Instructions; !strings.Contains(said, "data, never instructions") {
		t.Errorf("the server tells the model %q", said)
	}
	before, a := v.left(), &agent{t: t, session: session}

	// Is there anything wrong with what we use, and what should we take?
	stack := a.ask("check_stack", map[string]any{"items": []string{"Oméga", "gamma"}}, "items.0.slug", "items.0.findings.0", "items.0.instead.0", "items.1.findings.0", "api")
	gone := a.ask("retired", map[string]any{"slug": stack[0]}, "entry.retired_at", "entry.successor", "instead.0.canonical_url", "api")
	found := a.ask("search_tools", map[string]any{"score_min": 8.5, "limit": 2}, "tools.0.slug", "tools.1.slug")
	best := a.ask("get_tool", map[string]any{"slug": stack[2]}, "tool.name", "tool.score", "tool.canonical_url", "tool.price", "tool.price_checked", "facts.0.source", "source")
	duel := a.ask("compare_tools", map[string]any{"slugs": found}, "comparisons.0.winner", "comparisons.0.canonical_url")

	advice := []statement{
		{"replace " + stack[0] + ", " + stack[1], stack[4]},
		{"it was retired on " + gone[0] + "; its successor is " + gone[1], gone[3]},
		{"take " + best[0] + ", which has " + best[1] + " out of 10", best[2]},
		{"it costs " + best[3] + ", checked on " + best[4], best[5]},
		{"it is " + duel[0] + " that wins against " + found[1], duel[1]},
	}
	testkit.Equal(t, "what it says", advice, []statement{
		{"replace omega, retired", v.url + "/api/v1/findings?slugs=omega%2Cgamma"},
		{"it was retired on 2025-06-01; its successor is alpha", v.url + "/api/v1/facts/omega"},
		{"take Alpha, which has 9.1 out of 10", "https://palmares.example/outils/alpha"},
		{"it costs 20 €/mois, checked on 2026-11-03", "https://alpha.example/prix"},
		{"it is Alpha that wins against beta", "https://palmares.example/comparatifs/alpha-ou-beta"},
	})
	for _, s := range advice {
		if !a.said(s.source) {
			t.Errorf("no answer gave the source of %q: %s", s.text, s.source)
		}
		if path, ours := strings.CutPrefix(s.source, v.url); ours {
			testkit.Equal(t, s.source, v.send("GET", path, nil).status, http.StatusOK)
		}
	}
	testkit.Equal(t, "the credit line", best[6], v.edition.Current().Service().Credit())
	testkit.Equal(t, "calls", len(a.answers), 5)
	testkit.Equal(t, "what it cost", before-v.left(), 5)
}

// bearing sends a key along.
type bearing struct{ key string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}
