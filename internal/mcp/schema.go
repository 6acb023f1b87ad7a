package mcp

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// argumentsOf returns the JSON schema of a tool's arguments, which allows no others. null is no value of it: decode takes
// an argument that is null for one that is absent.
func argumentsOf[T any]() *jsonschema.Schema {
	s := schemaOf[T]()
	for _, p := range s.Properties {
		withoutNull(p)
	}
	return s
}

// answerOf returns the JSON schema of a tool's answer: the types of its fields, and of the objects in it the names of the
// fields that each has. Every client loads it, for every conversation, so it says no more. It allows other fields, because
// answers grow.
func answerOf[T any]() *jsonschema.Schema {
	s := schemaOf[T]()
	s.AdditionalProperties, s.Required = nil, nil
	delete(s.Properties, "renamed") // few answers have it
	for _, p := range s.Properties {
		if p.Items != nil {
			withoutNull(p)
		}
		for _, object := range []*jsonschema.Schema{p, p.Items} {
			if object != nil {
				object.Properties, object.AdditionalProperties = nil, nil
			}
		}
	}
	return s
}

func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // only for a wrong type of ours, and then in every test
	}
	return s
}

// withoutNull takes null from the types of a value.
func withoutNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 { // null comes first
		s.Type, s.Types = s.Types[1], nil
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

// oneOf returns a function that restricts a string to these values.
func oneOf[T ~string](all []T) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		for _, v := range all {
			s.Enum = append(s.Enum, string(v))
		}
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
