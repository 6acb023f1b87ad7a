package layouttest

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Typography finds what is not set as its language is set, in an HTML page as a browser gets it. What is no
// running text does not count: code, what is typed, and what is in a language that has no rules here.
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

// TypographyOf finds the same in a text without markup, whose lines may be broken elsewhere.
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

// A rule finds what is wrong.
type rule struct {
	says  string
	wrong *regexp.Regexp
}

// units may not be on another line than their number.
const units = `(?:€|%|°|h|min|s|ms|µs|o|Ko|Mo|Go|To|px|km|kg|heures?|minutes?|secondes?|jours?|semaines?|mois|ans?|caractères)`

// The spaces that do not break are \x{a0} and \x{202f}, the narrow one; a placeholder stands for code.
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

// around is a place in a text some bytes before or after another, between two characters.
func around(text string, at, by int) int {
	at = min(max(at+by, 0), len(text))
	for at > 0 && at < len(text) && text[at]&0xC0 == 0x80 {
		at--
	}
	return at
}

// placeholder stands in a sentence for what is not of it: code, and words in another language.
const placeholder = "\ufffc"

var (
	// unset are the elements whose text nobody sets.
	unset = []atom.Atom{
		atom.Code, atom.Pre, atom.Kbd, atom.Samp, atom.Script, atom.Style, atom.Textarea, atom.Noscript, atom.Template,
	}
	// inline are the elements that are within a sentence.
	inline = []atom.Atom{
		atom.A, atom.Abbr, atom.B, atom.Cite, atom.Del, atom.Em, atom.I, atom.Ins, atom.Mark, atom.Q, atom.S,
		atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.U, atom.Wbr,
	}
	// read are the attributes that are read to somebody.
	read = []string{"alt", "aria-label", "placeholder", "title"}
)

// A typesetting collects the sentences of a page, one block after the other.
type typesetting struct {
	sentence strings.Builder
	faults   []string
}

// read reads a node, which is in a language unless it has one of its own.
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

// end ends the sentences of a block.
func (r *typesetting) end(language string) {
	r.check(language, r.sentence.String())
	r.sentence.Reset()
}

// blanks are those between words in HTML; the other spaces mean something.
var blanks = regexp.MustCompile(`[ \t\r\n]+`)

func (r *typesetting) check(language, text string) {
	r.faults = append(r.faults, TypographyOf(language, text)...)
}

// isLabel reports whether an element stands beside a sentence, in a frame of its own.
func isLabel(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "class" && slices.Contains(strings.Fields(a.Val), "state") {
			return true
		}
	}
	return false
}

// isProse reports whether a meta element has a text to be shown.
func isProse(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Val {
		case "description", "og:title", "og:description", "og:image:alt":
			return true
		}
	}
	return false
}
