package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// Lag tells how far the slowest active endpoint is behind the log, of those that are not
// saturated, and how many are. It reads the beginning of an index, the entry of the log
// after that cursor, and the endpoints that are saturated.
func (db *DB) Lag(ctx context.Context) (webhook.Lag, error) {
	var lag webhook.Lag
	var since *time.Time
	err := db.pool.QueryRow(ctx, `
		WITH slowest AS (
			SELECT cursor FROM endpoints
			WHERE state = 'active' AND NOT saturated AND cursor < `+endOfLog+` ORDER BY cursor LIMIT 1)
		SELECT coalesce((SELECT `+endOfLog+` - cursor FROM slowest), 0),
		       (SELECT n.published_at FROM events v JOIN editions n ON n.number = v.edition -- a join with slowest would read the whole log
		        WHERE v.seq > (SELECT cursor FROM slowest) ORDER BY v.seq LIMIT 1),
		       (SELECT count(*) FROM endpoints WHERE state = 'active' AND saturated)`).Scan(&lag.Events, &since, &lag.Saturated)
	if err != nil {
		return webhook.Lag{}, fmt.Errorf("looking how far endpoints are: %w", explain(err))
	}
	lag.Since = known(since)
	return lag, nil
}
