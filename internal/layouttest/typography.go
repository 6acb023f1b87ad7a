package layouttest

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Typography returns the typographic faults in an HTML page, by the rules of each text's language. It ignores what is
// not running text, such as code and typed input, and languages that have no rules here.
func Typography(page string) (faults []string) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return []string{err.Error()}
	}
	r := &typesetting{}
	r.read(root, "")
	r.end("")
	return r.faults
}

// TypographyOf returns the typographic faults in a text without markup. Its line breaks count as spaces.
func TypographyOf(language, text string) (faults []string) {
	text = strings.Trim(blanks.ReplaceAllString(text, " "), " ")
	for _, rule := range rules[language] {
		for _, at := range rule.wrong.FindAllStringIndex(text, -1) {
			from, to := around(text, at[0], -24), around(text, at[1], 24)
			faults = append(faults, rule.says+": …"+visible.Replace(text[from:to])+"…")
		}
	}
	return faults
}

// A rule is an expression that matches a fault, with its description.
type rule struct {
	says  string
	wrong *regexp.Regexp
}

// units are the units that must not be separated from their number by a line break.
const units = `(?:€|%|°|h|min|s|ms|µs|o|Ko|Mo|Go|To|px|km|kg|heures?|minutes?|secondes?|jours?|semaines?|mois|ans?|caractères)`

// The non-breaking spaces are \x{a0} and \x{202f}, the narrow one. A placeholder stands for code.
var rules = map[string][]rule{
	"fr": {
		{"no narrow space before ; ! ?", regexp.MustCompile(`[^\x{202f}!?(.…][;!?](?:[\s\x{a0}\x{202f}).»]|$)`)},
		{"no space that does not break before :", regexp.MustCompile(`[^\x{a0}]:(?:[\s\x{a0}\x{202f}]|$)`)},
		{"no narrow space within « »", regexp.MustCompile(`«[^\x{202f}]|[^\x{202f}]»`)},
		{"a straight quote", regexp.MustCompile(`['"]`)},
		{"a unit may break, or has no space before it", regexp.MustCompile(`\d(?: ` + units + `(?:[^\pL\d]|$)|[€%])`)},
		{"a number may break", regexp.MustCompile(`\d \d{3}(?:\D|$)`)},
		{"three dots", regexp.MustCompile(`\.\.\.`)},
	},
	"en": {
		{"a space before : ; ! ? %", regexp.MustCompile(`[\s\x{a0}\x{202f}][:;!?%](?:\s|$)`)},
		{"a currency behind its amount", regexp.MustCompile(`\d[\s\x{a0}\x{202f}]?€`)},
		{"a straight quote", regexp.MustCompile(`['"]`)},
		{"three dots", regexp.MustCompile(`\.\.\.`)},
	},
}

// visible shows spaces that do not break.
var visible = strings.NewReplacer("\u00a0", "⍽", "\u202f", "˽")

// around returns the index at+by, limited to the text and moved back to the start of a character.
func around(text string, at, by int) int {
	at = min(max(at+by, 0), len(text))
	for at > 0 && at < len(text) && text[at]&0xC0 == 0x80 {
		at--
	}
	return at
}

// placeholder replaces what is not part of a sentence's running text: code, and words in another language.
const placeholder = "\ufffc"

var (
	// unset are the elements whose text is not typeset.
	unset = []atom.Atom{
		atom.Code, atom.Pre, atom.Kbd, atom.Samp, atom.Script, atom.Style, atom.Textarea, atom.Noscript, atom.Template,
	}
	// inline are the elements that do not end a sentence.
	inline = []atom.Atom{
		atom.A, atom.Abbr, atom.B, atom.Cite, atom.Del, atom.Em, atom.I, atom.Ins, atom.Mark, atom.Q, atom.S,
		atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.U, atom.Wbr,
	}
	// read are the attributes whose text readers see or hear.
	read = []string{"alt", "aria-label", "placeholder", "title"}
)

// A typesetting collects the sentences of a page, one block after the other.
type typesetting struct {
	sentence strings.Builder
	faults   []string
}

// read reads a node. language is that of its parent, which it has unless it sets its own.
func (r *typesetting) read(n *html.Node, language string) {
	if n.Type == html.TextNode {
		r.sentence.WriteString(n.Data)
		return
	}
	own := language
	for _, a := range n.Attr {
		if a.Key == "lang" {
			own, _, _ = strings.Cut(a.Val, "-")
		}
	}
	for _, a := range n.Attr {
		if slices.Contains(read, a.Key) || a.Key == "content" && isProse(n) {
			r.check(own, a.Val)
		}
	}
	switch {
	case slices.Contains(unset, n.DataAtom):
		r.sentence.WriteString(placeholder)
		return
	case own != language && slices.Contains(inline, n.DataAtom):
		r.sentence.WriteString(placeholder)
		foreign := &typesetting{}
		foreign.children(n, own)
		foreign.end(own)
		r.faults = append(r.faults, foreign.faults...)
		return
	case n.DataAtom == atom.Br:
		r.sentence.WriteByte(' ')
	case slices.Contains(inline, n.DataAtom) && !isLabel(n):
		r.children(n, own)
		return
	}
	r.end(language)
	r.children(n, own)
	r.end(own)
}

func (r *typesetting) children(n *html.Node, language string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.read(c, language)
	}
}

// end checks the text collected for a block, and begins the next.
func (r *typesetting) end(language string) {
	r.check(language, r.sentence.String())
	r.sentence.Reset()
}

// blanks matches the white space that HTML collapses; other spaces have a meaning.
var blanks = regexp.MustCompile(`[ \t\r\n]+`)

func (r *typesetting) check(language, text string) {
	r.faults = append(r.faults, TypographyOf(language, text)...)
}

// isLabel reports whether an inline element is a label in a frame of its own, which is not part of the sentence.
func isLabel(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "class" && slices.Contains(strings.Fields(a.Val), "state") {
			return true
		}
	}
	return false
}

// isProse reports whether a meta element has a text that is shown to people.
func isProse(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Val {
		case "description", "og:title", "og:description", "og:image:alt":
			return true
		}
	}
	return false
}
