package mcp

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf returns the JSON schema of a type. Arguments allow no other fields; answers do, so that fields can be added.
func schemaOf[T any](answer bool) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // only for a wrong type of ours, and then in every test
	}
	relax(s, answer)
	return s
}

// relax allows unknown fields in the objects of an answer, because fields may be added later, and no null for a list,
// which the generated schema allows.
func relax(s *jsonschema.Schema, answer bool) {
	if s == nil {
		return
	}
	if answer {
		s.AdditionalProperties = nil
	} else {
		relax(s.AdditionalProperties, answer)
	}
	if s.Items != nil && len(s.Types) > 0 {
		s.Type, s.Types = "array", nil
	}
	relax(s.Items, answer)
	for _, p := range s.Properties {
		relax(p, answer)
	}
}

// bound applies narrow to the schema of one argument. It panics if there is no such argument.
func bound(s *jsonschema.Schema, name string, narrow func(*jsonschema.Schema)) {
	p := s.Properties[name]
	if p == nil {
		panic("no argument " + name)
	}
	narrow(p)
}

// between returns a function that restricts a number to the range from least to most.
func between(least, most float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &least, &most }
}

// oneOf returns a function that restricts a string to these values, or null.
func oneOf[T ~string](all []T) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		for _, v := range all {
			s.Enum = append(s.Enum, string(v))
		}
		s.Enum = append(s.Enum, nil)
	}
}

// itemCount returns a function that restricts the length of a list.
func itemCount(least, most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MinItems, s.MaxItems = &least, &most }
}

// maxLength returns a function that restricts the length of a string, in characters.
func maxLength(most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MaxLength = &most }
}
