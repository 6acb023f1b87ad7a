package reference

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// scope lists, by parent, the parts of the contract whose texts pages show. The rest is only for programs and is not
// translated.
var scope = map[string][]string{
	"":           {"tags", "paths", "components"},
	"components": {"parameters", "headers", "responses", "schemas"},
}

// translate replaces the texts of a contract by the French ones at the same places. A list whose items have names is a
// map by name in the French file. It fails if a text is missing, or if a French text matches no place.
func translate(english, french map[string]any) error {
	var t translation
	t.scoped("", english, french)
	return errors.Join(t.faults...)
}

type translation struct{ faults []error }

func (t *translation) fault(at, what string) {
	t.faults = append(t.faults, fmt.Errorf("openapi.fr.yaml: %s: %s", at, what))
}

// scoped translates a part of the contract that scope restricts to some of its members.
func (t *translation) scoped(at string, english, french map[string]any) {
	for _, name := range scope[at] {
		inner, _ := french[name].(map[string]any)
		if _, further := scope[name]; further {
			part, _ := english[name].(map[string]any)
			t.scoped(name, part, inner)
		} else {
			t.walk(strings.TrimPrefix(at+"."+name, "."), english[name], inner)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(french)) {
		if !slices.Contains(scope[at], name) {
			t.fault(strings.TrimPrefix(at+"."+name, "."), "pages show no such text")
		}
	}
}

// walk translates one part of the contract.
func (t *translation) walk(at string, english any, french map[string]any) {
	named := make(map[string]any)
	switch node := english.(type) {
	case map[string]any:
		named = node
	case []any:
		for _, item := range node {
			if m, ok := item.(map[string]any); ok && m["name"] != nil {
				named[fmt.Sprint(m["name"])] = m
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if t.silent(at, name) {
			continue
		}
		place := at + "." + name
		said, isText := named[name].(string)
		if isText && (name == "description" || name == "summary") {
			if text, ok := french[name].(string); ok && strings.TrimSpace(text) != "" && said != "" {
				named[name] = text
			} else {
				t.fault(place, "there is no French text")
			}
			continue
		}
		inner, _ := french[name].(map[string]any)
		t.walk(place, named[name], inner)
	}
	t.strangers(at, named, french)
}

// strangers reports members that only the French file has. It allows the title of a tag, which in English is the tag's
// name.
func (t *translation) strangers(at string, named, french map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(french)) {
		switch {
		case name == "title" && strings.HasPrefix(at, "tags."):
			named["x-title"] = french[name]
		case named[name] == nil || t.silent(at, name):
			t.fault(at+"."+name, "the contract has no such place")
		}
	}
}

// silent reports whether pages show no text of a member. Those are values, and the responses of operations, for which
// pages show real responses.
func (t *translation) silent(at, name string) bool {
	if strings.HasSuffix(at, ".properties") { // a field of any name
		return false
	}
	switch name {
	case "example", "value", "enum", "required", "$ref":
		return true
	case "content":
		return strings.HasPrefix(at, "paths.")
	default:
		return false
	}
}
