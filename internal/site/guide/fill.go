package guide

import (
	"fmt"
	"regexp"
	"strings"
)

// Values are what differs between installations, by the names that stand between double braces.
type Values map[string]string

var placeholder = regexp.MustCompile(`\{\{([a-z.-]+)\}\}`)

// fill puts values into a text, each through escape. A name that has no value is a fault of the
// guide.
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

// oneLine keeps a value within its line, where it cannot begin a heading or end a sample.
func oneLine(s string) string { return strings.Join(strings.FieldsFunc(s, isLineBreak), " ") }

func isLineBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

func asItIs(s string) string { return s }

var markdownSpecial = regexp.MustCompile("[\\\\`*_\\[\\]<>#|~&!]")

// escapeMarkdown has every character of a value mean itself in prose.
func escapeMarkdown(s string) string { return markdownSpecial.ReplaceAllString(s, `\$0`) }

// withoutTicks keeps a value within its code span.
func withoutTicks(s string) string { return strings.ReplaceAll(s, "`", "'") }
