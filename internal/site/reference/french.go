package reference

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// scope lists the parts of the contract whose texts pages show. The rest is for programs.
var scope = map[string][]string{
	"":           {"tags", "paths", "components"},
	"components": {"parameters", "headers", "responses", "schemas"},
}

// translate replaces the texts of a contract by the French ones, each in its place. Lists of named things are maps by
// name in French. It fails on a missing text, and on one that has no place.
func translate(english, french map[string]any) error {
	var t translation
	t.scoped("", english, french)
	return errors.Join(t.faults...)
}

type translation struct{ faults []error }

func (t *translation) fault(at, what string) {
	t.faults = append(t.faults, fmt.Errorf("openapi.fr.yaml: %s: %s", at, what))
}

// scoped translates a part of the contract of which only some members have texts for pages.
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

// strangers reports members that only the French has, except the title of a tag, which in English is its name.
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

// silent reports whether pages show nothing of a member: values, and the responses of operations, of which pages show
// real ones instead.
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
