package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// Activity implements account.Records.
func (s *Accounts) Activity(
	ctx context.Context, by account.Actor, id string, limit int,
) ([]account.Activity, error) {
	if _, err := s.Get(ctx, by, id); err != nil {
		return nil, err
	}
	list, err := collect(ctx, s.pool, scanActivity, `
		SELECT `+activityColumns+` FROM activity t
		WHERE t.account_id = $1 AND ($3::uuid IS NULL OR t.account_id = $3) ORDER BY t.id DESC LIMIT $2`, uuidOf(id), limit, ownerOf(by))
	if err != nil {
		return nil, fmt.Errorf("reading the activity: %w", explain(err))
	}
	return list, nil
}

// PruneActivity implements account.Pruner.
func (s *Accounts) PruneActivity(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, s.pool, "activity",
		`DELETE FROM activity WHERE id IN (SELECT id FROM activity WHERE at < $1 LIMIT $2)`, before, limit)
}
