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
		if ch.Added() || ch.Removed() || (ch.Old.Pricing == ch.New.Pricing && ch.Old.Price == ch.New.Price) {
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

// correctPrice gives the last row of a tool the corrected price, or deletes it. The row keeps its
// edition, by which rows are in order, and its day.
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
