package mcp

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf is the schema of a type: of arguments, which are no others than those, or of an answer, which may grow.
func schemaOf[T any](answer bool) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // by one of our own types, in every test
	}
	settle(s, answer)
	return s
}

// settle opens the objects of an answer to fields that come later, and says that lists are never null.
func settle(s *jsonschema.Schema, answer bool) {
	if s == nil {
		return
	}
	if answer {
		s.AdditionalProperties = nil
	} else {
		settle(s.AdditionalProperties, answer)
	}
	if s.Items != nil && len(s.Types) > 0 {
		s.Type, s.Types = "array", nil
	}
	settle(s.Items, answer)
	for _, p := range s.Properties {
		settle(p, answer)
	}
}

// bound narrows the schema of an argument.
func bound(s *jsonschema.Schema, name string, narrow func(*jsonschema.Schema)) {
	p := s.Properties[name]
	if p == nil {
		panic("no argument " + name)
	}
	narrow(p)
}

// between is a number from least to most.
func between(least, most float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &least, &most }
}

// oneOf is a text out of a few, or none.
func oneOf[T ~string](all []T) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		for _, v := range all {
			s.Enum = append(s.Enum, string(v))
		}
		s.Enum = append(s.Enum, nil)
	}
}

// several is a list of so many elements.
func several(least, most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MinItems, s.MaxItems = &least, &most }
}

// short is a text of so many characters at most.
func short(most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MaxLength = &most }
}
