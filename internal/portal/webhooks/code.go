package webhooks

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strings"
)

// foldFrom is the number of lines from which code is folded.
const foldFrom = 24

// A code is text to show as a block.
type code struct {
	HTML  template.HTML
	Lines int
}

// Long reports whether it is shown folded.
func (c code) Long() bool { return c.Lines >= foldFrom }

// newCode lays out JSON, with its keys and strings marked, and leaves other text as it is.
func newCode(text []byte) code {
	var laidOut bytes.Buffer
	markup := template.HTMLEscapeString(string(text))
	if json.Indent(&laidOut, text, "", "  ") == nil {
		markup = markJSON(laidOut.String())
	}
	return code{template.HTML(markup), strings.Count(markup, "\n") + 1} //nolint:gosec // it was escaped
}

// markJSON marks the keys and the strings of valid JSON, and escapes it.
func markJSON(s string) string {
	var b strings.Builder
	for s != "" {
		start := strings.IndexByte(s, '"')
		if start < 0 {
			break
		}
		end := start + 1
		for s[end] != '"' {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		end++
		class := "s"
		if strings.HasPrefix(s[end:], ":") {
			class = "k"
		}
		b.WriteString(s[:start] + `<span class="` + class + `">` + template.HTMLEscapeString(s[start:end]) + `</span>`)
		s = s[end:]
	}
	return b.String() + s
}
