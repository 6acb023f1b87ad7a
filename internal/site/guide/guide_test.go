package guide_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func load(t *testing.T) *guide.Library {
	t.Helper()
	lib, err := guide.Load(guides.Files, guides.Names, [2]string{"/docs/", "/en/docs/"})
	testkit.Must(t, err)
	return lib
}

// values fill every placeholder with a hostile text, or with the name of the placeholder.
func values(t *testing.T, value func(name string) string) guide.Values {
	t.Helper()
	v := make(guide.Values)
	for _, l := range locale.Languages() {
		for _, names := range guides.Names {
			text, err := guides.Files.ReadFile(l.String() + "/" + names[l] + ".md")
			testkit.Must(t, err)
			for _, m := range regexp.MustCompile(`\{\{(.*?)\}\}`).FindAllStringSubmatch(string(text), -1) {
				v[m[1]] = value(m[1])
			}
		}
	}
	return v
}

var (
	comment = regexp.MustCompile(`(?m)[ \t]*(//|#)( .*)?$`)
	aligned = regexp.MustCompile(`[ \t]+`)
)

// code is a sample without what may differ between languages: its comments.
func code(s guide.Sample) string {
	s.Text = comment.ReplaceAllString(s.Text, "")
	lines := slices.DeleteFunc(strings.Split(s.Text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	return aligned.ReplaceAllString(strings.Join(lines, "\n"), " ")
}

// Both languages have the same sections and the same samples, in the same order.
func TestGuides_Correspond(t *testing.T) {
	t.Parallel()
	lib := load(t)
	v := values(t, func(name string) string { return "value-of-" + name })
	anchors := regexp.MustCompile(`<h([23]) id="([^"]+)">`)
	for i, names := range guides.Names {
		var sections [2][][]string
		var samples [2][]guide.Sample
		for _, l := range locale.Languages() {
			g := lib.All(l)[i]
			page, err := lib.HTML(g, v, guide.Labels{})
			testkit.Must(t, err)
			sections[l] = anchors.FindAllStringSubmatch(string(page.HTML), -1)
			text, err := g.Markdown(v)
			testkit.Must(t, err)
			samples[l], err = guide.Samples(text)
			testkit.Must(t, err)
			if last := page.Contents[len(page.Contents)-1]; last.ID != "what-goes-wrong" {
				t.Errorf("%s/%s ends with %+v, not with what goes wrong", l, g.Slug, last)
			}
		}
		testkit.Equal(t, names[0]+": the sections", sections[0], sections[1])
		testkit.Equal(t, names[0]+": how many samples", len(samples[0]), len(samples[1]))
		for j, a := range samples[0] {
			b := samples[1][j]
			testkit.Equal(t, names[0]+": a sample", code(a), code(b))
			a.Text, b.Text = "", ""
			testkit.Equal(t, names[0]+": what a sample is", a, b)
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// Colours add nothing to code but tags. What is filled in means itself, on the page and in
// Markdown.
func TestGuides_HostileValues(t *testing.T) {
	t.Parallel()
	const hostile = "<script>alert(1)</script> `x` *y* [z](javascript:1)\n# {{base}} | \"&'"
	lib := load(t)
	v := values(t, func(string) string { return hostile })
	for _, l := range locale.Languages() {
		for _, g := range lib.All(l) {
			page, err := lib.HTML(g, v, guide.Labels{Copy: "c", Copied: "d", Output: "o"})
			testkit.Must(t, err)
			for _, bad := range []string{"<script", "<em>y", `"javascript:`, "style="} {
				if strings.Contains(string(page.Lede+page.HTML), bad) {
					t.Errorf("%s/%s: %s", l, g.Slug, bad)
				}
			}
			text, err := g.Markdown(v)
			testkit.Must(t, err)
			if strings.Contains(text, "\n# {{") || strings.Contains(text, "\n# \\{") {
				t.Errorf("%s/%s: a value begins a line:\n%s", l, g.Slug, text)
			}
			samples, err := guide.Samples(text)
			testkit.Must(t, err)
			shown := html.UnescapeString(tags.ReplaceAllString(string(page.HTML), ""))
			for _, s := range samples {
				if !strings.Contains(shown, s.Text) {
					t.Errorf("%s/%s does not show this as it is:\n%s", l, g.Slug, s.Text)
				}
			}
		}
	}
}

var (
	fence     = regexp.MustCompile("(?ms)^```.*?^```$")
	span      = regexp.MustCompile("`[^`]*`")
	badFrench = regexp.MustCompile(`[ \pL][?!;:]([\s]|$)| »|« |'|\.\.\.| €| %| [?!;:]`)
)

// The French is set as French is.
func TestGuides_Typography(t *testing.T) {
	t.Parallel()
	for _, names := range guides.Names {
		text, err := guides.Files.ReadFile("fr/" + names[0] + ".md")
		testkit.Must(t, err)
		for line := range strings.Lines(fence.ReplaceAllString(string(text), "")) {
			if bad := badFrench.FindString(span.ReplaceAllString(line, "x")); bad != "" {
				t.Errorf("fr/%s.md: %q is no French typography: %s", names[0], bad, line)
			}
		}
	}
}

// What a guide may not be.
func TestLoad_Faults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "does not begin with a title",
		"# T\n\nx\n\n## H\n":                "no anchor",
		"# T\n\nx\n\n# H {#h}\n":            "is a title",
		"# T\n\nx {{who}}\n":                "no value for {{who}}",
		"# T\n\nx\n\n```\nx\n```\n":         "no language",
		"# T\n\nx\n\n```cobol\nx\n```\n":    "no colours",
		"# T\n\nx\n\n```sh later\nx\n```\n": "sh later",
		"# T\n\n[x](y.md)\n":                "which is not there",
		"# T\n\n[x](/docs/y)\n":             "which is not there",
		"# T\n\nx <b>y</b>\n":               "RawHTML",
		"# T\n\nx\n\n> y\n":                 "Blockquote",
	} {
		testkit.Equal(t, text, strings.Contains(fault(text), want), true)
	}
}

// fault is what is wrong with a library of one guide.
func fault(text string) string {
	files := fstest.MapFS{"fr/a.md": {Data: []byte(text)}, "en/a.md": {Data: []byte(text)}}
	lib, err := guide.Load(files, [][2]string{{"a", "a"}}, [2]string{"/docs/", "/en/docs/"})
	if err != nil {
		return err.Error()
	}
	if _, err := lib.HTML(lib.All(locale.French)[0], nil, guide.Labels{}); err != nil {
		return err.Error()
	}
	return ""
}
