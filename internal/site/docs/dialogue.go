package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// An MCP describes the MCP server for the page about agents.
type MCP struct {
	Path      string   // the path of the server
	Tools     []string // the names of its tools, in its order
	Documents []string // the paths of the documents that describe the server
	// Show returns the result of a tool over a snapshot, as agents get it. It may be nil.
	Show func(s *catalog.Snapshot, tool string, arguments json.RawMessage) (json.RawMessage, error)
}

// A dialogue is an example conversation: a user's questions, the tool calls by which an agent answers them, and the
// agent's advice.
type dialogue struct {
	Edition, Date string
	Turns         []turn
	Advice        string
	Reasons       []reason
	Credit        string
}

// A turn is a question with its calls.
type turn struct {
	Question template.HTML
	Calls    []calledTool
}

// A calledTool is a call with its answer.
type calledTool struct {
	Tool, Arguments string
	Said            string        // the answer in a sentence
	Answer          template.HTML // the answer, or its beginning
}

// A reason is a statement in favour of the advice, with its source.
type reason struct {
	Text          template.HTML
	Source, Label string
}

// The fields of answers that the dialogue reads.
type (
	toldOrigin struct{ API, Source string }
	toldTool   struct {
		Slug, Name, Price, Domain string
		Score                     catalog.Measure
		PriceChecked              catalog.Date `json:"price_checked"`
		URL                       string       `json:"canonical_url"`
	}
	toldSearch struct {
		toldOrigin
		Total int
		Tools []toldTool
	}
	toldCompared struct {
		toldOrigin
		Tools       []toldTool
		Differ      []string
		Comparisons []struct {
			Winner string
			URL    string `json:"canonical_url"`
		}
	}
	toldFull struct {
		toldOrigin
		Tool  toldTool
		Facts []struct{ Field, Source string }
	}
	toldPrices struct {
		toldOrigin
		Price   string `json:"current_price"`
		Total   int
		History []struct {
			ChangedAt catalog.Date `json:"changed_at"`
			OldPrice  string       `json:"old_price"`
			NewPrice  string       `json:"new_price"`
		} `json:"price_history"`
	}
	toldStack struct {
		toldOrigin
		Items []struct {
			Input             string
			Findings, Instead []string
		}
	}
)

// A talk builds a dialogue. It keeps the first error, after which call does nothing.
type talk struct {
	subject
	v     *view.View
	mcp   MCP
	turns []turn
	err   error

	found    toldSearch
	compared toldCompared
	full     toldFull
	prices   toldPrices
	stack    toldStack
}

// converse returns a dialogue made of real tool calls over the catalog; nil if the catalog has too little for one.
func converse(v *view.View, m MCP) (*dialogue, error) {
	about := findSubject(v.Catalog)
	if about == nil || m.Show == nil {
		return nil, nil //nolint:nilnil // as said
	}
	t := &talk{v: v, mcp: m, subject: *about}
	t.choose()
	t.verify()
	t.review()
	if t.err != nil {
		return nil, fmt.Errorf("the dialogue: %w", t.err)
	}
	edition := v.Catalog.Edition()
	d := &dialogue{
		Edition: v.Text.Integer(int(edition.Number)), Date: v.Text.Date(edition.PublishedAt.UTC()), Turns: t.turns,
		Advice: v.Text.Must("agents.advice", t.full.Tool.Name), Reasons: t.reasons(), Credit: t.full.Source,
	}
	return d, t.err
}

// A subject is what a dialogue is about: a category, its best tool, and one to compare it with.
type subject struct {
	category    string
	best, rival *catalog.Tool
	gone        *catalog.Retired // the tool of the category retired last; nil if none
}

// shortlist is the most tools of a category that are considered.
const shortlist = 5

// findSubject returns the subject about which there is most to say; nil if there is none. Its best tool has no
// announced end, and no comparison prefers another tool to it.
func findSubject(s *catalog.Snapshot) *subject {
	var found *subject
	most := -1
	for _, c := range s.Categories() {
		tools := s.Tools(catalog.ToolQuery{Categories: []string{c.Slug}, Paging: catalog.Paging{Page: 1, Limit: shortlist}}).Items
		if len(tools) < 2 || !tools[1].Score.Known || tools[0].Ending.Announced() {
			continue
		}
		rival, compared := rivalOf(s, tools)
		if rival == nil {
			continue
		}
		about := &subject{category: c.Slug, best: tools[0], rival: rival}
		points := worth(s, tools[0])
		if compared {
			points += 6
		}
		for _, r := range s.Cemetery(catalog.CemeteryQuery{Category: c.Slug, Paging: catalog.Paging{Page: 1, Limit: 1}}).Items {
			about.gone = r
			points += 3
		}
		if points > most {
			found, most = about, points
		}
	}
	return found
}

