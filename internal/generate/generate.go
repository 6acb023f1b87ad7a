package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// ErrNotEmpty is returned by Write for a directory that already holds something.
var ErrNotEmpty = errors.New("directory is not empty")

// The directories and files of a catalog.
const (
	toolsDir       = "tools"
	comparisonsDir = "comparatifs"
	retiredDir     = "cimetiere"
	categoriesFile = "categories.yaml"
	catalogFile    = "catalog.yaml"
)

// Write makes a catalog in dir, which it creates unless it exists and is empty.
//
// catalog.yaml comes last: a catalog that was cut short has none, and so cannot
// be taken for a whole one.
func Write(ctx context.Context, dir string, o Options) (Summary, error) {
	plan, err := newPlan(o)
	if err != nil {
		return Summary{}, err
	}
	if err := prepare(dir); err != nil {
		return Summary{}, err
	}
	out := &output{total: plan.files(), progress: o.Progress}
	if err := out.write(filepath.Join(dir, categoriesFile), renderCategories()); err != nil {
		return Summary{}, err
	}
	err = out.each(ctx, len(plan.tools), func(s *speaker, i int) (string, []byte) {
		t := plan.tools[i]
		return contentPath(dir, toolsDir, t.Slug), renderTool(s, plan.rng(toolText, i), t)
	})
	if err != nil {
		return Summary{}, err
	}
	err = out.each(ctx, len(plan.comparisons), func(s *speaker, i int) (string, []byte) {
		c := plan.comparisons[i]
		return contentPath(dir, comparisonsDir, c.slug()), renderComparison(s, plan.rng(comparisonText, i), c)
	})
	if err != nil {
		return Summary{}, err
	}
	err = out.each(ctx, len(plan.retired), func(s *speaker, i int) (string, []byte) {
		r := plan.retired[i]
		return contentPath(dir, retiredDir, r.Slug), renderRetired(s, plan.rng(retiredText, i), r)
	})
	if err != nil {
		return Summary{}, err
	}
	if err := out.write(filepath.Join(dir, catalogFile), renderCatalog()); err != nil {
		return Summary{}, err
	}
	sum := plan.summary()
	sum.Files, sum.Bytes = out.done, out.bytes
	return sum, nil
}

// prepare makes dir and its directories, and refuses to mix with what is there.
func prepare(dir string) error {
	switch empty, err := isEmpty(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("look into the directory to fill: %w", err)
	case !empty:
		return fmt.Errorf("%s: %w", dir, ErrNotEmpty)
	}
	for _, sub := range []string{toolsDir, comparisonsDir, retiredDir} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return fmt.Errorf("make a directory: %w", err)
		}
	}
	return nil
}

func isEmpty(dir string) (bool, error) {
	f, err := os.Open(dir)
	if err != nil {
		return false, err
	}
	_, err = f.Readdirnames(1)
	empty := errors.Is(err, io.EOF)
	if empty {
		err = nil
	}
	return empty, errors.Join(err, f.Close())
}

func contentPath(dir, kind, slug string) string {
	return filepath.Join(dir, kind, slug+".md")
}

// Contents makes in memory what Write writes of each item but its long text: reviews, and the notes of
// comparisons and retired tools. It is for what is measured in memory.
func Contents(ctx context.Context, o Options) (*catalog.Contents, error) {
	plan, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	c := &catalog.Contents{Tools: make([]*catalog.Tool, len(plan.tools))}
	for _, x := range categories {
		c.Categories = append(c.Categories, catalog.Category{Slug: x.slug, Label: x.label})
	}
	err = share(ctx, len(plan.tools), func(s *speaker, i int) error {
		t := plan.tools[i]
		item := t.Tool
		item.Tagline = tagline(s, plan.rng(toolText, i), t)
		c.Tools[i] = &item
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := newSpeaker()
	for i, x := range plan.comparisons {
		winner, _ := x.ranked()
		c.Comparisons = append(c.Comparisons, &catalog.Comparison{
			Slug: x.slug(), Title: title(s, plan.rng(comparisonText, i), x), ToolA: x.a.Slug, ToolB: x.b.Slug,
			Winner: winner.Slug, Draft: x.draft,
		})
	}
	for _, x := range plan.retired {
		item := x.Retired
		c.Retired = append(c.Retired, &item)
	}
	c.Sort()
	return c, nil
}
