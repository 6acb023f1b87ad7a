package testkit

// Closed forbids additional properties in every object of a JSON schema, or of a document with schemas, that lists its
// properties. It changes v and returns it. Published schemas allow additional properties, so that version 1 can grow;
// tests close them to notice undocumented fields.
func Closed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		_, named := v["properties"].(map[string]any)
		if _, said := v["additionalProperties"]; named && !said && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			Closed(inner)
		}
	case []any:
		for _, inner := range v {
			Closed(inner)
		}
	}
	return v
}