// rivalOf returns the tool to compare the first of a list with: the first that lost a comparison with it, or else the
// second; compared reports which. It returns nil if a comparison prefers another tool of the list.
func rivalOf(s *catalog.Snapshot, tools []*catalog.Tool) (rival *catalog.Tool, compared bool) {
	rival = tools[1]
	for _, other := range tools[1:] {
		switch winner := winnerOf(s, tools[0].Slug, other.Slug); {
		case winner == other.Slug:
			return nil, false
		case winner != "" && other.Score.Known && !compared:
			rival, compared = other, true
		}
	}
	return rival, compared
}

// worth returns points for how well a tool can be recommended: for having no findings, for a price history, and most
// for a price that was checked since it last changed.
func worth(s *catalog.Snapshot, t *catalog.Tool) (points int) {
	if f, _ := s.Findings(t.Slug, catalog.AtLeast(catalog.LowScore)); len(f.Kinds) == 0 {
		points += 3
	}
	changed := catalog.Date("")
	if len(t.History) > 0 {
		changed = t.History[0].ChangedAt
		points++
	}
	if checked := t.Facts.Price.Checked; checked != "" && checked >= changed {
		points += 8
	}
	return points
}

// winnerOf returns the slug of the winner of the newest comparison of two tools; "" if there is no comparison.
func winnerOf(s *catalog.Snapshot, one, other string) string {
	for _, m := range s.ComparisonsOf(one) {
		if m.ToolA == other || m.ToolB == other {
			return m.Winner
		}
	}
	return ""
}

// choose adds the turn about which tool of the category to choose.
func (t *talk) choose() {
	t.asked(t.html("agents.dialogue.first-html", t.v.MarkedCategory(t.category)))
	t.call("search_tools", map[string]any{"category": t.category, "limit": shortlist}, &t.found, func() string {
		first := t.found.Tools[0]
		return t.count("agents.said.search", t.found.Total, first.Name, t.v.Text.Measure(first.Score))
	})
	t.call("compare_tools", map[string]any{"slugs": []string{t.best.Slug, t.rival.Slug}}, &t.compared, func() string {
		if len(t.compared.Comparisons) == 0 {
			return t.count("agents.said.notcompared", len(t.compared.Differ))
		}
		return t.v.Text.Must("agents.said.compared", t.rival.Name, t.compared.Comparisons[0].Winner)
	})
}

// verify adds the turn about the sources for the best tool.
func (t *talk) verify() {
	t.asked(text(t.v.Text.Must("agents.dialogue.second")))
	slug := map[string]any{"slug": t.best.Slug}
	t.call("get_tool", slug, &t.full, func() string {
		sourced := 0
		for _, f := range t.full.Facts {
			if f.Source != "" {
				sourced++
			}
		}
		return t.count("agents.said.facts", sourced)
	})
	t.call("price_history", slug, &t.prices, func() string {
		if len(t.prices.History) == 0 {
			return t.v.Text.Must("agents.said.price", t.price(t.prices.Price))
		}
		return t.count("agents.said.prices", t.prices.Total, t.date(t.prices.History[0].ChangedAt))
	})
}

// review adds the turn about tools in use: the rival, named by its domain, and a retired tool.
func (t *talk) review() {
	used := t.known(t.rival.Domain, t.rival.Slug)
	items := []string{used}
	if t.gone != nil {
		gone := t.known(t.gone.Name, t.gone.Slug)
		items = []string{gone, used}
		used = t.v.Text.Must("agents.dialogue.and", gone, used)
	}
	t.asked(text(t.v.Text.Must("agents.dialogue.third", used)))
	t.call("check_stack", map[string]any{"items": items}, &t.stack, func() string { return t.checked(true) })
}

// known returns by, a name or domain of the tool, if it identifies exactly one tool; else the slug.
func (t *talk) known(by, slug string) string {
	if _, found, _ := t.v.Catalog.Resolve(by); found != "" {
		return by
	}
	return slug
}

// checked returns sentences about what is wrong with each of the tools in use. With instead, they also say what to use
// instead.
func (t *talk) checked(instead bool) string {
	var said []string
	for _, item := range t.stack.Items {
		switch {
		case len(item.Findings) == 0:
			said = append(said, t.v.Text.Must("agents.said.fine", item.Input))
		default:
			var kinds []string
			for _, kind := range item.Findings {
				kinds = append(kinds, t.v.Text.Must("agents.find."+kind))
			}
			what := strings.Join(kinds, ", ")
			if len(item.Instead) == 0 || !instead {
				said = append(said, t.v.Text.Must("agents.said.finding", item.Input, what))
				continue
			}
			said = append(said, t.v.Text.Must("agents.said.instead", item.Input, what, t.name(item.Instead[0])))
		}
	}
	return strings.Join(said, " ")
}

