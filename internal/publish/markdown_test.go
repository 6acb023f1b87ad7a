package publish_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
)

// review gives a tool of the desk a review.
func (d *desk) review(slug, markdown string) {
	d.Helper()
	d.tool(slug, "10 €/mois")
	path := filepath.Join(d.dir, "tools", slug+".md")
	text, err := os.ReadFile(path)
	if err != nil {
		d.Fatal(err)
	}
	d.write("tools/"+slug+".md", string(text)+markdown)
}

// served is what a node would read of the database.
func (d *desk) served() *catalog.Snapshot {
	d.Helper()
	feed, err := d.db.Catalog.Feed(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	defer feed.Close()
	delta, err := feed.Since(d.Context(), catalog.Edition{})
	if err != nil {
		d.Fatal(err)
	}
	return catalog.Empty().Apply(delta)
}

// Nothing in the files has changed since a version that did not keep Markdown published them. The
// first publication of this one reads the reviews again, and the next one nothing.
func TestMarkdownIsFilledInOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	url := pgtest.Migrated(t)
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	d.db = db
	d.review("lu", "\nUn *avis*.\n")
	d.publish(publish.Options{})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `UPDATE tools SET markdown = NULL, markdown_hash = '', markdown_source = ''`); err != nil {
		t.Fatal(err)
	}
	if d.served().HasReviews() {
		t.Fatal("the Markdown is still there")
	}

	d.now = d.now.AddDate(0, 0, 1)
	dry := d.publish(publish.Options{DryRun: true})
	var plan strings.Builder
	if err := publish.Print(&plan, dry.Changes, publish.Style{}); err != nil || !strings.Contains(plan.String(), "markdown: added") {
		t.Errorf("the plan is %q, %v", plan.String(), err)
	}
	out := d.publish(publish.Options{})
	if !out.Written() || out.Decoded != 2+1 || len(out.Changes.Tools) != 1 || len(out.Changes.Events()) != 0 {
		t.Errorf("decoded %d files, written: %v, changes: %+v", out.Decoded, out.Written(), out.Changes)
	}
	s := d.served()
	if got, err := s.Review("lu"); got != "\nUn *avis*.\n" || err != nil {
		t.Errorf("the review is %q, %v", got, err)
	}
	for _, tool := range s.Contents().Tools {
		if tool.UpdatedAt != "2026-03-01" {
			t.Errorf("the date of %s has moved to %s", tool.Slug, tool.UpdatedAt)
		}
	}
	if out := d.publish(publish.Options{}); out.Written() || out.Decoded != 2 {
		t.Errorf("the next publication decodes %d files, written: %v", out.Decoded, out.Written())
	}
}
