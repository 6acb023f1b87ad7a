package layout

import (
	"bytes"
	"html/template"
	"slices"

	"github.com/palmares-hq/palmares/internal/locale"
)

// frenchMark is how an element says that it is in French. No text holds it: its quotes would be escaped.
var frenchMark = []byte(` lang="fr"`)

// tellFrench has a page that is not French say where something on it is: directly before the first passage, and at the
// head of the first that is a text of its own. A reader who has met one knows the next.
func (w Writer) tellFrench(main []byte) []byte {
	if w.Language == locale.French {
		return main
	}
	told, grown, said := main, 0, false
	for from := 0; ; {
		mark := bytes.Index(main[from:], frenchMark)
		if mark < 0 {
			return told
		}
		mark += from
		from = mark + len(frenchMark)
		at, text := frenchPassage(main, mark)
		if said && !text || at < 0 {
			continue
		}
		label := w.inFrench(text)
		told = slices.Insert(slices.Clone(told), at+grown, label...)
		grown += len(label)
		if text {
			return told
		}
		said = true
	}
}

// inFrench is what the page says: on a line of its own before a text, else among the words.
func (w Writer) inFrench(text bool) []byte {
	open, end := "<span", "</span> "
	if text {
		open, end = "<div", "</div>"
	}
	return []byte(open + ` class="tongue" lang="` + w.String() + `">` + template.HTMLEscapeString(w.Must("frame.intongue")) + end)
}

// frenchPassage is where to say that the element with a mark is in French, and whether that is a text of its own. It is
// nowhere, -1, for names: of the language in a list to choose from, and in a navigation.
func frenchPassage(main []byte, mark int) (at int, text bool) {
	start := bytes.LastIndexByte(main[:mark], '<')
	end := mark + bytes.IndexByte(main[mark:], '>') + 1
	if bytes.Count(main[:start], []byte("<nav")) > bytes.Count(main[:start], []byte("</nav>")) {
		return -1, false
	}
	name, _, _ := bytes.Cut(main[start+1:mark], []byte(" "))
	switch string(name) {
	case "option":
		return -1, false
	case "article", "aside", "blockquote", "div", "section":
		return end, true
	case "dl", "ol", "pre", "table", "ul":
		return start, true
	case "caption", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "label", "li", "p", "td", "th":
		return end, false
	}
	// A label is not part of the link that follows it.
	if link := bytes.LastIndexByte(main[:start], '<'); start > 0 && main[start-1] == '>' && bytes.HasPrefix(main[link:], []byte("<a ")) {
		return link, false
	}
	return start, false
}
