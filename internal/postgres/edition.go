package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Catalog holds what is published. It is a publish.Store, and its Feed is a live.Feed.
type Catalog struct {
	pool    *pgxpool.Pool
	writing func(done, total int) // nil or Options.Writing
}

// endOfLog is the number of the last event that was published.
const endOfLog = `(SELECT coalesce(max(last_seq), 0) FROM current_edition JOIN editions USING (number))`

// latestEdition returns the current edition, or the zero Edition before the first.
func latestEdition(ctx context.Context, q querier) (catalog.Edition, error) {
	var e catalog.Edition
	var at time.Time
	err := q.QueryRow(ctx, `
		SELECT e.number, e.id::text, e.published_at
		FROM current_edition c JOIN editions e USING (number)`).Scan(&e.Number, &e.ID, &at)
	if errors.Is(err, pgx.ErrNoRows) {
		return catalog.Edition{}, nil
	}
	if err != nil {
		return catalog.Edition{}, fmt.Errorf("reading the current edition: %w", explain(err))
	}
	e.PublishedAt = at.UTC()
	return e, nil
}

func readService(ctx context.Context, q querier) (catalog.Service, error) {
	var s catalog.Service
	words := &s.Words
	var proofs []string
	err := q.QueryRow(ctx, `
		SELECT name, url, tool_url, review_url, alternatives_url, comparison_url,
		    promise_fr, promise_en, colophon_fr, colophon_en, contact_fr, contact_en, unsigned,
		    pro_availability, pro_no_support, license, proofs
		FROM service`).
		Scan(&s.Name, &s.URL, &s.Site.Tool, &s.Site.Review, &s.Site.Alternatives, &s.Site.Comparison,
			&words.Promise.French, &words.Promise.English, &words.Colophon.French, &words.Colophon.English,
			&words.Contact.French, &words.Contact.English, &words.Unsigned,
			&words.Pro.Availability, &words.Pro.NoSupport, &s.License, &proofs)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return s, fmt.Errorf("reading the service: %w", err)
	}
	for i := range words.Proofs {
		if len(proofs) >= 4 {
			words.Proofs[i].Label = catalog.Localized{French: proofs[0], English: proofs[1]}
			words.Proofs[i].Value = catalog.Localized{French: proofs[2], English: proofs[3]}
			proofs = proofs[4:]
		}
	}
	return s, nil
}

func readCategories(ctx context.Context, q querier) ([]catalog.Category, error) {
	categories, err := collect(ctx, q, func(row pgx.CollectableRow) (c catalog.Category, err error) {
		err = row.Scan(&c.Slug, &c.Label, &c.English.Text, &c.English.Of, &c.Synonyms.French, &c.Synonyms.English)
		return c, err
	}, `SELECT slug, label, label_en, label_en_of, synonyms_fr, synonyms_en FROM categories ORDER BY position`)
	if err != nil {
		return nil, fmt.Errorf("reading the categories: %w", err)
	}
	return categories, nil
}

// Categories implements webhook.Categories.
func (c *Catalog) Categories(
	ctx context.Context,
) (categories []catalog.Category, published bool, err error) {
	e, err := latestEdition(ctx, c.pool)
	if err != nil || e.Number == 0 {
		return nil, false, err
	}
	categories, err = readCategories(ctx, c.pool)
	return categories, true, err
}

// ServiceName returns the name that the current edition gives the service; "" before the first.
func (c *Catalog) ServiceName(ctx context.Context) (name string, err error) {
	err = c.pool.QueryRow(ctx, `SELECT name FROM service`).Scan(&name)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("reading the name of the service: %w", explain(err))
	}
	return name, nil
}

// OperatorFile returns a file of the operator as the current edition has it; nil where it has none.
func (c *Catalog) OperatorFile(ctx context.Context, name string) (*catalog.OperatorFile, error) {
	f := &catalog.OperatorFile{Name: name}
	err := c.pool.QueryRow(ctx, `SELECT hash, text FROM pages WHERE slug = $1`, name).Scan(&f.Hash, &f.Text)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s of the operator: %w", name, explain(err))
	}
	return f, nil
}

// readTombstones lists the slugs of the kind that were removed after the edition.
func readTombstones(ctx context.Context, q querier, kind string, after int64) ([]string, error) {
	slugs, err := collect(ctx, q, pgx.RowTo[string],
		`SELECT slug FROM tombstones WHERE kind = $1 AND edition > $2 ORDER BY slug`, kind, after)
	if err != nil {
		return nil, fmt.Errorf("reading the tombstones: %w", err)
	}
	return slugs, nil
}
