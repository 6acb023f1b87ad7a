package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Billing holds customers of the payment provider, its events and the mails about them.
type Billing struct{ pool *pgxpool.Pool }

var errNotYet = errors.New("not yet")

func (b *Billing) Find(ctx context.Context, by account.Actor, accountID string) (billing.Record, error) {
	return billing.Record{}, errNotYet
}
func (b *Billing) Add(ctx context.Context, by account.Actor, accountID string) error { return errNotYet }
func (b *Billing) Hold(ctx context.Context, by account.Actor, accountID string, wait time.Duration, decide billing.Decide) error {
	return errNotYet
}
func (b *Billing) List(ctx context.Context, after string, limit int) ([]billing.Record, error) {
	return nil, errNotYet
}
func (b *Billing) Sweep(ctx context.Context, now, again time.Time, limit int) (int, error) {
	return 0, errNotYet
}
func (b *Billing) Receive(ctx context.Context, e billing.Event, now time.Time) (bool, error) {
	return false, errNotYet
}
func (b *Billing) Oldest(ctx context.Context) (time.Time, error) { return time.Time{}, errNotYet }
func (b *Billing) PruneEvents(ctx context.Context, before time.Time, limit int) (int, error) {
	return 0, errNotYet
}
func (b *Billing) Notice(ctx context.Context, id int64) (billing.StoredNotice, error) {
	return billing.StoredNotice{}, errNotYet
}
func (b *Billing) Sent(ctx context.Context, id int64, now time.Time) error { return errNotYet }
