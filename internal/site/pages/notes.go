package pages

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A notice is a death notice.
type notice struct {
	*catalog.Retired
	Paragraphs []string // of the note
}

func newNotice(r *catalog.Retired) notice { return notice{r, paragraphs(r.Note)} }

// paragraphs cuts a note of the catalog into its paragraphs.
func paragraphs(note string) []string {
	var out []string
	for p := range strings.SplitSeq(note, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}
