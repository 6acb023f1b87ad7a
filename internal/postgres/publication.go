package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// publicationLock is the advisory lock that serializes publications, so that the numbers of
// editions and events are in commit order.
const publicationLock = 0x70616c6d // "palm"

// editionChannel is the channel on which a publication is announced.
const editionChannel = "palmares_edition"

// Current implements publish.Store. It leaves out the price history, and the text of reviews
// outside the embeddings set: comparing two states does not need them.
func (c *Catalog) Current(ctx context.Context) (*catalog.Contents, catalog.Edition, error) {
	var contents *catalog.Contents
	var e catalog.Edition
	err := pgx.BeginTxFunc(ctx, c.pool, readOnly, func(tx pgx.Tx) (err error) {
		contents, e, err = current(ctx, tx)
		return err
	})
	if err != nil {
		return nil, catalog.Edition{}, fmt.Errorf("reading the published catalog: %w", err)
	}
	return contents, e, nil
}

func current(ctx context.Context, q querier) (*catalog.Contents, catalog.Edition, error) {
	e, err := latestEdition(ctx, q)
	if err != nil {
		return nil, e, err
	}
	c := &catalog.Contents{}
	if c.Service, err = readService(ctx, q); err != nil {
		return nil, e, err
	}
	if c.Categories, err = readCategories(ctx, q); err != nil {
		return nil, e, err
	}
	if c.Tools, err = readTools(ctx, q, 0, false); err != nil {
		return nil, e, err
	}
	if c.Comparisons, err = readComparisons(ctx, q, 0); err != nil {
		return nil, e, err
	}
	if c.Retired, err = readRetired(ctx, q, 0); err != nil {
		return nil, e, err
	}
	if c.Files, err = readFiles(ctx, q, 0, false); err != nil {
		return nil, e, err
	}
	if c.Incidents, err = readIncidents(ctx, q); err != nil {
		return nil, e, err
	}
	return c, e, nil
}

// Past implements publish.Store.
func (c *Catalog) Past() catalog.Past { return past{c.pool} }

