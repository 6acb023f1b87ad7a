package content

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// hardSpaces are characters that look like a plain space but are ordinary text to YAML. French keyboards type
// some of them.
const hardSpaces = "\u00a0\u202f\u2007\u2009"

// keyLine matches a line of YAML with a key: the indentation, the key, and what follows its colon.
var keyLine = regexp.MustCompile(`^([ ` + hardSpaces + `]*(?:- +)?)([A-Za-z_]+)[ ` + hardSpaces + `]*:(.*)$`)

// A slip is an editor's mistake in one line of YAML, described in plain words.
type slip struct {
	column  int // from 1
	message string
	quotes  bool // the mistake is quotes that do not enclose the value
}

// findSlip returns the mistake in a line that the parser refused, or false when it finds none. The parser's own
// message is in terms of its grammar, which means nothing to somebody who writes prose.
func findSlip(line string) (slip, bool) {
	m := keyLine.FindStringSubmatchIndex(line)
	if m == nil {
		return slip{}, false
	}
	name, rest := line[m[4]:m[5]], line[m[6]:m[7]]
	value := strings.Trim(rest, " \t"+hardSpaces)
	at := func(offset int) int { return utf8.RuneCountInString(line[:offset]) + 1 }
	say := func(format string, args ...any) (slip, bool) {
		return slip{column: at(strings.LastIndex(line, value)), message: fmt.Sprintf(format, args...)}, true
	}
	if value == "" {
		return slip{}, false
	}
	if r, _ := utf8.DecodeRuneInString(rest); r != ' ' && r != '\t' {
		what := "no space follows %q"
		if strings.ContainsRune(hardSpaces, r) {
			what = fmt.Sprintf("the no-break space %U, and no plain one, follows %%q", r)
		}
		return slip{column: at(m[6]), message: fmt.Sprintf(what+": write %s: %s", name+":", name, value)}, true
	}
	switch c := value[0]; c {
	case '"', '\'':
		if text, why := enclosed(value); why != "" {
			found, _ := say(why+": write %s: %s", name, name, quoteText(text))
			found.quotes = true
			return found, true
		}
	case '[', '{':
		closing := map[byte]string{'[': "]", '{': "}"}[c]
		switch {
		case strings.HasSuffix(value, closing) && !strings.Contains(value[:len(value)-1], closing), strings.HasSuffix(value, ","), len(value) == 1:
			return slip{}, false // sound, or it goes on in the next line
		case strings.Contains(value, closing):
			return say("%s begins with %c, which opens a list or a group in YAML: write %s: %s", name, c, name, quoteText(value))
		}
		return say("%s begins with %c, which opens a list or a group in YAML, and nothing closes it: write %s: %s, or close it with %s",
			name, c, name, quoteText(value), closing)
	case '%', '@', '`', '*', '&', '!', ']', '}', '|', '>', '-', '?':
		return say("%s begins with %c, which has a meaning of its own in YAML: write %s: %s", name, c, name, quoteText(value))
	}
	if strings.Contains(value, ": ") || strings.HasSuffix(value, ":") {
		return say("%s holds a colon that YAML takes for that of a key: write %s: %s", name, name, quoteText(value))
	}
	return slip{}, false
}

// apostrophe matches an apostrophe within a word. To whoever typed it, it closes no quote.
var apostrophe = regexp.MustCompile(`(\pL)'(\pL)`)

// enclosed checks a value that begins with a quote. A correct one ends with the same quote and has it nowhere
// else; then why is "". Otherwise why is a message, and text is what was probably meant.
func enclosed(value string) (text, why string) {
	const open = "the quotes of %s do not enclose its value"
	quote := value[:1]
	inner, closed := strings.CutSuffix(value[1:], quote)
	words := inner
	if quote == "'" {
		words = apostrophe.ReplaceAllString(inner, "$1$2")
	}
	at := strings.Index(words, quote)
	switch {
	case closed && !strings.Contains(inner, quote) && quote == `"` && strings.Contains(inner, `\`):
		return inner, `%s has a \ between double quotes, which begins an escape`
	case closed && !strings.Contains(inner, quote):
		return inner, ""
	case at > 0 && words[at-1] != ' ': // a quote closes behind a word: "Alpha" le second, "Alpha" et "Beta"
		return value, open
	}
	return inner, open
}

// yamlText returns s as a YAML scalar: plain where possible, otherwise quoted.
func yamlText(s string) string {
	if s == strings.TrimSpace(s) && s != "" {
		if n, ok := scanScalar(s); ok && n.kind == plain && plainType(s) == "text" {
			return s
		}
	}
	return strconv.Quote(s) // every Go escape is a YAML escape too
}

// quoteText returns a one-line text as a quoted YAML scalar.
func quoteText(s string) string {
	switch {
	case !strings.ContainsAny(s, `"\`):
		return `"` + s + `"`
	case !strings.Contains(s, "'"):
		return "'" + s + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// valueOn returns the text after a key on the given line, up to a comment; "" when the line does not have that
// key.
func (d *document) valueOn(key string, line int) string {
	rest := d.data
	for range line - 1 {
		_, rest = cutLine(rest)
	}
	text, _ := cutLine(rest)
	m := keyLine.FindStringSubmatch(string(text))
	if m == nil || m[2] != key {
		return ""
	}
	value, _, _ := strings.Cut(m[3], " #")
	return strings.TrimSpace(value)
}

// checkSpaces refuses a value that begins with a no-break space, which YAML takes for text. It removes the
// space, so that the value's other faults are reported as well.
func (d *document) checkSpaces(f *field) {
	text := strings.Trim(f.value.text, hardSpaces)
	if f.value.kind != plain || text == f.value.text || text == "" || strings.HasPrefix(f.value.text, text) {
		return
	}
	r, _ := utf8.DecodeRuneInString(f.value.text)
	d.fault(f.value.pos, "the no-break space %U stands before the value of %s: type a plain space: %s: %s", r, f.key, f.key, text)
	f.value.text = text // report its other faults as well
}

// closers maps an opening typographic quote to the quotes that may close it.
var closers = map[rune]string{'“': "”“", '”': "”", '„': "“”", '«': "»", '»': "«", '‹': "›", '‘': "’"}

// checkQuotes warns of typographic quotes around a whole value. YAML knows only straight quotes, so readers
// would see these. A value that is meant to show them must be put between straight quotes.
func (d *document) checkQuotes(f field) {
	if f.value.kind != plain {
		return
	}
	open, size := utf8.DecodeRuneInString(f.value.text)
	closing, last := utf8.DecodeLastRuneInString(f.value.text)
	if !strings.ContainsRune(closers[open], closing) || size+last >= len(f.value.text) {
		return
	}
	inner := strings.Trim(f.value.text[size:len(f.value.text)-last], " "+hardSpaces)
	if inner == "" || strings.ContainsRune(inner, open) || closing != '’' && strings.ContainsRune(inner, closing) {
		return // « un » ou « deux »
	}
	d.warn(f.value.pos, "%s stands between %c and %c, which are a part of it: write %s: %s, or %s: %s if readers are to see them",
		f.key, open, closing, f.key, yamlText(inner), f.key, quoteText(f.value.text))
}
