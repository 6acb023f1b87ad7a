package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// writeSince writes since when the tools that changed have their prices, as their editors state it. It comes after the
// events, from which the schema makes the rows. Few tools have such a day.
func (w editionWriter) writeSince(c catalog.Changes) error {
	var slugs []string
	var days []*day
	for _, ch := range c.Tools {
		if ch.Removed() {
			continue
		}
		if before := ch.Before(); ch.New.Since != "" || before != nil && before.Since != "" {
			slugs, days = append(slugs, ch.Slug), append(days, (*day)(&ch.New.Since))
		}
	}
	if len(slugs) == 0 {
		return nil
	}
	_, err := w.tx.Exec(w.ctx, `
		UPDATE history h SET since = n.since FROM unnest($1::text[], $2::date[]) AS n (slug, since)
		WHERE h.slug = n.slug AND h.field = 'price' AND h.since IS DISTINCT FROM n.since
		  AND h.seq = (SELECT max(x.seq) FROM history x WHERE x.slug = n.slug AND x.field = 'price')`, slugs, days)
	if err != nil {
		return fmt.Errorf("writing since when prices are true: %w", explain(err))
	}
	return nil
}

// Histories implements catalog.Past.
func (p past) Histories(ctx context.Context, tools []catalog.Bearer) (map[string]catalog.History, error) {
	slugs, now, had := slugsOf(tools)
	list, err := selectHistories(ctx, p.q, `h.slug = ANY($1)`, had)
	if err != nil {
		return nil, err
	}
	found := make(map[string]catalog.History, len(slugs))
	for _, h := range list {
		found[now[slices.Index(had, h.Slug)]] = h.History
	}
	return found, nil
}

// readHistories reads the histories of the tools, living and retired, that changed after the edition. The schema writes
// them, from the log: see record_history in its migration.
func readHistories(ctx context.Context, q querier, after int64) ([]catalog.ToolHistory, error) {
	return selectHistories(ctx, q,
		`h.slug IN (SELECT slug FROM tools WHERE edition > $1 UNION ALL SELECT slug FROM retired WHERE edition > $1)`, after)
}

// selectHistories reads histories, sorted by slug.
func selectHistories(ctx context.Context, q querier, where string, args ...any) ([]catalog.ToolHistory, error) {
	var list []catalog.ToolHistory
	var rows []catalog.HistoryRow // of the last of list
	var slug, before string
	var r catalog.HistoryRow
	pack := func() {
		if len(rows) > 0 {
			list = append(list, catalog.ToolHistory{Slug: before, History: catalog.NewHistory(rows)})
		}
		rows = rows[:0]
	}
	result, err := q.Query(ctx, `
		SELECT slug, field, coalesce(day::text, ''), coalesce(until::text, ''), coalesce(since::text, ''),
		       coalesce(pricing, ''), coalesce(price, ''), (score * 100)::int2, corrected
		FROM history h WHERE `+where+` ORDER BY slug, seq, field`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the histories: %w", explain(err))
	}
	into := []any{&slug, &r.Field, &r.Day, &r.Until, &r.Since, &r.Pricing, &r.Price, (*measure)(&r.Score), &r.Corrected}
	_, err = pgx.ForEachRow(result, into, func() error {
		if slug != before {
			pack()
			before = slug
		}
		rows = append(rows, r)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the histories: %w", explain(err))
	}
	pack()
	return list, nil
}
