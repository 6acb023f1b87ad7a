package layout

import (
	"bytes"
	"html/template"
	"regexp"
	"slices"

	"github.com/palmares-hq/palmares/internal/locale"
)

// frenchMark is how an element says that it is in French. No text holds it: its quotes would be escaped.
var frenchMark = []byte(` lang="fr"`)

var (
	frenchBlock = regexp.MustCompile(`<(?:article|div)\b[^>]* lang="fr"[^>]*>`)
	opensBlock  = regexp.MustCompile(`<(?:p|h[1-6])\b[^>]*>`)
	closesBlock = regexp.MustCompile(`</(?:p|h[1-6])>`)
)

// tellFrench has a page that is not French, and has French in it, say so once: at the head of the first
// block that is French, else above the first paragraph or heading with French in it, else at its top.
func (w Writer) tellFrench(main []byte) []byte {
	first := bytes.Index(main, frenchMark)
	if w.Language == locale.French || first < 0 {
		return main
	}
	at := 0
	if block := frenchBlock.FindIndex(main); block != nil {
		at = block[1]
	} else if blocks := opensBlock.FindAllIndex(main[:first], -1); blocks != nil {
		if last := blocks[len(blocks)-1]; !closesBlock.Match(main[last[1]:first]) {
			at = last[0]
		}
	}
	notice := `<div class="tongue" lang="` + w.String() + `">` + template.HTMLEscapeString(w.Must("frame.intongue")) + "</div>\n"
	return slices.Insert(slices.Clone(main), at, []byte(notice)...)
}
