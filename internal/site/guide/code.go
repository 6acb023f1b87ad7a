package guide

import (
	"html/template"
	"regexp"
	"strings"
)

// A lexer finds the tokens to highlight in code. The groups of its expression are the CSS classes: k for keys and
// keywords, s for strings, c for comments. A few expressions are enough for our own samples; a library that knows three
// hundred languages would weigh more than the rest of the site.
type lexer struct {
	name  string // for people
	token *regexp.Regexp
}

const (
	doubleQuoted = `"(?:\\.|[^"\\\n])*"`
	singleQuoted = `'(?:\\.|[^'\\\n])*'`
	slashComment = `//.*|/\*(?s:.*?)\*/`
)

var lexers = map[string]lexer{
	"sh": {"Shell", regexp.MustCompile(`(?m)(?P<c>(?:^|\s)#.*$)|(?P<s>'[^']*'|"(?:\\(?s:.)|[^"\\])*")|` +
		`(?P<k>\b(?:if|then|else|fi|for|while|do|done|case|esac|in|set|export|trap|exit|cd|curl|jq|` +
		`python3|go|node|sha256sum|openssl|grep)\b)`)},
	"go": {"Go", regexp.MustCompile(`(?P<c>` + slashComment + `)|(?P<s>` + doubleQuoted + "|`[^`]*`|" + singleQuoted +
		`)|(?P<k>\b(?:package|import|func|type|struct|const|var|return|if|else|for|range|go|chan|` +
		`defer|switch|case|default|map|interface|nil|true|false)\b)`)},
	"ts": {"TypeScript", regexp.MustCompile(`(?P<c>` + slashComment + `)|(?P<s>` + doubleQuoted + "|`[^`]*`|" + singleQuoted +
		`)|(?P<k>\b(?:import|export|from|type|interface|const|let|function|return|if|else|for|of|new|` +
		`await|async|void|throw|null|true|false)\b)`)},
	"python": {"Python", regexp.MustCompile(`(?P<c>#.*)|(?P<s>"""(?s:.*?)"""|[bf]?` + doubleQuoted + `|[bf]?` + singleQuoted +
		`)|(?P<k>\b(?:import|from|def|class|return|if|elif|else|for|while|in|not|and|or|with|as|try|` +
		`except|raise|pass|lambda|None|True|False)\b)`)},
	"json": {"JSON", regexp.MustCompile(`(?P<k>` + doubleQuoted + `)\s*:|(?P<s>` + doubleQuoted + `)`)},
	"http": {"HTTP", regexp.MustCompile(`(?m)^(?P<k>(?:HTTP/\S+|GET|POST) .*)$|^(?P<s>[A-Za-z-]+):`)},
	"yaml": {"YAML", regexp.MustCompile(`(?m)(?P<c>(?:^|\s)#.*$)|^[ -]*(?P<k>[A-Za-z_][\w-]*):|(?P<s>` + doubleQuoted + `|` + singleQuoted + `)`)},
	"text": {"", regexp.MustCompile(`[^\s\S]`)},
}

// LanguageName returns the name for readers of a language of samples; "" for plain text.
func LanguageName(language string) string { return lexers[language].name }

// colour returns code as HTML with its tokens marked. The text itself is unchanged.
func (l lexer) colour(code string) template.HTML {
	var b strings.Builder
	at, names := 0, l.token.SubexpNames()
	for _, m := range l.token.FindAllStringSubmatchIndex(code, -1) {
		for group, name := range names {
			from, to := m[2*group], m[2*group+1]
			if group == 0 || from < 0 {
				continue
			}
			b.WriteString(template.HTMLEscapeString(code[at:from]))
			b.WriteString(`<span class="` + name + `">` + template.HTMLEscapeString(code[from:to]) + "</span>")
			at = to
		}
	}
	b.WriteString(template.HTMLEscapeString(code[at:]))
	return template.HTML(b.String()) //nolint:gosec // constants and escaped text
}
