package postgres

import (
	"fmt"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// writePrices adds the changes of prices to the history, or corrects its last rows. first is the
// number of the first event.
func (w editionWriter) writePrices(c catalog.Changes, first int64, events []catalog.Event) error {
	seqs := make(map[string]int64)
	for i, e := range events {
		if e.Type == catalog.PriceChanged {
			seqs[e.Slug] = first + int64(i)
		}
	}
	var rows [][]any
	for _, ch := range c.Tools {
		before := ch.Before()
		if before == nil || ch.Removed() || (before.Pricing == ch.New.Pricing && before.Price == ch.New.Price) {
			continue
		}
		if correction := c.Corrections[ch.Slug]; correction.Price != nil {
			if err := w.correctPrice(ch.Slug, correction, seqs[ch.Slug]); err != nil {
				return err
			}
			continue
		}
		h := ch.New.History[0]
		rows = append(rows, []any{
			ch.Slug, w.edition, (*day)(&h.ChangedAt), string(h.OldPricing), h.OldPrice, string(h.NewPricing), h.NewPrice, seqs[ch.Slug],
		})
	}
	return w.copy("price_history", []string{
		"slug", "edition", "changed_at", "old_pricing", "old_price", "new_pricing", "new_price", "seq",
	}, rows)
}

// followRenames moves the price history of renamed tools to their new slugs. It first deletes the history of a former
// tool that had the new slug, because it is not that of the renamed one.
func (w editionWriter) followRenames(to map[string]string) error {
	if len(to) == 0 {
		return nil
	}
	olds, news := make([]string, 0, len(to)), make([]string, 0, len(to))
	for old, slug := range to {
		olds, news = append(olds, old), append(news, slug)
	}
	if _, err := w.tx.Exec(w.ctx, `DELETE FROM price_history WHERE slug = ANY($1)`, news); err != nil {
		return fmt.Errorf("making room for the price history of renamed tools: %w", err)
	}
	_, err := w.tx.Exec(w.ctx, `
		UPDATE price_history AS h SET slug = n.slug FROM unnest($1::text[], $2::text[]) AS n (old, slug) WHERE h.slug = n.old`, olds, news)
	if err != nil {
		return fmt.Errorf("moving the price history of renamed tools: %w", err)
	}
	return nil
}

// moveReports moves the reports of renamed tools to their new slugs. A function of the schema does it, because a role
// that may only publish has no right on the reports.
func (w editionWriter) moveReports(to map[string]string) error {
	if len(to) == 0 {
		return nil
	}
	if _, err := w.tx.Exec(w.ctx, `SELECT move_reports()`); err != nil {
		return fmt.Errorf("moving the reports of renamed tools: %w", explain(err))
	}
	return nil
}

// correctPrice writes the corrected price to the last row of a tool, or deletes the row. The row keeps
// its day, and its edition, by which rows are ordered.
func (w editionWriter) correctPrice(slug string, c catalog.Correction, seq int64) error {
	const last = `WHERE slug = $1 AND edition = (SELECT max(edition) FROM price_history WHERE slug = $1)`
	var err error
	switch {
	case c.Price.Row == nil: // the tool came with the price, and has no row for it
	case c.Row == nil:
		_, err = w.tx.Exec(w.ctx, `DELETE FROM price_history `+last, slug)
	default:
		_, err = w.tx.Exec(w.ctx, `UPDATE price_history SET new_pricing = $2, new_price = $3, seq = $4 `+last,
			slug, string(c.Row.NewPricing), c.Row.NewPrice, seq)
	}
	if err != nil {
		return fmt.Errorf("correcting the price history of %s: %w", slug, err)
	}
	return nil
}