// reasons returns why the best tool is recommended. The source of each reason is an address from a tool result.
func (t *talk) reasons() []reason {
	v, best, next := t.v, t.full.Tool, t.compared.Tools[1]
	all := []reason{{
		t.html("agents.advice.score-html", v.MarkedCategory(t.category), v.Text.Measure(best.Score)), best.URL, v.Text.Must("agents.advice.tool", best.Name),
	}}
	price := reason{text(v.Text.Must("agents.advice.bare", t.price(best.Price))), t.full.API, v.Text.Must("agents.advice.api")}
	if best.PriceChecked != "" {
		price.Text = text(v.Text.Must("agents.advice.price", t.price(best.Price), t.date(best.PriceChecked)))
	}
	for _, f := range t.full.Facts {
		if u, err := url.Parse(f.Source); f.Field == "price" && err == nil && u.Host != "" {
			price.Source, price.Label = f.Source, v.Text.Must("agents.advice.source", u.Host)
		}
	}
	all = append(all, price)
	if len(t.compared.Comparisons) > 0 {
		all = append(all, reason{text(v.Text.Must("agents.advice.favoured", next.Name)), t.compared.Comparisons[0].URL, v.Text.Must("agents.advice.compared")})
	} else {
		all = append(all, reason{text(v.Text.Must("agents.advice.notcompared", next.Name, v.Text.Measure(next.Score))), t.compared.API, v.Text.Must("agents.advice.beside")})
	}
	moved := v.Text.Must("agents.advice.unmoved")
	if h := t.prices.History; len(h) > 0 {
		moved = v.Text.Must("agents.advice.moved", t.date(h[0].ChangedAt), t.price(h[0].OldPrice), t.price(h[0].NewPrice))
	}
	return append(all, reason{text(moved), t.prices.API, v.Text.Must("agents.advice.history")},
		reason{text(t.checked(false)), t.stack.API, v.Text.Must("agents.advice.stack")})
}

// asked begins a turn with a question.
func (t *talk) asked(question template.HTML) { t.turns = append(t.turns, turn{Question: question}) }

// dialogueLines is the most lines of an answer that the dialogue shows.
const dialogueLines = 32

// call calls a tool, decodes its result into answer, and adds the call to the last turn. say then returns the sentence
// about the result.
func (t *talk) call(tool string, arguments any, answer any, say func() string) {
	if t.err != nil {
		return
	}
	var sent, raw json.RawMessage
	if sent, t.err = json.Marshal(arguments); t.err != nil {
		return
	}
	if raw, t.err = t.mcp.Show(t.v.Catalog, tool, sent); t.err != nil {
		return
	}
	if t.err = json.Unmarshal(raw, answer); t.err != nil {
		return
	}
	var indented bytes.Buffer
	if t.err = json.Indent(&indented, raw, "", "  "); t.err != nil {
		return
	}
	lines := strings.Split(indented.String(), "\n")
	if len(lines) > dialogueLines {
		lines = append(lines[:dialogueLines], "…")
	}
	last := &t.turns[len(t.turns)-1]
	last.Calls = append(last.Calls, calledTool{
		Tool: tool, Arguments: string(sent), Said: say(),
		Answer: figure(t.v, guide.Sample{Language: "json", Output: true, Text: strings.Join(lines, "\n") + "\n"}),
	})
}

func (t *talk) html(name string, args ...any) template.HTML {
	h, err := t.v.Text.HTML(name, args...)
	if err != nil {
		t.err = err
	}
	return h
}

func (t *talk) count(name string, n int, args ...any) string {
	s, err := t.v.Text.Count(name, n, args...)
	if err != nil {
		t.err = err
	}
	return s
}

// name returns the name of a living tool; the slug of any other.
func (t *talk) name(slug string) string {
	if tool, ok := t.v.Catalog.Tool(slug); ok {
		return tool.Name
	}
	return slug
}

// price formats a price in the language of the page.
func (t *talk) price(said string) string {
	if p, ok := catalog.ParsePrice(said); ok {
		return t.v.Text.Price(p)
	}
	return said
}

func (t *talk) date(d catalog.Date) string { return t.v.Text.Date(d.Time()) }

// text returns plain text as HTML.
func text(s string) template.HTML {
	return template.HTML(template.HTMLEscapeString(s)) //nolint:gosec // escaped
}
