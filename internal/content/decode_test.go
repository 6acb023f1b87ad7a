package content

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const sampleTool = `---
name: Lumen
domain: lumen.example
category: code
icp: vibe-coder
pricing: freemium
price: 20 €/mois
score: 9.1
verifiability: 8
tagline: "L'éditeur qui complète, relit et corrige : tout, partout"
obsolescence: 2.5
tier: 1
mainstream: true
---
`

// sampleReview is about 2 KB of ordinary review.
func sampleReview() string {
	const paragraph = "Lumen relit chaque modification avant de la proposer, et **explique** ce qu'il change. " +
		"Le [journal](https://lumen.example/journal) garde `chaque` décision.\n\n"
	var b strings.Builder
	b.WriteString(paragraph)
	for _, heading := range []string{"Prise en main", "Points forts", "Limites", "Prix & délais"} {
		b.WriteString("## " + heading + "\n\n" + strings.Repeat(paragraph, 2) + "- rapide\n- précis\n\n")
	}
	return b.String()
}

func BenchmarkDecodeTool(b *testing.B) {
	c, data := newDecoder(), []byte(sampleTool+sampleReview())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		d := c.open("tools/lumen.md", data)
		if d.decode(entry{folder: toolFolder, name: "lumen.md", slug: "lumen"}, Digest(data)).tool == nil {
			b.Fatal(d.faults)
		}
	}
}

// BenchmarkDecodeToolYAML is the same with a front matter that the scanner declines.
func BenchmarkDecodeToolYAML(b *testing.B) {
	c, data := newDecoder(), []byte(strings.Replace(sampleTool, "score: 9.1", "score: 9.1 # revu", 1)+sampleReview())
	b.ReportAllocs()
	for b.Loop() {
		if d := c.open("tools/lumen.md", data); d.tool("lumen") == nil {
			b.Fatal(d.faults)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	data := []byte(sampleTool + sampleReview())
	for b.Loop() {
		Digest(data)
	}
}

func FuzzDecodeTool(f *testing.F) {
	f.Add([]byte(sampleTool + sampleReview()))
	f.Add([]byte(sampleTool + "# a\n\n<b>\n\n## \n\n|a|b|\n|-|-|\n|1|2|\n"))
	f.Add([]byte("---\nname: &a [x]\n---\n"))
	c := newDecoder()
	f.Fuzz(func(t *testing.T, data []byte) {
		d := c.open("tools/x.md", data)
		tool := d.tool("x")
		checkFaults(t, d)
		if tool != nil {
			checkTool(t, tool)
		}
	})
}

// FuzzDecode feeds every kind of file.
func FuzzDecode(f *testing.F) {
	f.Add(uint8(0), []byte("---\ntitle: A\ntool_a: a\ntool_b: b\nwinner: a\nstatus: draft\n---\nnote\n"))
	f.Add(uint8(1), []byte("---\nname: A\ncategory: a\nreason: mort\nretired_at: 2024-02-29\n---\nnote\n"))
	f.Add(uint8(2), []byte("name: P\nurl: https://p.example\nsite:\n  tool: https://p.example/{slug}\n"))
	f.Add(uint8(3), []byte("- slug: a\n  label: A\n"))
	f.Add(uint8(4), []byte("A.\n\n## B\n\nC <b>.\n"))
	c := newDecoder()
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		d := c.open("x", data)
		switch kind % 5 {
		case 0:
			if x := d.comparison("x"); x != nil {
				checkText(t, x.Title, titleLimit)
				checkNote(t, x.Note)
				if x.ToolA == x.ToolB || x.Winner != x.ToolA && x.Winner != x.ToolB || !catalog.ValidSlug(x.ToolA) || !catalog.ValidSlug(x.ToolB) {
					t.Errorf("comparison %+v", x)
				}
			}
		case 1:
			if r := d.retired("x"); r != nil {
				checkText(t, r.Name, nameLimit)
				checkNote(t, r.Note)
				if date, err := catalog.ParseDate(string(r.RetiredAt)); err != nil || date != r.RetiredAt {
					t.Errorf("retired_at %q", r.RetiredAt)
				}
			}
		case 2:
			if s := d.service(); !d.failed {
				checkText(t, s.Name, nameLimit)
				for _, pattern := range []string{s.Site.Tool, s.Site.Review, s.Site.Alternatives, s.Site.Comparison} {
					if !strings.Contains(pattern, catalog.SlugPlaceholder) || !strings.HasPrefix(pattern, "http") {
						t.Errorf("pattern %q", pattern)
					}
				}
			}
		case 3:
			seen := map[string]bool{}
			for _, category := range d.categories() {
				if !d.failed && (!catalog.ValidSlug(category.Slug) || seen[category.Slug]) {
					t.Errorf("category %+v", category)
				}
				seen[category.Slug] = true
			}
		case 4:
			tool := &catalog.Tool{Slug: "x", Review: catalog.NewReview("X", []catalog.Section{{ID: "a", Heading: "A", Text: "a"}})}
			tool.Review.Markdown = catalog.NewMarkdown("## A\n\na\n")
			d.english(entry{folder: toolFolder, name: "x.md", slug: "x"}, item{tool: tool}, "source")
			if r := tool.English.Review; r.Exists() != !d.failed || r.Exists() && r.Markdown.Text != string(d.data) {
				t.Errorf("review %+v, failed %t", r, d.failed)
			}
		}
		checkFaults(t, d)
	})
}

