package purge

// A Kind is the tag of every response that shows something of that kind. Such responses are dropped when
// anything of the kind changes.
type Kind string

// The kinds.
const (
	Tools       Kind = "tools"       // including their prices, scores, facts and reviews
	Comparisons Kind = "comparisons" // not the compared tools themselves
	Retired     Kind = "retired"
	// Service is what the operator sets for the whole service: its name, addresses, categories, incidents and
	// own pages.
	Service Kind = "service"
	// Edition tags what changes with every edition, such as pages that name the edition.
	Edition Kind = "edition"
)

// Of returns the tag of responses about one item of the kind.
func (k Kind) Of(slug string) string { return string(k) + "/" + slug }

// About returns the tags of a response about an item of a kind (unless slug is "") that also shows items of
// other kinds. They stay below 512 bytes: a slug has at most 80, and there are five kinds.
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

// MaxTags is the maximum number of tags that a cache is asked to drop. When more changed, it drops everything.
const MaxTags = 500

// A Change is what a cache must drop.
type Change struct {
	Edition    int64    // the last edition included
	Everything bool     // drop all responses, whatever their tags
	Tags       []string // sorted, without duplicates
}
