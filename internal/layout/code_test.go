package layout_test

import (
	"html/template"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A box of code is a stop of the keyboard, with a name, when a line of it may not fit.
func TestCodeStop(t *testing.T) {
	t.Parallel()
	const stop = ` data-code="&lt;Go&gt;" tabindex="0" role="group" aria-label="&lt;Go&gt;"`
	for text, want := range map[any]string{
		strings.Repeat("é", 36) + "\n" + strings.Repeat("b", 36) + "\n":             ` data-code="&lt;Go&gt;"`,
		"a\n" + strings.Repeat("é", 37):                                             stop,
		template.HTML(`<span class="k">` + strings.Repeat("&#34;", 36) + "</span>"): ` data-code="&lt;Go&gt;"`,
		template.HTML(`<b>` + strings.Repeat("&#34;", 37) + "</b>"):                 stop,
		"": ` data-code="&lt;Go&gt;"`,
	} {
		testkit.Equal(t, "attributes", string(layout.CodeStop("<Go>", text)), want)
	}
}

func TestCopied(t *testing.T) {
	t.Parallel()
	testkit.Equal(t, "short", layout.Copied("  curl -s \\\n  x\n"), `curl -s \ x`)
	testkit.Equal(t, "long", layout.Copied(strings.Repeat("é", 121)), strings.Repeat("é", 120)+"…")
}
