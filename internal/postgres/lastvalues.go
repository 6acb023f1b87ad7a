package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// LastValues implements catalog.Past.
//
// The log has the changes of every field; the price history has those of pricing and price, for longer. One query reads
// all tools: a publication may change each of them, and the log has no index by slug.
func (p past) LastValues(ctx context.Context, tools []catalog.Bearer) (map[string]map[string]string, error) {
	_, now, had := slugsOf(tools)
	rows, err := p.q.Query(ctx, `
		WITH names AS MATERIALIZED (SELECT now, had FROM unnest($1::text[], $2::text[]) AS n (now, had))
		SELECT DISTINCT ON (now, field) now, field, value FROM (
		    SELECT n.now, f.key AS field, coalesce(f.value, '') AS value, v.edition
		    FROM names n JOIN events v ON v.slug = n.had CROSS JOIN LATERAL json_each_text(v.previous) AS f
		    WHERE v.type IN ('tool.updated', 'tool.renamed') AND v.correction IS NULL AND v.object ->> f.key IS DISTINCT FROM f.value
		    UNION ALL
		    SELECT n.now, f.key, f.value, h.edition
		    FROM names n JOIN price_history h ON h.slug = n.had
		    CROSS JOIN LATERAL (VALUES ('pricing', h.old_pricing, h.new_pricing), ('price', h.old_price, h.new_price)) AS f (key, value, became)
		    WHERE f.value <> f.became) AS changes
		ORDER BY now, field, edition DESC`, now, had)
	if err != nil {
		return nil, fmt.Errorf("finding what tools were before: %w", explain(err))
	}
	values := make(map[string]map[string]string)
	var slug, field, value string
	_, err = pgx.ForEachRow(rows, []any{&slug, &field, &value}, func() error {
		if values[slug] == nil {
			values[slug] = make(map[string]string)
		}
		values[slug][field] = value
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("finding what tools were before: %w", explain(err))
	}
	return values, nil
}
