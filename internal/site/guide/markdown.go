package guide

import (
	"regexp"
	"strings"
)

var headingAnchor = regexp.MustCompile(`(?m)^(#+ .*?) \{#[a-z0-9-]+\}$`)

// Markdown returns a guide as Markdown, filled in and without the anchors of its headings.
func (g *Guide) Markdown(v Values) (string, error) {
	var b strings.Builder
	b.WriteString("# " + g.Title + "\n\n")
	rest := headingAnchor.ReplaceAllString(g.source, "$1")
	for {
		at := fence.FindStringIndex(rest)
		if at == nil {
			break
		}
		if err := prose(&b, rest[:at[0]], v); err != nil {
			return "", err
		}
		code, err := v.fill(rest[at[0]:at[1]], asItIs)
		if err != nil {
			return "", err
		}
		b.WriteString(code)
		rest = rest[at[1]:]
	}
	err := prose(&b, rest, v)
	return b.String(), err
}

var codeSpan = regexp.MustCompile("`[^`]*`")

// prose fills in and writes Markdown between fenced blocks. It escapes the values so that they show literally, in code
// spans too.
func prose(b *strings.Builder, s string, v Values) error {
	for s != "" {
		at := codeSpan.FindStringIndex(s)
		if at == nil {
			at = []int{len(s), len(s)}
		}
		for _, part := range []struct {
			text   string
			escape func(string) string
		}{{s[:at[0]], escapeProse}, {s[at[0]:at[1]], withoutTicks}} {
			filled, err := v.fill(part.text, part.escape)
			if err != nil {
				return err
			}
			b.WriteString(filled)
		}
		s = s[at[1]:]
	}
	return nil
}

// escapeProse escapes a value for Markdown prose. It leaves addresses and paths as they are, because they may be the
// target of a link.
func escapeProse(s string) string {
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		return s
	}
	return escapeMarkdown(s)
}
