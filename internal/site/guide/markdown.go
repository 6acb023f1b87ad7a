package guide

import (
	"regexp"
	"strings"
)

var headingAnchor = regexp.MustCompile(`(?m)^(#+ .*?) \{#[a-z0-9-]+\}$`)

// Markdown is the guide as Markdown, filled in.
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

// prose writes Markdown between fences. What is filled in means itself, in a code span too.
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

// escapeProse escapes a value but an address or a path, which has no character that needs it and
// may be where a link leads.
func escapeProse(s string) string {
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		return s
	}
	return escapeMarkdown(s)
}
