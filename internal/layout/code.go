package layout

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"unicode/utf8"
)

// codeWidth is how many characters of code fit beside each other on the narrowest window.
const codeWidth = 36

var tags = regexp.MustCompile(`<[^>]*>`)

// CodeStop is the attributes of a box of code, given its name and what is in it. One with a long line may
// scroll, so the keyboard can reach it; where scripts run, site.js keeps those that do.
func CodeStop(name string, text any) template.HTMLAttr {
	said := template.HTMLEscapeString(name)
	attributes := ` data-code="` + said + `"`
	if hasLongLine(text) {
		attributes += ` tabindex="0" role="group" aria-label="` + said + `"`
	}
	return template.HTMLAttr(attributes) //nolint:gosec // it was escaped
}

func hasLongLine(text any) bool {
	var plain string
	switch t := text.(type) {
	case string:
		plain = t
	case template.HTML:
		plain = html.UnescapeString(tags.ReplaceAllString(string(t), ""))
	}
	for line := range strings.Lines(plain) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > codeWidth {
			return true
		}
	}
	return false
}

// maxCopied is how much of a text names the button that copies it.
const maxCopied = 120

// Copied names a text by its beginning, on one line.
func Copied(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxCopied {
		return string(runes)
	}
	return string(runes[:maxCopied]) + "…"
}
