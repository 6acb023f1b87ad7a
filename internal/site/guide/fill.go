package guide

import (
	"fmt"
	"regexp"
	"strings"
)

// Values are the texts that differ between installations, by the names that guides have in double braces.
type Values map[string]string

var placeholder = regexp.MustCompile(`\{\{([a-z.-]+)\}\}`)

// fill replaces the placeholders in a text by their values, each on one line and passed through escape. A name without
// a value is an error of the guide.
func (v Values) fill(s string, escape func(string) string) (string, error) {
	var err error
	filled := placeholder.ReplaceAllStringFunc(s, func(found string) string {
		value, ok := v[found[2:len(found)-2]]
		if !ok {
			err = fmt.Errorf("there is no value for %s", found)
		}
		return escape(oneLine(value))
	})
	return filled, err
}

// oneLine joins the lines of a value, so that it cannot begin a heading or end a sample.
func oneLine(s string) string { return strings.Join(strings.FieldsFunc(s, isLineBreak), " ") }

func isLineBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

func asItIs(s string) string { return s }

var markdownSpecial = regexp.MustCompile("[\\\\`*_\\[\\]<>#|~&!]")

// escapeMarkdown escapes a value so that Markdown prose shows it literally.
func escapeMarkdown(s string) string { return markdownSpecial.ReplaceAllString(s, `\$0`) }

// withoutTicks replaces the backticks in a value, so that it cannot end its code span.
func withoutTicks(s string) string { return strings.ReplaceAll(s, "`", "'") }
