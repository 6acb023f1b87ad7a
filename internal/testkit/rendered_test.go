package testkit_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestRawFormats(t *testing.T) {
	t.Parallel()
	const markup, feed, twin, plain = "text/html; charset=utf-8", "application/atom+xml", "text/markdown", "text/plain"
	for _, tc := range []struct {
		kind, rendered string
		faults         int
	}{
		{markup, `<h1>Fin annoncée : %s</h1>`, 1},
		{markup, `<title>%d tools</title><p>%!s(MISSING) and %!d(string=x)`, 3},
		{markup, `<p>&lt;nil&gt;</p><p><nil></p><p>map[a:b] {{.Name}}`, 4},
		{markup, `<meta name="description" content="%s"><img alt="%s"><p data-l="%s">`, 3},
		{markup, `<script type="application/ld+json">{"name":"%s"}</script><script>"%s"</script>`, 1},
		{markup, `<pre>%s {{x}}</pre><p><code>map[string]any</code><textarea>%s</textarea><a href="/?q=%d0">80 % des 100%</a>`, 0},
		{feed, `<feed><title>%s</title><summary type="html">&lt;p&gt;%s&lt;/p&gt;</summary><link href="/%d0"/></feed>`, 2},
		{twin, "# %s\n\nUse `%s` or ``%d``.\n\n```go\nfmt.Printf(\"%s\")\n```\n\n    %s\n\nAnd %d.\n", 2},
		{"text/calendar", "SUMMARY:Fin de %\r\n s\r\n", 1},
		{plain, "3 tools of %d\n", 1},
		{"application/json", `{"a":"%s"}`, 0},
	} {
		if got := testkit.RawFormats(tc.kind, tc.rendered); len(got) != tc.faults {
			t.Errorf("%s has %d faults, want %d: %s", tc.rendered, len(got), tc.faults, got)
		}
	}
}
