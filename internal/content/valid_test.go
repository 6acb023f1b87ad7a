package content_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// TestValid compares what the fixture's own files decode to with its want part.
func TestValid(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t, "valid") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a := readArchive(t, path)
			dir, want := layFixture(t, a)
			result, err := content.Load(t.Context(), dir, content.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Faults) > 0 || result.HasErrors() || result.Err() != nil {
				t.Fatalf("unexpected faults:\n%s", messages(result))
			}
			got := describe(result.Contents, a)
			if *update {
				setWant(t, path, a, got)
				return
			}
			if got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

func describe(c *catalog.Contents, a archive) string {
	var b strings.Builder
	own := func(folder, slug string) bool {
		return slices.ContainsFunc(a.files, func(f archiveFile) bool {
			return strings.TrimSuffix(f.name, ".quoted") == folder+"/"+slug+".md"
		})
	}
	for _, t := range c.Tools {
		if !own("tools", t.Slug) {
			continue
		}
		fmt.Fprintf(&b, "tool %s: %s | %s | %s | %s | %s | %s | score %s | verifiability %s | obsolescence %s | %s | tier %d | mainstream %t\n",
			t.Slug, t.Name, t.Domain, t.Category, t.ICP, t.Pricing, t.Price, t.Score, t.Verifiability, t.Obsolescence, t.Tagline, t.Tier, t.Mainstream)
		for _, s := range t.Review.Sections {
			fmt.Fprintf(&b, "[%s] %s\n%s\n", s.ID, s.Heading, s.Text)
		}
		english(&b, t.English.Tagline.Text, t.English.Review.Markdown.Text)
	}
	if c.Service.Words != (catalog.Words{}) {
		fmt.Fprintf(&b, "words: %+v\n", c.Service.Words)
		if l := c.Service.License; l != "" {
			fmt.Fprintf(&b, "license: %s\n", l)
		}
	}
	for _, f := range c.Files {
		fmt.Fprintf(&b, "file %s: %d bytes\n", f.Name, len(f.Text))
	}
	for _, i := range c.Incidents {
		fmt.Fprintf(&b, "incident %s to %s: %+v\n%+v\n", i.At, i.ResolvedAt, i.Title, i.Text)
	}
	for _, x := range c.Comparisons {
		if own("comparatifs", x.Slug) {
			fmt.Fprintf(&b, "comparison %s: %s | %s | %s | %s | draft %t\n%s\n", x.Slug, x.Title, x.ToolA, x.ToolB, x.Winner, x.Draft, x.Note)
			english(&b, x.English.Title.Text, x.English.Note.Text)
		}
	}
	for _, r := range c.Retired {
		if own("cimetiere", r.Slug) {
			fmt.Fprintf(&b, "retired %s: %s | %s | %s | %s\n%s\n", r.Slug, r.Name, r.Category, r.Reason, r.RetiredAt, r.Note)
			english(&b, r.English.Note.Text)
		}
	}
	for _, x := range c.Categories {
		english(&b, x.English.Text)
	}
	return b.String()
}

// english writes the texts that are there.
func english(b *strings.Builder, texts ...string) {
	for _, text := range texts {
		if text != "" {
			fmt.Fprintf(b, "in English: %s\n", strings.TrimSpace(text))
		}
	}
}
