package pages

import (
	"html/template"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// A notice is a death notice.
type notice struct {
	*catalog.Retired
	Paragraphs []template.HTML // of the note
	Outdated   bool            // it was translated from an earlier version
	Instead    successor
	Next       string // the path of what else there is to use; "" where the page says so itself
}

func newNotice(v *view.View, r *catalog.Retired) notice {
	return notice{
		Retired: r, Paragraphs: translatedParagraphs(v, r.Note, r.English.Note),
		Outdated: v.Text.Shows(r.English.Note) && r.English.Note.Outdated(r.Note), Instead: newSuccessor(v, r.Successor),
		Next: v.Path(address.Alternatives, r.Slug),
	}
}

// translatedParagraphs are those of a note in the language of the page, or in French.
func translatedParagraphs(v *view.View, french string, t catalog.Translation) []template.HTML {
	var out []template.HTML
	if v.Text.Shows(t) {
		for _, p := range paragraphs(t.Text) {
			out = append(out, view.Escaped(p))
		}
		return out
	}
	for _, p := range paragraphs(french) {
		out = append(out, v.Text.French(p))
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