func checkFaults(t *testing.T, d *document) {
	t.Helper()
	lines := strings.Count(string(d.data), "\n") + 1
	for _, f := range d.faults {
		if f.Line < 1 || f.Column < 1 || f.Line > lines+1 || f.Message == "" {
			t.Errorf("fault out of place in %d lines: %s", lines, f)
		}
	}
}

func checkText(t *testing.T, s string, limit int) {
	t.Helper()
	if s == "" || utf8.RuneCountInString(s) > limit || strings.TrimSpace(s) != s || strings.ContainsAny(s, "\n\t") || !utf8.ValidString(s) {
		t.Errorf("text %q", s)
	}
	if i, _ := forbiddenIn([]byte(s)); i >= 0 {
		t.Errorf("control character in %q", s)
	}
	if !visible(s) {
		t.Errorf("nothing to be seen of %q", s)
	}
}

func checkNote(t *testing.T, s string) {
	t.Helper()
	checkText(t, strings.Join(strings.Fields(s), " "), noteLimit)
	if len(s) > noteBytesLimit {
		t.Errorf("a note of %d bytes", len(s))
	}
}

func checkTool(t *testing.T, tool *catalog.Tool) {
	t.Helper()
	checkText(t, tool.Name, nameLimit)
	checkText(t, tool.Tagline, taglineLimit)
	zero := strings.HasPrefix(tool.Price, "0 ") || strings.HasPrefix(tool.Price, "0,00 ")
	switch {
	case !validHost(tool.Domain), !catalog.ValidSlug(tool.Category), !isPrice(tool.Price),
		tool.Tier < 1 || tool.Tier > maxTier, !tool.Obsolescence.Known,
		tool.Score.Known && tool.Score.Hundredths == 0,
		tool.Pricing == catalog.Free && !zero, tool.Pricing == catalog.Paid && zero:
		t.Errorf("tool %+v", tool)
	}
	seen := map[string]bool{}
	for _, s := range tool.Review.Sections {
		if s.ID == "" || seen[s.ID] || s.Text == "" || s.Heading == "" || !catalog.ValidSlug(s.ID) && len(s.ID) <= catalog.MaxSlug {
			t.Errorf("section %+v", s)
		}
		if utf8.RuneCountInString(catalog.ChunkText(tool.Name, s)) > chunkLimit || !utf8.ValidString(s.Text) {
			t.Errorf("section %q: chunk too long or not UTF-8", s.ID)
		}
		seen[s.ID] = true
	}
	if tool.Review.Exists() != (len(tool.Review.Sections) > 0) {
		t.Error("a hash without sections, or sections without a hash")
	}
}
