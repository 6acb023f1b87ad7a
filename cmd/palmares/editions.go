package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
)

type editionsCommand struct {
	Limit int  `default:"20" placeholder:"N" help:"How many of them (default 20); 0 is all."`
	JSON  bool `help:"Print the editions as a JSON array."`
}

// Help is shown by palmares editions --help.
func (editionsCommand) Help() string {
	return `Prints of each edition its number, when it was published (UTC), the commit of the
checkout it was published from, the author of that commit, and what it changed, the newest first.
"modified" stands beside a commit when files were not as the commit has them. A hyphen stands for
what is not known: without git there is no commit.

To go back to an earlier edition, check its commit out beside your own and publish that (see
docs/content-format.md). PALMARES_DATABASE_URL names the database.`
}

func (c *editionsCommand) Run(ctx context.Context, con *console) error {
	if c.Limit < 0 {
		return fmt.Errorf("--limit: %d is negative: 0 is all", c.Limit)
	}
	cfg, err := config.ReadPublish(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	db, err := postgres.Open(ctx, cfg.URL.Reveal(), postgres.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	warn := func(message string) { fmt.Fprintln(con.err, "warning:", message) }
	if err := db.CheckSchema(ctx, warn); err != nil {
		return reached(err)
	}
	editions, err := db.Catalog.Editions(ctx, c.Limit)
	if err != nil {
		return reached(err)
	}
	if c.JSON {
		return con.json(shownEditions(editions))
	}
	if len(editions) == 0 {
		fmt.Fprintln(con.err, "nothing is published yet: palmares publish DIR")
		return nil
	}
	return con.table(editionRows(editions))
}

func editionRows(editions []catalog.EditionRecord) [][]string {
	rows := [][]string{{"EDITION", "PUBLISHED", "COMMIT", "AUTHOR", "CHANGED"}}
	for _, e := range editions {
		commit, author := "-", "-"
		if e.Commit != "" {
			commit = fmt.Sprintf("%.12s", e.Commit)
		}
		if e.Modified {
			commit += " modified"
		}
		if e.Author != "" {
			author = e.Author
		}
		rows = append(rows, []string{
			strconv.FormatInt(e.Number, 10), e.PublishedAt.Format(time.RFC3339), commit, author, changedItems(e),
		})
	}
	return rows
}

// changedItems writes how many items of each kind an edition changed, and how many events it has.
func changedItems(e catalog.EditionRecord) string {
	events := counted(int(e.Events), "event", "events")
	if e.Changed == nil {
		return events
	}
	var parts []string
	for _, kind := range []struct {
		n         int
		one, many string
	}{
		{e.Changed.Tools, "tool", "tools"},
		{e.Changed.Comparisons, "comparison", "comparisons"},
		{e.Changed.Retired, "in the cemetery", "in the cemetery"},
		{e.Changed.Pages, "page", "pages"},
	} {
		if kind.n > 0 {
			parts = append(parts, counted(kind.n, kind.one, kind.many))
		}
	}
	return strings.Join(append(parts, events), ", ")
}

// shownEdition is an edition in JSON.
type shownEdition struct {
	Edition     int64     `json:"edition"`
	PublishedAt time.Time `json:"published_at"`
	Commit      *string   `json:"commit"`
	Modified    bool      `json:"modified"`
	Author      *string   `json:"author"`
	Tools       *int      `json:"tools"`
	Comparisons *int      `json:"comparisons"`
	Retired     *int      `json:"retired"`
	Pages       *int      `json:"pages"`
	Events      int64     `json:"events"`
}

func shownEditions(editions []catalog.EditionRecord) []shownEdition {
	shown := make([]shownEdition, len(editions))
	for i, e := range editions {
		s := shownEdition{Edition: e.Number, PublishedAt: e.PublishedAt, Modified: e.Modified, Events: e.Events}
		if e.Commit != "" {
			s.Commit = &e.Commit
		}
		if e.Author != "" {
			s.Author = &e.Author
		}
		if c := e.Changed; c != nil {
			s.Tools, s.Comparisons, s.Retired, s.Pages = &c.Tools, &c.Comparisons, &c.Retired, &c.Pages
		}
		shown[i] = s
	}
	return shown
}