// Publish implements publish.Store. The edition commits in one transaction with its price
// history, its events and the job that delivers them. Without a change Publish returns the
// current edition.
func (c *Catalog) Publish(
	ctx context.Context, now func() time.Time,
	decide func(ctx context.Context, current *catalog.Contents, edition catalog.Edition, past catalog.Past) (catalog.Changes, error),
) (catalog.Edition, error) {
	var edition catalog.Edition
	written := 0
	err := pgx.BeginTxFunc(ctx, c.pool, readCommitted, func(tx pgx.Tx) error {
		// Reading a large content directory takes a while, during which the transaction is idle.
		if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = 0`); err != nil {
			return fmt.Errorf("preparing the transaction: %w", err)
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, publicationLock); err != nil {
			return fmt.Errorf("waiting for other publications: %w", err)
		}
		published, e, err := current(ctx, tx)
		if err != nil {
			return err
		}
		changes, err := decide(ctx, published, e, past{tx})
		if err != nil {
			return err
		}
		edition = e
		if err := writeSources(ctx, tx, changes.Sources); err != nil {
			return err
		}
		if err := (editionWriter{ctx: ctx, tx: tx}).writeFileChanges(nil, changes.Rewritten); err != nil {
			return err
		}
		if changes.Empty() && e.Number > 0 {
			return nil
		}
		written = len(changes.Tools) + len(changes.Comparisons) + len(changes.Retired)
		at := now().UTC().Truncate(time.Microsecond) // what a timestamptz keeps
		edition, err = write(ctx, tx, catalog.Edition{Number: e.Number + 1, PublishedAt: at}, changes, c.writing)
		return err
	})
	if err != nil {
		return catalog.Edition{}, fmt.Errorf("publishing: %w", err)
	}
	if written > analyzeFrom {
		// With outdated statistics PostgreSQL scans tables where an index would do. Autovacuum
		// analyzes them too, but a minute later.
		c.pool.Exec(ctx, `ANALYZE tools, comparisons, retired, tombstones, price_history, history, events`) //nolint:errcheck,gosec // autovacuum will
	}
	return edition, nil
}

// analyzeFrom is how many changed rows make the statistics of the tables outdated.
const analyzeFrom = 1000

// writeSources stores the digests of files that were rewritten to the same effect, so that
// later publications need not decode them. That makes no edition and no event.
func writeSources(ctx context.Context, tx pgx.Tx, s catalog.Sources) error {
	for table, digests := range map[string]map[string]catalog.Digests{"tools": s.Tools, "comparisons": s.Comparisons, "retired": s.Retired} {
		if len(digests) == 0 {
			continue
		}
		set := `source = n.source, source_en = n.source_en`
		if table == "tools" {
			set += `, markdown_source = n.source` // the Markdown is the same, too
		}
		var slugs, french, english []string
		for slug, d := range digests {
			slugs, french, english = append(slugs, slug), append(french, d.French), append(english, d.English)
		}
		_, err := tx.Exec(ctx, `
			UPDATE `+table+` AS t SET `+set+`
			FROM unnest($1::text[], $2::text[], $3::text[]) AS n (slug, source, source_en) WHERE t.slug = n.slug`,
			slugs, french, english)
		if err != nil {
			return fmt.Errorf("keeping the digests of %s: %w", table, err)
		}
	}
	return nil
}

func write(
	ctx context.Context, tx pgx.Tx, e catalog.Edition, c catalog.Changes, progress func(done, total int),
) (catalog.Edition, error) {
	w := editionWriter{ctx: ctx, tx: tx, edition: e.Number}
	events := c.Events()
	if progress != nil {
		done, total := 0, rowsOf(c)+len(events)
		w.sent = func() { done++; progress(min(done, total), total) }
	}
	var first int64
	err := tx.QueryRow(ctx, `
		INSERT INTO editions (number, published_at, last_seq, commit, author, modified, tools, comparisons, retired, pages)
		VALUES ($1::bigint, $2, $3::bigint + coalesce((SELECT last_seq FROM editions WHERE number = $1::bigint - 1), 0),
		        nullif($4, ''), nullif($5, ''), $6, $7, $8, $9, $10)
		RETURNING id::text, last_seq - $3::bigint + 1`, e.Number, e.PublishedAt, int64(len(events)),
		c.Provenance.Commit, c.Provenance.Author, c.Provenance.Modified,
		countItems(c.Tools), countItems(c.Comparisons), countItems(c.Retired), len(c.Files)).Scan(&e.ID, &first)
	if err != nil {
		return e, fmt.Errorf("writing the edition: %w", err)
	}
	steps := []func() error{
		func() error { return w.writeService(c) },
		func() error { return deleteRows(w, "tool", "tools", c.Tools) },
		func() error { return deleteRows(w, "comparison", "comparisons", c.Comparisons) },
		func() error { return deleteRows(w, "retired", "retired", c.Retired) },
		func() error { return deleteRows(w, "page", "pages", c.Files) },
		func() error { return w.writeTools(c) },
		func() error { return w.followRenames(c.RenamedTools()) },
		func() error { return w.writePrices(c, first, events) },
		func() error { return w.writeComparisons(c.Comparisons) },
		func() error { return w.writeRetired(c.Retired) },
		func() error { return w.moveReports(c.RenamedTools()) },
		func() error { return w.writeFiles(c.Files) },
		func() error { return w.writeIncidents(c) },
		func() error { return w.writeFileChanges(&e.Number, c.FileChanges) },
		func() error { return w.writeEvents(first, events) },
		func() error { return w.writeSince(c) },
		func() error { return w.fanOut(events) },
		w.announce,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return e, err
		}
	}
	return e, nil
}

// rowsOf returns about how many rows an edition writes: prices and categories are not counted.
func rowsOf(c catalog.Changes) int {
	return countWritten(c.Tools) + countWritten(c.Comparisons) + countWritten(c.Retired)
}

// countItems counts the items that change. A renamed item counts once, although its old slug has a change, too.
func countItems[T comparable](changes []catalog.Change[T]) int {
	n := 0
	for _, ch := range changes {
		if !ch.Removed() || ch.RenamedTo == "" {
			n++
		}
	}
	return n
}

func countWritten[T comparable](changes []catalog.Change[T]) int {
	n := 0
	for _, ch := range changes {
		if !ch.Removed() {
			n++
		}
	}
	return n
}

func (w editionWriter) writeService(c catalog.Changes) error {
	s := c.Service
	_, err := w.tx.Exec(w.ctx, `
		INSERT INTO service (name, url, tool_url, review_url, alternatives_url, comparison_url,
		    promise_fr, promise_en, colophon_fr, colophon_en, contact_fr, contact_en, unsigned,
		    pro_availability, pro_no_support, license, proofs)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
		ON CONFLICT (only_row) DO UPDATE SET
		    name = excluded.name, url = excluded.url, tool_url = excluded.tool_url, review_url = excluded.review_url,
		    alternatives_url = excluded.alternatives_url, comparison_url = excluded.comparison_url,
		    promise_fr = excluded.promise_fr, promise_en = excluded.promise_en,
		    colophon_fr = excluded.colophon_fr, colophon_en = excluded.colophon_en,
		    contact_fr = excluded.contact_fr, contact_en = excluded.contact_en, unsigned = excluded.unsigned,
		    pro_availability = excluded.pro_availability, pro_no_support = excluded.pro_no_support, license = excluded.license,
		    proofs = excluded.proofs`,
		s.Name, s.URL, s.Site.Tool, s.Site.Review, s.Site.Alternatives, s.Site.Comparison,
		s.Words.Promise.French, s.Words.Promise.English, s.Words.Colophon.French, s.Words.Colophon.English,
		s.Words.Contact.French, s.Words.Contact.English, s.Words.Unsigned,
		s.Words.Pro.Availability, s.Words.Pro.NoSupport, string(s.License), proofTexts(s.Words.Proofs))
	if err != nil {
		return fmt.Errorf("writing the service: %w", err)
	}
	if !c.CategoriesChanged {
		return nil
	}
	if _, err := w.tx.Exec(w.ctx, `DELETE FROM categories`); err != nil {
		return fmt.Errorf("clearing the categories: %w", err)
	}
	var rows [][]any
	for i, cat := range c.Categories {
		rows = append(rows, []any{
			cat.Slug, cat.Label, cat.English.Text, cat.English.Of, cat.Synonyms.French, cat.Synonyms.English, int32(i),
		})
	}
	return w.copy("categories",
		[]string{"slug", "label", "label_en", "label_en_of", "synonyms_fr", "synonyms_en", "position"}, rows)
}

// proofTexts returns the texts of proofs as the column has them: label and value, each in French and in English.
func proofTexts(proofs [catalog.MaxProofs]catalog.Proof) []string {
	texts := []string{}
	for _, p := range proofs {
		if p != (catalog.Proof{}) {
			texts = append(texts, p.Label.French, p.Label.English, p.Value.French, p.Value.English)
		}
	}
	return texts
}

func (w editionWriter) writeEvents(first int64, events []catalog.Event) error {
	_, err := w.tx.CopyFrom(w.ctx, pgx.Identifier{"events"},
		[]string{"seq", "edition", "type", "slug", "categories", "object", "previous", "correction", "renamed_from", "renamed_to"},
		pgx.CopyFromSlice(len(events), func(i int) ([]any, error) {
			e := events[i]
			if w.sent != nil {
				w.sent()
			}
			var correction *int64
			if e.Correction > 0 {
				correction = &e.Correction
			}
			return []any{
				first + int64(i), w.edition, string(e.Type), e.Slug, texts(e.Categories), e.Object, e.Previous, correction,
				orNull(e.RenamedFrom), orNull(e.RenamedTo),
			}, nil
		}))
	if err != nil {
		return fmt.Errorf("writing the events: %w", err)
	}
	return nil
}

// orNull returns NULL for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// fanOut queues the job that delivers the events to endpoints, webhook.FanOut. A function of the schema does it,
// because a role that may only publish has no right on the jobs.
func (w editionWriter) fanOut(events []catalog.Event) error {
	if len(events) == 0 {
		return nil
	}
	if _, err := w.tx.Exec(w.ctx, `SELECT queue_fan_out($1)`, w.edition); err != nil {
		return fmt.Errorf("queueing the deliveries: %w", explain(err))
	}
	return nil
}

func (w editionWriter) announce() error {
	_, err := w.tx.Exec(w.ctx, `
		INSERT INTO current_edition (number) VALUES ($1)
		ON CONFLICT (only_row) DO UPDATE SET number = excluded.number`, w.edition)
	if err != nil {
		return fmt.Errorf("moving to the edition: %w", err)
	}
	if _, err := w.tx.Exec(w.ctx, `SELECT pg_notify($1, $2::bigint::text)`, editionChannel, w.edition); err != nil {
		return fmt.Errorf("announcing the edition: %w", err)
	}
	return nil
}
