package purge

// A Kind is a tag of all that shows something of that kind. It is dropped when anything of it changes.
type Kind string

// The kinds.
const (
	Tools       Kind = "tools"       // their prices, scores, facts and reviews, too
	Comparisons Kind = "comparisons" // without their tools
	Retired     Kind = "retired"
	// Service is what the operator says of the service: its name, its addresses, the categories, incidents, pages of his own.
	Service Kind = "service"
	// Edition is of what changes with every edition: pages name it.
	Edition Kind = "edition"
)

// Of is the tag of what is about one item of the kind.
func (k Kind) Of(slug string) string { return string(k) + "/" + slug }

// About are the tags of a response: about an item of a kind, unless slug is "", and showing others of those kinds. They stay below
// 512 bytes: a slug has 80, and there are five kinds.
func About(item Kind, slug string, shows ...Kind) []string {
	tags := make([]string, 0, 1+len(shows))
	if slug != "" {
		tags = append(tags, item.Of(slug))
	}
	for _, k := range shows {
		tags = append(tags, string(k))
	}
	return tags
}

// MaxTags is how many tags a cache is asked to drop. When more changed, it drops everything.
const MaxTags = 500

// A Change is what a cache is to drop.
type Change struct {
	Edition    int64    // up to which
	Everything bool     // whatever its tags
	Tags       []string // in order, each once
}
