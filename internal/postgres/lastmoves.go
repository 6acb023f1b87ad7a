package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A past reads what earlier publications did. That of Publish reads in its transaction.
type past struct{ q querier }

// LastMoves implements catalog.Past.
//
// An entry from before a rename has the slug of its time. The entry of a rename counts as an update of the tool, not as
// its creation.
//
// A row of the price history counts only if it is later than the creation of the tool: a tool that was
// retired and comes back still has its history, but perhaps another price. A row that has no number of an
// event, and whose event is no longer in the log, gets the number of the last event of its edition.
func (p past) LastMoves(ctx context.Context, tools []catalog.Bearer) (map[string]catalog.LastMoves, error) {
	slugs, now, had := slugsOf(tools)
	const its = `IN (SELECT n.had FROM unnest($2::text[], $3::text[]) AS n (now, had) WHERE n.now = s.slug)`
	rows, err := p.q.Query(ctx, `
		SELECT s.slug, created.seq, told.seq,
		       coalesce((SELECT max(v.seq) FROM events v WHERE v.seq BETWEEN told.seq - 3 AND told.seq - 1
		                 AND v.slug `+its+` AND v.type IN ('tool.updated', 'tool.renamed')), told.seq - 1),
		       h.changed_at::text, h.old_pricing, h.old_price, h.new_pricing, h.new_price, score.seq, score.edition
		FROM unnest($1::text[]) AS s (slug)
		LEFT JOIN LATERAL (
		    SELECT v.seq, v.edition FROM events v WHERE v.slug `+its+` AND v.type = 'tool.created' AND v.renamed_from IS NULL
		    ORDER BY v.seq DESC LIMIT 1) created ON true
		LEFT JOIN LATERAL (
		    SELECT h.seq, h.edition, h.changed_at, h.old_pricing, h.old_price, h.new_pricing, h.new_price
		    FROM price_history h WHERE h.slug `+its+` ORDER BY h.edition DESC LIMIT 1
		) h ON h.edition > coalesce(created.edition, 0)
		LEFT JOIN LATERAL (
		    SELECT coalesce(h.seq, (SELECT v.seq FROM events v WHERE v.slug `+its+` AND v.type = 'price.changed' AND v.edition = h.edition),
		                    (SELECT n.last_seq FROM editions n WHERE n.number = h.edition)) AS seq) told ON true
		LEFT JOIN LATERAL (
		    SELECT v.seq, v.edition FROM events v
		    WHERE v.slug `+its+` AND (v.type = 'tool.created' AND v.renamed_from IS NULL
		       OR v.type IN ('tool.updated', 'tool.renamed') AND v.object ->> 'score' IS DISTINCT FROM v.previous ->> 'score')
		    ORDER BY v.seq DESC LIMIT 1) score ON true`, slugs, now, had)
	if err != nil {
		return nil, fmt.Errorf("finding what to correct: %w", explain(err))
	}
	moves := make(map[string]catalog.LastMoves, len(slugs))
	scored := make(map[int64]*catalog.ScoreMove) // by edition
	var slug string
	var created, seq, update, score, edition *int64
	var day, oldPricing, oldPrice, newPricing, newPrice *string
	into := []any{&slug, &created, &seq, &update, &day, &oldPricing, &oldPrice, &newPricing, &newPrice, &score, &edition}
	_, err = pgx.ForEachRow(rows, into, func() error {
		var last catalog.LastMoves
		switch {
		case day != nil:
			last.Price = &catalog.PriceMove{Seq: *seq, Update: *update, Row: &catalog.PriceChange{
				ChangedAt:  catalog.Date(*day),
				OldPricing: catalog.Pricing(*oldPricing), OldPrice: *oldPrice,
				NewPricing: catalog.Pricing(*newPricing), NewPrice: *newPrice,
			}}
		case created != nil:
			last.Price = &catalog.PriceMove{Seq: *created, Update: *created}
		}
		if score != nil {
			if scored[*edition] == nil {
				scored[*edition] = &catalog.ScoreMove{Comparisons: make(map[string]int64)}
			}
			last.Score = &catalog.ScoreMove{Seq: *score, Comparisons: scored[*edition].Comparisons}
		}
		moves[slug] = last
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("finding what to correct: %w", explain(err))
	}
	return moves, p.readComparisons(ctx, scored)
}

// slugsOf returns the slugs of tools, and two parallel lists: had holds every slug that a tool has or had, and now the
// present slug of the same tool.
func slugsOf(tools []catalog.Bearer) (slugs, now, had []string) {
	for _, t := range tools {
		slugs = append(slugs, t.Slug)
		for _, slug := range append([]string{t.Slug}, t.Formerly...) {
			now, had = append(now, t.Slug), append(had, slug)
		}
	}
	return slugs, now, had
}

// readComparisons adds to the move of each edition the comparisons that this edition changed.
func (p past) readComparisons(ctx context.Context, moves map[int64]*catalog.ScoreMove) error {
	editions := make([]int64, 0, len(moves))
	for edition := range moves {
		editions = append(editions, edition)
	}
	rows, err := p.q.Query(ctx, `
		SELECT edition, slug, seq FROM events WHERE edition = ANY($1) AND type IN ('comparatif.updated', 'comparatif.renamed')`, editions)
	if err != nil {
		return fmt.Errorf("finding the comparisons to correct: %w", explain(err))
	}
	var edition, seq int64
	var slug string
	_, err = pgx.ForEachRow(rows, []any{&edition, &slug, &seq}, func() error {
		moves[edition].Comparisons[slug] = seq
		return nil
	})
	if err != nil {
		return fmt.Errorf("finding the comparisons to correct: %w", explain(err))
	}
	return nil
}
