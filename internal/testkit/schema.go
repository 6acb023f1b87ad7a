package testkit

// Closed closes every object of a schema, or of a document with schemas, that names its properties:
// it may have no others. What is published leaves room for version 1 to grow; tests want to notice
// each field that nobody described.
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
