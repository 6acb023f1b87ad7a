package site

import (
	"strings"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A notice is a death notice.
type notice struct {
	*catalog.Retired
	Paragraphs []string // of the note
}

func newNotice(r *catalog.Retired) notice { return notice{r, paragraphs(r.Note)} }

func newNotices(retired []*catalog.Retired) []notice {
	out := make([]notice, len(retired))
	for i, r := range retired {
		out[i] = newNotice(r)
	}
	return out
}

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

// beginning is the first paragraph of a note, cut between two words after that many characters.
func beginning(note string, characters int) string {
	all := paragraphs(note)
	if len(all) == 0 {
		return ""
	}
	s := all[0]
	if utf8.RuneCountInString(s) <= characters {
		return s
	}
	s = string([]rune(s)[:characters])
	if space := strings.LastIndexAny(s, " \n"); space > 0 {
		s = s[:space]
	}
	return strings.TrimRight(s, " ,;:.–-") + "…"
}
