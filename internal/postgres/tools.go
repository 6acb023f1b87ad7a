package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// section is a section of a review as JSON in its column.
type section struct {
	ID      string `json:"id"`
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// readTools reads the tools that changed after the edition. Of reviews it reads the hashes, the
// plain text for the embeddings set alone, and the Markdown if it is wanted.
func readTools(ctx context.Context, q querier, after int64, markdown bool) ([]*catalog.Tool, error) {
	tools, err := collect(ctx, q, scanTool, `
		SELECT slug, name, domain, category, icp, pricing, price,
		       (score * 100)::int2, (verifiability * 100)::int2, (obsolescence * 100)::int2,
		       tagline, tier, mainstream, review_hash, CASE WHEN embedded THEN review END,
		       CASE WHEN markdown_source = source THEN markdown_hash ELSE '' END,
		       CASE WHEN markdown_source = source AND $2 THEN markdown END,
		       embedded, source, updated_at::text
		FROM tools WHERE edition > $1 ORDER BY slug`, after, markdown)
	if err != nil {
		return nil, fmt.Errorf("reading the tools: %w", err)
	}
	return tools, nil
}

func scanTool(row pgx.CollectableRow) (*catalog.Tool, error) {
	var t catalog.Tool
	var score, verifiability, obsolescence *int16
	var review []byte
	err := row.Scan(&t.Slug, &t.Name, &t.Domain, &t.Category, &t.ICP, &t.Pricing, &t.Price,
		&score, &verifiability, &obsolescence,
		&t.Tagline, &t.Tier, &t.Mainstream, &t.Review.Hash, &review,
		&t.Review.Markdown.Hash, &t.Review.Markdown.Compressed,
		&t.Embedded, &t.Source, &t.UpdatedAt)
	if err != nil {
		return nil, err
	}
	t.Score, t.Verifiability, t.Obsolescence = measure(score), measure(verifiability), measure(obsolescence)
	if review != nil {
		var sections []section
		if err := json.Unmarshal(review, &sections); err != nil {
			return nil, fmt.Errorf("the review of %s: %w", t.Slug, err)
		}
		for _, s := range sections {
			t.Review.Sections = append(t.Review.Sections, catalog.Section(s))
		}
	}
	return &t, nil
}

func measure(hundredths *int16) catalog.Measure {
	if hundredths == nil {
		return catalog.Measure{}
	}
	return catalog.Hundredths(int(*hundredths))
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

// toolColumns are the columns that writeTools writes, in its order.
const toolColumns = "slug, name, domain, category, icp, pricing, price, score, verifiability, obsolescence, " +
	"tagline, tier, mainstream, review_hash, review, embedded, source, updated_at, edition, " +
	"markdown, markdown_hash, markdown_source"

// writeTools copies the rows into a temporary table and merges them from there: the row of
// a tool whose review did not change carries no text, and must not erase the stored one.
func (w writer) writeTools(c catalog.Changes) error {
	compressed, err := w.compressReviews(c)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, ch := range c.Tools {
		if ch.Removed() {
			continue
		}
		t := ch.New
		var review []byte
		if t.Review.Sections != nil {
			sections := make([]section, len(t.Review.Sections))
			for i, s := range t.Review.Sections {
				sections[i] = section(s)
			}
			var err error
			if review, err = json.Marshal(sections); err != nil {
				return fmt.Errorf("encoding the review of %s: %w", t.Slug, err)
			}
		}
		rows = append(rows, []any{
			t.Slug, t.Name, t.Domain, t.Category, string(t.ICP), string(t.Pricing), t.Price,
			numeric(t.Score), numeric(t.Verifiability), numeric(t.Obsolescence), t.Tagline, int32(t.Tier), t.Mainstream, //nolint:gosec // content allows few tiers
			t.Review.Hash, review, t.Embedded, t.Source, date(t.UpdatedAt), w.edition,
			compressed[t.Slug], t.Review.Markdown.Hash, t.Source,
		})
	}
	if len(rows) == 0 {
		return nil
	}
	// LIKE tools would copy NOT NULL without the defaults, and the table would refuse rows
	// that lack a column added by a later migration.
	if _, err := w.tx.Exec(w.ctx, `
		CREATE TEMP TABLE staged_tools ON COMMIT DROP AS SELECT `+toolColumns+` FROM tools WITH NO DATA`); err != nil {
		return fmt.Errorf("staging the tools: %w", err)
	}
	if err := w.copy("staged_tools", strings.Split(toolColumns, ", "), rows); err != nil {
		return err
	}
	_, err = w.tx.Exec(w.ctx, `
		INSERT INTO tools AS t (`+toolColumns+`) SELECT `+toolColumns+` FROM staged_tools
		ON CONFLICT (slug) DO UPDATE SET
		    name = excluded.name, domain = excluded.domain, category = excluded.category, icp = excluded.icp,
		    pricing = excluded.pricing, price = excluded.price, score = excluded.score,
		    verifiability = excluded.verifiability, obsolescence = excluded.obsolescence, tagline = excluded.tagline,
		    tier = excluded.tier, mainstream = excluded.mainstream, review_hash = excluded.review_hash,
		    review = CASE WHEN excluded.review_hash = t.review_hash THEN t.review ELSE excluded.review END,
		    embedded = excluded.embedded, source = excluded.source, updated_at = excluded.updated_at,
		    edition = excluded.edition,
		    markdown = CASE WHEN excluded.markdown_hash = t.markdown_hash AND t.markdown_source = t.source
		                    THEN t.markdown ELSE excluded.markdown END,
		    markdown_hash = excluded.markdown_hash, markdown_source = excluded.markdown_source`)
	if err != nil {
		return fmt.Errorf("writing the tools: %w", err)
	}
	return nil
}

func numeric(m catalog.Measure) pgtype.Numeric {
	if !m.Known {
		return pgtype.Numeric{}
	}
	return pgtype.Numeric{Int: big.NewInt(int64(m.Hundredths)), Exp: -2, Valid: true}
}

func date(d catalog.Date) pgtype.Date { return pgtype.Date{Time: d.Time(), Valid: true} }
