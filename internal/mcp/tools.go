package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/text"
	"github.com/palmares-hq/palmares/internal/web"
)

// A tool is a tool that agents can call. Its texts are constants, so that no text that people wrote is in them: of the
// catalog there are the slugs of categories alone, which have only the characters of slugs.
type tool struct {
	name, title, description string
	make                     func() answerer
}

// An answerer has the schemas of a tool's arguments and answer, and the function that answers a call.
type answerer struct {
	in, out *jsonschema.Schema
	answer  func(*call, json.RawMessage) (any, error) // an error tells the model what to do better
}

// tools are the tools, in the order in which they are listed. Models read the list from the top, and clients cache it.
var tools = []tool{
	{
		"search_tools", "Search tools",
		"Find AI tools by words, category, score, price or audience. Without arguments it lists the highest-scored. Begin here. " +
			"match is some where no tool has all words; retired lists retired tools that q names.",
		answering(searchTools, narrowSearch),
	},
	{
		"get_tool", "Everything about one tool",
		"One tool with its score, price, sources, rank, comparisons and the beginning of its review. Cite the sources in facts.",
		answering(getTool, narrowText),
	},
	{
		"compare_tools", "Compare tools",
		"Set 2 to 5 tools side by side: which fields differ, and what the editors' head-to-head comparisons between them say.",
		answering(compareTools, narrowCompare),
	},
	{
		"price_history", "Price history",
		"The price of a tool, living or retired, and its newest 20 changes.",
		answering(priceHistory, narrowSlug),
	},
	{
		"alternatives", "Alternatives",
		"What to use instead of a tool, living or retired: a named successor first, then the closest, each with what would change.",
		answering(alternatives, narrowAlternatives),
	},
	{
		"retired", "Is it retired?",
		"Whether a tool was retired, when, why, and what to use instead.",
		answering(retired, narrowText),
	},
	{
		"what_changed", "What changed",
		"Changes of the catalog with old and new values: new and retired tools, prices, announced ends. Keep next for what comes later.",
		answering(whatChanged, narrowChanged),
	},
	{
		"check_stack", "Check a stack",
		"Check up to 50 tools, domains or packages somebody uses: which are retired, will end, cost more than a year ago or " +
			"score low, and what to use instead. Only exact matches count; several are in near.",
		answering(checkStack, narrowStack),
	},
}

// Names returns the names of the tools.
func Names() []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return names
}

// answering returns a function that makes an answerer: In is the type of the tool's arguments, whose schema narrow
// restricts, and Out the type of its answer. Tests check answers against their schemas.
func answering[In, Out any](answer func(*call, In) (Out, error), narrow func(*jsonschema.Schema)) func() answerer {
	return func() answerer {
		in := argumentsOf[In]()
		narrow(in)
		checked, err := in.Resolve(nil)
		if err != nil {
			panic(err) // only for a wrong type of ours, and then in every test
		}
		return answerer{in, answerOf[Out](), func(c *call, raw json.RawMessage) (any, error) {
			arguments, err := decode[In](raw, checked)
			if err != nil {
				return nil, fmt.Errorf("arguments: %w", err)
			}
			return answer(c, arguments)
		}}
	}
}

// decode checks arguments against the schema and decodes them. No arguments at all are an empty object, and one that is null
// is absent.
func decode[In any](raw json.RawMessage, schema *jsonschema.Resolved) (arguments In, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return arguments, err
	}
	if given, ok := v.(map[string]any); ok {
		maps.DeleteFunc(given, func(_ string, value any) bool { return value == nil })
	}
	if err := schema.Validate(v); err != nil {
		return arguments, err
	}
	return arguments, json.Unmarshal(raw, &arguments)
}

// wrong returns what the model is told of an error, so that it does better.
func wrong(err error) string {
	said := err.Error()
	if e, ok := errors.AsType[*web.Error](err); ok { // without its cause, which is for the log
		said = e.Message
	}
	return text.Line(said)
}

// hints are the annotations of every tool. The protocol has others, which mean nothing of a tool that only reads.
type hints struct {
	ReadOnly  bool `json:"readOnlyHint"`
	OpenWorld bool `json:"openWorldHint"`
}

// toolList returns the list of tools as JSON, with categoriesHere where the categories of an edition belong.
var toolList = sync.OnceValue(func() []byte {
	type listed struct {
		Name        string             `json:"name"`
		Title       string             `json:"title"`
		Description string             `json:"description"`
		Input       *jsonschema.Schema `json:"inputSchema"`
		Output      *jsonschema.Schema `json:"outputSchema"`
		Hints       hints              `json:"annotations"`
	}
	var list []listed
	for _, t := range tools {
		a := t.make()
		list = append(list, listed{t.name, t.title, t.description, a.in, a.out, hints{ReadOnly: true}})
	}
	b, err := encode(list)
	if err != nil {
		panic(err) // only for a wrong type of ours, and then in every test
	}
	return b
})

// categoriesHere stands for the categories of the edition in the description of an argument.
const categoriesHere = "{categories}"

// listFor returns the list of tools for an edition, in which the categories stand by their slugs: for every argument that
// is a category, or for the first one where they are long.
func listFor(s *catalog.Snapshot) []byte {
	const said = "slug or label of a category"
	listed := ""
	slugs := categorySlugs(s)
	for i, slug := range slugs {
		if i == maxCategories || len(listed)+len(slug) > maxListed {
			listed += ", …"
			break
		}
		listed += map[bool]string{true: ": ", false: ", "}[i == 0] + slug
	}
	list := bytes.Replace(toolList(), []byte(categoriesHere), []byte(said+listed), 1)
	if len(listed) > maxListed/2 {
		listed = ", as of search_tools"
	}
	return bytes.ReplaceAll(list, []byte(categoriesHere), []byte(said+listed))
}

// answerers returns the tools by name. They are made on first use.
var answerers = sync.OnceValue(func() map[string]answerer {
	made := make(map[string]answerer, len(tools))
	for _, t := range tools {
		made[t.name] = t.make()
	}
	return made
})

// Show returns the answer of a tool from a snapshot, as agents get it. It is for the documentation: no call is counted.
func Show(s *catalog.Snapshot, baseURL, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	t, ok := answerers()[tool]
	if !ok {
		return nil, fmt.Errorf("there is no tool %s", tool)
	}
	out, err := t.answer(&call{Snapshot: s, ctx: context.Background(), changes: changes.NewReader(shown{s}, nil), baseURL: baseURL}, arguments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	return encode(out)
}

// shown is a catalog of one snapshot.
type shown struct{ snapshot *catalog.Snapshot }

func (s shown) Current() *catalog.Snapshot { return s.snapshot }
func (s shown) Swapped() <-chan struct{}   { return nil }
