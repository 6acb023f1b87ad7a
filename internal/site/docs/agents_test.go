package docs_test

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The page has every tool, and what to tell each client.
func TestAgents(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	address := sitetest.Own + mcp.Path
	said := []string{
		`data-copy="` + address + `"`, "claude mcp add --transport http ai-tools " + address, "Authorization: Bearer plm_…",
		"Bearer ${AI_TOOLS_KEY}", "Authorization:${AUTH_HEADER}", "${env:AI_TOOLS_KEY}", "${input:ai-tools-key}", "promptString",
		`href="/mcp/server-card"`, `href="/.well-known/ai-catalog.json"`, `href="/.well-known/api-catalog"`,
	}
	for _, name := range mcp.Names() {
		said = append(said, "<h3><code>"+name+"</code></h3>")
	}
	r.Check(t, []sitetest.Wanted{
		{Path: "/agents", Says: append([]string{
			"Pour les agents", "partage leurs adresses", "100 requêtes par jour", "vous en donne 1 000", "ChatGPT", `href="/docs/agents"`, `href="/tarifs"`,
		}, said...)},
		{Path: "/en/agents", Says: append([]string{
			"For agents", "shares their addresses", "100 requests a day", "gives you 1,000", "ChatGPT", `href="/en/docs/agents"`, `href="/en/plans"`,
		}, said...)},
		{Path: "/", Says: []string{`<li><a href="/agents">Pour les agents</a></li>`}},
	})
	for path, guidePath := range map[string]string{"/agents": "/docs/agents.md", "/en/agents": "/en/docs/agents.md"} {
		samples, err := guide.Samples(r.Get(guidePath).Body)
		testkit.Must(t, err)
		page, shown := html.UnescapeString(tag.ReplaceAllString(r.Get(path).Body, "")), 0
		for _, s := range samples {
			if shown += map[bool]int{true: 1}[s.Shown]; s.Shown && !strings.Contains(page, s.Text) {
				t.Errorf("%s does not show what its guide does: %s", path, s.Text)
			}
		}
		testkit.Equal(t, "clients in the guide", shown, 5)
		for _, file := range configurations.FindAllStringSubmatch(r.Get(path).Body, -1) {
			text := html.UnescapeString(tag.ReplaceAllString(file[1], ""))
			if !json.Valid([]byte(text)) {
				t.Errorf("%s: this is no JSON: %s", path, text)
			}
		}
	}
}

var (
	tag            = regexp.MustCompile(`<[^>]+>`)
	configurations = regexp.MustCompile(`(?s)json</code><button.*?<pre[^>]*><code>(.*?)</code></pre>`)
	step           = regexp.MustCompile(`(?s)<li><p class="made"><code><b>(\w+)</b> (.*?)</code></p>.*?<pre[^>]*><code>(.*?)</code></pre>`)
	reason         = regexp.MustCompile(`<li>(.*?) <a class="small" href="([^"]+)">([^<]+)</a></li>`)
	credit         = regexp.MustCompile(`(?:à garder&nbsp;:|à garder\x{a0}:|to keep:) <code>([^<]+)</code>`)
)

// talked are the calls of the dialogue on a page with their whole answers, and the advice after them.
func talked(t *testing.T, r *sitetest.Reader, path string) (tools []string, answers string, advice []string) {
	t.Helper()
	body := r.Get(path).Body
	for _, s := range step.FindAllStringSubmatch(body, -1) {
		answer, err := mcp.Show(r.Current(), sitetest.Own, s[1], json.RawMessage(html.UnescapeString(s[2])))
		testkit.Must(t, err)
		var indented bytes.Buffer
		testkit.Must(t, json.Indent(&indented, answer, "", "  "))
		shown := strings.TrimSuffix(strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(s[3], ""))), "\n…")
		if !strings.HasPrefix(indented.String(), shown) || len(shown) < 100 {
			t.Errorf("%s: the answer to %s %s is not the real one: %s", path, s[1], s[2], shown)
		}
		tools, answers = append(tools, s[1]), answers+indented.String()
	}
	if strings.Contains(answers, `"slug": null`) {
		t.Errorf("%s: it asks about something that is no tool, or several: %s", path, answers)
	}
	var labels []string
	for _, m := range reason.FindAllStringSubmatch(body, -1) {
		source := html.UnescapeString(m[2])
		quoted, err := json.Marshal(source)
		testkit.Must(t, err)
		if !strings.Contains(answers, string(bytes.ReplaceAll(quoted, []byte(`\u0026`), []byte("&")))) {
			t.Errorf("%s: no answer gives %s", path, source)
		}
		if slices.Contains(labels, m[3]) {
			t.Errorf("%s: two links are called %s", path, m[3])
		}
		labels, advice = append(labels, m[3]), append(advice, sitetest.PlainSpaces.Replace(html.UnescapeString(tag.ReplaceAllString(m[1], ""))))
	}
	if m := credit.FindStringSubmatch(body); len(tools) > 0 && (m == nil || html.UnescapeString(m[1]) != r.Current().Service().Credit()) {
		t.Errorf("%s: the credit line is %q", path, m)
	}
	return tools, answers, advice
}

