package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/generate"
)

type generateCommand struct {
	Dir         string `arg:"" help:"The directory to write; it must be empty or not exist."`
	Tools       int    `placeholder:"N" help:"How many active tools."`
	Comparisons int    `default:"-1" placeholder:"N" help:"How many comparisons; half the tools by default."`
	Retired     int    `default:"-1" placeholder:"N" help:"How many retired tools; a fifth of the tools by default."`
	Seed        uint64 `default:"1" placeholder:"N" help:"The same seed gives the same files; 1 by default."`
	Mutate      int    `placeholder:"N" help:"Change N tools of a generated catalogue, in place."`
}

// Help is shown by palmares generate --help.
func (generateCommand) Help() string {
	return `Writes an invented but plausible catalogue of any size, in French and, but for two thirds
of the reviews, in English, to try things out at scale. The same options give the same bytes.

With --mutate N it changes N tools of an existing catalogue instead (prices, scores, texts), as a
day of editing would. Then the seed picks the changes and the other options have no effect.

Examples:
  palmares generate /tmp/catalog --tools 1000
  palmares generate /tmp/catalog --mutate 50 --seed 2`
}

// Validate is called by kong before Run.
func (c *generateCommand) Validate() error {
	switch {
	case c.Tools == 0 && c.Mutate == 0:
		return errors.New("say how many tools to write, with --tools N, or to change, with --mutate N")
	case c.Tools < 0 || c.Mutate < 0:
		return errors.New("--tools and --mutate are at least 1")
	}
	return nil
}

func (c *generateCommand) Run(ctx context.Context, con *console) error {
	if c.Mutate > 0 {
		s, err := generate.Mutate(ctx, c.Dir, generate.MutateOptions{Tools: c.Mutate, Seed: c.Seed})
		if err != nil {
			return fmt.Errorf("changing the catalogue: %w", err)
		}
		fmt.Fprintf(con.err, "%s: %d %s changed (%d in price, %d in score, %d in tagline, %d in review)\n",
			c.Dir, s.Tools, plural(s.Tools, "tool", "tools"), s.Prices, s.Scores, s.Taglines, s.Reviews)
		return nil
	}
	draw, wipe := con.progress("Writing")
	s, err := generate.Write(ctx, c.Dir, generate.Options{
		Tools: c.Tools, Comparisons: c.Comparisons, Retired: c.Retired, Seed: c.Seed, Progress: draw,
	})
	wipe()
	if errors.Is(err, generate.ErrNotEmpty) {
		return fmt.Errorf("%s is not empty: name a new directory, or change the catalogue in it with --mutate N",
			c.Dir)
	}
	if err != nil {
		return fmt.Errorf("generating: %w", err)
	}
	fmt.Fprintf(con.err, "%s: %s (%d scored, %d reviewed), %s (%s), %d retired, %s; %s, %d kB\n",
		c.Dir, counted(s.Tools, "tool", "tools"), s.Scored, s.Reviewed, counted(s.Comparisons, "comparison", "comparisons"),
		counted(s.Drafts, "draft", "drafts"), s.Retired, counted(s.Categories, "category", "categories"),
		counted(s.Files, "file", "files"), (s.Bytes+999)/1000)
	return nil
}
