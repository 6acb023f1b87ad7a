package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// toolColumns are the columns of tools. Of reviews they read the hashes, the plain text only for the
// embeddings set, and the Markdown only if $2 is true: readTools has that parameter.
//
// A written row lacks the text of a review that did not change, and merging it must keep the stored text.
var toolColumns = slices.Concat(columns[catalog.Tool]{
	{name: "slug", value: func(t *catalog.Tool) any { return &t.Slug }},
	{name: "name", value: func(t *catalog.Tool) any { return &t.Name }},
	{name: "domain", value: func(t *catalog.Tool) any { return &t.Domain }},
	{name: "packages", value: func(t *catalog.Tool) any { return &t.Packages }},
	{name: "formerly", value: func(t *catalog.Tool) any { return &t.Formerly }},
	{name: "category", value: func(t *catalog.Tool) any { return &t.Category }},
	{name: "icp", value: func(t *catalog.Tool) any { return (*string)(&t.ICP) }},
	{name: "pricing", value: func(t *catalog.Tool) any { return (*string)(&t.Pricing) }},
	{name: "price", value: func(t *catalog.Tool) any { return &t.Price }},
	{
		name: "score", value: func(t *catalog.Tool) any { return (*measure)(&t.Score) },
		read: "(score * 100)::int2",
	},
	{
		name: "verifiability", value: func(t *catalog.Tool) any { return (*measure)(&t.Verifiability) },
		read: "(verifiability * 100)::int2",
	},
	{
		name: "obsolescence", value: func(t *catalog.Tool) any { return (*measure)(&t.Obsolescence) },
		read: "(obsolescence * 100)::int2",
	},
	{name: "tagline", value: func(t *catalog.Tool) any { return &t.Tagline }},
	{name: "tier", value: func(t *catalog.Tool) any { return &t.Tier }},
	{name: "mainstream", value: func(t *catalog.Tool) any { return &t.Mainstream }},
	{name: "tested_by", value: func(t *catalog.Tool) any { return &t.Tested.By }},
	{
		name: "tested_on", value: func(t *catalog.Tool) any { return (*day)(&t.Tested.On) },
		read: "tested_on::text",
	},
	{name: "keywords_fr", value: func(t *catalog.Tool) any { return &t.Keywords.French }},
	{name: "keywords_en", value: func(t *catalog.Tool) any { return &t.Keywords.English }},
	{name: "opening", value: func(t *catalog.Tool) any { return &t.Review.Opening }},
	{name: "review_hash", value: func(t *catalog.Tool) any { return &t.Review.Hash }},
	{
		name: "review", value: func(t *catalog.Tool) any { return (*sections)(&t.Review.Sections) },
		read:  "CASE WHEN embedded THEN review END",
		merge: "CASE WHEN excluded.review_hash = t.review_hash THEN t.review ELSE excluded.review END",
	},
	{
		name: "markdown_hash", value: func(t *catalog.Tool) any { return &t.Review.Markdown.Hash },
		read: "CASE WHEN markdown_source = source THEN markdown_hash ELSE '' END",
	},
	{
		name: "markdown", value: func(t *catalog.Tool) any { return &t.Review.Markdown.Compressed },
		read: "CASE WHEN markdown_source = source AND $2 THEN markdown END",
		merge: "CASE WHEN excluded.markdown_hash = t.markdown_hash AND t.markdown_source = t.source " +
			"THEN t.markdown ELSE excluded.markdown END",
	},
	{name: "tagline_en", value: func(t *catalog.Tool) any { return &t.English.Tagline.Text }},
	{name: "tagline_en_of", value: func(t *catalog.Tool) any { return &t.English.Tagline.Of }},
	{name: "review_en_hash", value: func(t *catalog.Tool) any { return &t.English.Review.Markdown.Hash }},
	{name: "opening_en", value: func(t *catalog.Tool) any { return &t.English.Review.Opening }},
	{name: "review_en_of", value: func(t *catalog.Tool) any { return &t.English.Review.Of }},
	{
		name: "review_en", value: func(t *catalog.Tool) any { return &t.English.Review.Markdown.Compressed },
		read:  "CASE WHEN $2 THEN review_en END",
		merge: "CASE WHEN excluded.review_en_hash = t.review_en_hash THEN t.review_en ELSE excluded.review_en END",
	},
	{name: "embedded", value: func(t *catalog.Tool) any { return &t.Embedded }},
	{name: "source", value: func(t *catalog.Tool) any { return &t.Source }},
	{name: "source_en", value: func(t *catalog.Tool) any { return &t.English.Source }},
	{
		name: "updated_at", value: func(t *catalog.Tool) any { return (*day)(&t.UpdatedAt) },
		read: "updated_at::text",
	},
	{name: "ends_at", value: func(t *catalog.Tool) any { return (*day)(&t.Ending.At) }, read: "ends_at::text"},
	{name: "ends_source", value: func(t *catalog.Tool) any { return &t.Ending.Source }},
	{name: "successor", value: func(t *catalog.Tool) any { return &t.Ending.Successor }},
	{name: "price_since", value: func(t *catalog.Tool) any { return (*day)(&t.Since) }, read: "price_since::text"},
	{name: "next_pricing", value: func(t *catalog.Tool) any { return (*string)(&t.Next.Pricing) }},
	{name: "next_price", value: func(t *catalog.Tool) any { return &t.Next.Price }},
	{name: "next_from", value: func(t *catalog.Tool) any { return (*day)(&t.Next.From) }, read: "next_from::text"},
	{name: "next_source", value: func(t *catalog.Tool) any { return &t.Next.Source }},
},
	factColumns(catalog.PriceFact, func(t *catalog.Tool) *catalog.Fact { return &t.Facts.Price }),
	factColumns(catalog.ScoreFact, func(t *catalog.Tool) *catalog.Fact { return &t.Facts.Score }),
	factColumns(catalog.DomainFact, func(t *catalog.Tool) *catalog.Fact { return &t.Facts.Domain }),
)

