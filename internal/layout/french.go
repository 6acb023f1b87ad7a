package layout

import (
	"bytes"
	"html/template"
	"regexp"
	"slices"

	"github.com/palmares-hq/palmares/internal/locale"
)

var (
	// frenchMark is how an element says that it is in French. No text holds it: its quotes would be escaped. The name of
	// the language in a list to choose from is no text.
	frenchMark  = regexp.MustCompile(`<(?:[a-np-z]|o[a-oq-z])[^<>]*( lang="fr")`)
	frenchBlock = regexp.MustCompile(`<(?:article|div)\b[^>]* lang="fr"[^>]*>`)
	opensBlock  = regexp.MustCompile(`<(?:p|h[1-6]|li)\b[^>]*>`)
	closesBlock = regexp.MustCompile(`</(?:p|h[1-6]|li)>`)
)

// tellFrench has a page that is not French, and has French in it, say so once: at the head of the first
// block that is French, else above the first paragraph or heading with French in it, or within the first item of a
// list, else at its top.
func (w Writer) tellFrench(main []byte) []byte {
	mark := frenchMark.FindSubmatchIndex(main)
	if w.Language == locale.French || mark == nil {
		return main
	}
	at := frenchPlace(main, mark[2])
	notice := `<div class="tongue" lang="` + w.String() + `">` + template.HTMLEscapeString(w.Must("frame.intongue")) + "</div>"
	return slices.Insert(slices.Clone(main), at, []byte(notice)...)
}

// frenchPlace is where a page says that it has French, whose first mark is there.
func frenchPlace(main []byte, mark int) int {
	if block := frenchBlock.FindIndex(main); block != nil {
		return block[1]
	}
	blocks := opensBlock.FindAllIndex(main[:mark], -1)
	if blocks == nil {
		return 0
	}
	last := blocks[len(blocks)-1]
	at := last[0]
	if bytes.HasPrefix(main[at:], []byte("<li")) {
		at = last[1]
	}
	// A place in a list of links is no place for a sentence.
	links := bytes.Count(main[:at], []byte("<nav")) > bytes.Count(main[:at], []byte("</nav>"))
	if links || closesBlock.Match(main[last[1]:mark]) {
		return 0
	}
	return at
}
