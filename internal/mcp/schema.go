package mcp

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf returns the schema of a type. Arguments allow no other fields; an answer may get more.
func schemaOf[T any](answer bool) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // only for a wrong type of ours, and then in every test
	}
	relax(s, answer)
	return s
}

// relax lets the objects of an answer have fields that come later, and lists never be null.
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

// bound narrows the schema of one argument.
func bound(s *jsonschema.Schema, name string, narrow func(*jsonschema.Schema)) {
	p := s.Properties[name]
	if p == nil {
		panic("no argument " + name)
	}
	narrow(p)
}

// between narrows a number to the range from least to most.
func between(least, most float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &least, &most }
}

// oneOf narrows a string to a few values, or null.
func oneOf[T ~string](all []T) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		for _, v := range all {
			s.Enum = append(s.Enum, string(v))
		}
		s.Enum = append(s.Enum, nil)
	}
}

// itemCount narrows the length of a list.
func itemCount(least, most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MinItems, s.MaxItems = &least, &most }
}

// maxLength narrows the length of a string, in characters.
func maxLength(most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MaxLength = &most }
}
