// Package reference parses the API's contract for the pages that document it: what each operation is for, its
// parameters, its responses, and programs that call it. The texts are Markdown, exactly as in openapi.yaml and, for
// French, in openapi.fr.yaml.
//
// Begin with Library, which has all operations in both languages.
package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A Group is the operations of one tag.
type Group struct {
	Title, Description string
	Operations         []*Operation
}

// A Library has all operations in both languages.
type Library struct {
	groups [2][]Group
}

// Load parses a contract and its French texts. It does not validate the contract: the tests of the API do, so a node
// need not do so at each start.
func Load(contract, french []byte) (*Library, error) {
	text, err := yaml.YAMLToJSON(contract) // once for both languages
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	lib := new(Library)
	for _, l := range locale.Languages() {
		var tree, texts map[string]any
		if err := json.Unmarshal(text, &tree); err != nil {
			return nil, fmt.Errorf("openapi.yaml: %w", err)
		}
		if l == locale.French {
			if err := yaml.Unmarshal(french, &texts); err != nil {
				return nil, fmt.Errorf("openapi.fr.yaml: %w", err)
			}
			if err := translate(tree, texts); err != nil {
				return nil, err
			}
		}
		doc, err := parse(tree)
		if err != nil {
			return nil, fmt.Errorf("openapi.yaml: %w", err)
		}
		if lib.groups[l], err = group(doc); err != nil {
			return nil, fmt.Errorf("openapi.yaml: %w", err)
		}
		for _, g := range lib.groups[l] {
			for _, o := range g.Operations {
				o.Title = l.Typeset(o.Title)
			}
		}
	}
	return lib, nil
}

func parse(tree map[string]any) (*openapi3.T, error) {
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(text)
}

// group returns the operations of a contract by tag. Within a tag they are sorted by path, so that a list comes before
// its items. It fails unless every path has a GET with exactly one known tag.
func group(doc *openapi3.T) ([]Group, error) {
	groups := make([]Group, len(doc.Tags))
	at := make(map[string]*Group)
	for i, tag := range doc.Tags {
		groups[i] = Group{Title: tag.Name, Description: tag.Description}
		if title, ok := tag.Extensions["x-title"].(string); ok {
			groups[i].Title = title
		}
		at[tag.Name] = &groups[i]
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		op := doc.Paths.Value(path).Get
		if op == nil || len(op.Tags) != 1 || at[op.Tags[0]] == nil {
			return nil, fmt.Errorf("%s is no GET with one tag", path)
		}
		o, err := newOperation(path, op)
		if err != nil {
			return nil, err
		}
		g := at[op.Tags[0]]
		g.Operations = append(g.Operations, o)
	}
	return groups, nil
}

// Groups returns the operations by tag in a language.
func (lib *Library) Groups(l locale.Language) []Group { return lib.groups[l] }

// All returns the operations in a language, in their order.
func (lib *Library) All(l locale.Language) []*Operation {
	var all []*Operation
	for _, g := range lib.groups[l] {
		all = append(all, g.Operations...)
	}
	return all
}

// Find returns an operation by its slug, or nil.
func (lib *Library) Find(l locale.Language, slug string) *Operation {
	for _, o := range lib.All(l) {
		if o.Slug == slug {
			return o
		}
	}
	return nil
}