// told is a catalog with something to tell: sources, a comparison, a price that moved, a tool that is gone.
func told() *catalog.Snapshot {
	first := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("alpha", catalogtest.Named("Alpha"), catalogtest.Scored(910), catalogtest.Priced(catalog.Paid, "24 €/mois"), func(t *catalog.Tool) {
			t.Facts.Price = catalog.Fact{Source: "https://alpha.example/prix?a=1&b=2", Checked: "2026-11-15"}
		}),
		catalogtest.Tool("beta", catalogtest.Named("Béta"), catalogtest.Scored(870)),
		catalogtest.Tool("gamma", catalogtest.Named("Gamma"), catalogtest.Scored(860), func(t *catalog.Tool) { t.Domain = "gamma.example" }),
		catalogtest.Comparison("alpha-ou-gamma", "alpha", "gamma"),
		catalogtest.Retired("omega", func(r *catalog.Retired) { r.Name, r.Category = "Oméga", "code" }),
	), catalog.Edition{Number: 1, ID: "first", PublishedAt: time.Date(2025, 1, 10, 9, 0, 0, 0, time.UTC)})
	return catalogtest.Amend(first, func(c *catalog.Contents) { catalogtest.Find(c, "alpha").Price = "20 €/mois" })
}

// The dialogue has five calls, whose answers are those of the real tools, and ends in advice with a source for each
// statement.
func TestAgents_Dialogue(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, told())
	moved := r.Current().Edition().PublishedAt.UTC()
	calls := []string{"search_tools", "compare_tools", "get_tool", "price_history", "check_stack"}
	for path, want := range map[string][]string{
		"/agents": {
			"En tête de la catégorie « Code », avec 9,1 sur 10.", "20 €/mois, prix vérifié le 15 novembre 2026.", "Face à Gamma, le comparatif lui donne l'avantage.",
			"Dernier changement de prix le " + sitetest.PlainSpaces.Replace(locale.French.Date(moved)) + " : de 24 €/mois à 20 €/mois.", "Oméga : retiré. gamma.example : rien à signaler.",
		},
		"/en/agents": {
			"First in the category “Code”, with 9.1 out of 10.", "€20/month, checked on 15 November 2026.", "Against Gamma, the comparison favours it.",
			"Last change of price on " + sitetest.PlainSpaces.Replace(locale.English.Date(moved)) + ": from €24/month to €20/month.", "Oméga: retired. gamma.example: nothing to report.",
		},
	} {
		tools, _, advice := talked(t, r, path)
		testkit.Equal(t, path+": the calls", tools, calls)
		testkit.Equal(t, path+": the advice", advice, want)
	}

	// Another edition is another dialogue.
	r.Swap(catalogtest.Amend(r.Current(), func(c *catalog.Contents) { catalogtest.Find(c, "alpha").Score = catalog.Hundredths(920) }))
	if _, _, advice := talked(t, r, "/en/agents"); len(advice) == 0 || !strings.Contains(advice[0], "9.2 out of 10") {
		t.Errorf("after a change of the score it says %q", advice)
	}
}

// Where there is little to talk about, the dialogue says less, or there is none.
func TestAgents_SmallCatalogs(t *testing.T) {
	t.Parallel()
	var (
		alpha = catalogtest.Tool("alpha", catalogtest.Named("Alpha"), catalogtest.Scored(900))
		beta  = catalogtest.Tool("beta", catalogtest.Named("Béta"), catalogtest.Scored(800))
	)
	ending := catalogtest.Tool("alpha", catalogtest.Scored(900), func(t *catalog.Tool) { t.Ending = catalog.Ending{At: "2027-01-01"} })
	lost := catalogtest.Comparison("alpha-ou-beta", "alpha", "beta", func(c *catalog.Comparison) { c.Winner = "beta" })
	for name, c := range map[string]struct {
		items []any
		calls int
	}{
		"nothing":                  {nil, 0},
		"one tool":                 {[]any{alpha}, 0},
		"no scores":                {[]any{catalogtest.Tool("alpha", catalogtest.Unscored), catalogtest.Tool("beta", catalogtest.Unscored)}, 0},
		"the best will end":        {[]any{ending, beta}, 0},
		"the second is preferred":  {[]any{alpha, beta, lost}, 0},
		"two tools":                {[]any{alpha, beta}, 5},
		"two tools, one that won":  {[]any{alpha, beta, catalogtest.Comparison("alpha-ou-beta", "alpha", "beta")}, 5},
		"a name that others have":  {[]any{alpha, beta, catalogtest.Tool("gamma", catalogtest.Scored(100), func(t *catalog.Tool) { t.Domain = beta.Domain })}, 5},
		"a tool that nobody names": {[]any{catalogtest.Tool("alpha", catalogtest.Named(sitetest.Hostile), catalogtest.Scored(900)), catalogtest.Tool("beta", catalogtest.Named(sitetest.Alien), catalogtest.Scored(800))}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := sitetest.New(t, catalogtest.Snapshot(c.items...))
			for _, path := range []string{"/agents", "/en/agents"} {
				tools, _, advice := talked(t, r, path)
				testkit.Equal(t, path+": the calls", len(tools), c.calls)
				testkit.Equal(t, path+": the advice", len(advice), c.calls)
				r.Check(t, []sitetest.Wanted{{Path: path, Says: []string{"check_stack", sitetest.Own + "/mcp"}}})
				r.Wants(t, path, nil, []string{"<b onclick", `<b>"O`})
			}
		})
	}
}