// readTools reads the tools that changed after the edition, with the Markdown of their reviews if
// markdown is set.
func readTools(ctx context.Context, q querier, after int64, markdown bool) ([]*catalog.Tool, error) {
	tools, err := readItems(ctx, q, "tools", toolColumns, after, markdown)
	if err != nil {
		return nil, fmt.Errorf("reading the tools: %w", err)
	}
	return tools, nil
}

// readPrices adds their price history to the tools that readTools read after the same
// edition.
func readPrices(ctx context.Context, q querier, after int64, tools []*catalog.Tool) error {
	type entry struct {
		slug string
		catalog.PriceChange
	}
	entries, err := collect(ctx, q, func(row pgx.CollectableRow) (e entry, err error) {
		err = row.Scan(&e.slug, &e.ChangedAt, &e.OldPricing, &e.OldPrice, &e.NewPricing, &e.NewPrice)
		return e, err
	}, `
		SELECT h.slug, h.changed_at::text, h.old_pricing, h.old_price, h.new_pricing, h.new_price
		FROM price_history h JOIN tools t USING (slug)
		WHERE t.edition > $1 ORDER BY h.slug, h.edition DESC`, after)
	if err != nil {
		return fmt.Errorf("reading the price history: %w", err)
	}
	bySlug := make(map[string]*catalog.Tool, len(tools))
	for _, t := range tools {
		bySlug[t.Slug] = t
	}
	for _, e := range entries {
		t := bySlug[e.slug]
		t.History = append(t.History, e.PriceChange)
	}
	return nil
}

// writeTools copies the rows into a temporary table and merges them from there, as toolColumns say.
func (w editionWriter) writeTools(c catalog.Changes) error {
	compressed, err := w.compressReviews(c)
	if err != nil {
		return err
	}
	var tools []*catalog.Tool
	for _, changed := range written(c.Tools) {
		t := *changed
		t.Review.Markdown.Compressed = compressed[reviewKey{t.Slug, false}]
		t.English.Review.Markdown.Compressed = compressed[reviewKey{t.Slug, true}]
		tools = append(tools, &t)
	}
	if len(tools) == 0 {
		return nil
	}
	// LIKE tools would copy NOT NULL without the defaults, and the table would refuse rows
	// that lack a column added by a later migration.
	list := toolColumns.list() + ", edition"
	if _, err := w.tx.Exec(w.ctx, `
		CREATE TEMP TABLE staged_tools ON COMMIT DROP AS SELECT `+list+` FROM tools WITH NO DATA`); err != nil {
		return fmt.Errorf("staging the tools: %w", err)
	}
	if err := writeItems(w, "staged_tools", toolColumns, tools); err != nil {
		return err
	}
	_, err = w.tx.Exec(w.ctx, `
		INSERT INTO tools AS t (`+list+`, markdown_source) SELECT `+list+`, source FROM staged_tools
		ON CONFLICT (slug) DO UPDATE SET `+toolColumns.merged()+`,
		    edition = excluded.edition, markdown_source = excluded.markdown_source`)
	if err != nil {
		return fmt.Errorf("writing the tools: %w", err)
	}
	return nil
}
