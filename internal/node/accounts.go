package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// accounts gives the services of accounts on the connections of a pool, which are made for the first that
// asks. Those of jobs tell owners of their usage, where that is counted.
func (b *builder) accounts(ctx context.Context, p pool) (*services.Accounts, error) {
	if made := b.accountsOn[p]; made != nil {
		return made, nil
	}
	db, err := b.database(ctx, p)
	if err != nil {
		return nil, err
	}
	blocked, err := b.cfg.Blocked()
	if err != nil {
		return nil, err
	}
	var counters account.UsageCounters
	if p == b.workerPool() && b.tellsUsage() {
		if counters, err = b.redis(); err != nil {
			return nil, err
		}
	}
	if b.accountsOn == nil {
		b.accountsOn = make(map[pool]*services.Accounts)
	}
	b.accountsOn[p] = services.NewAccounts(db, b.secrets, services.SignUp{Open: b.cfg.Open(), Blocked: blocked}, counters)
	return b.accountsOn[p], nil
}

// tellsUsage reports whether owners are told by mail that they are near their limit.
func (b *builder) tellsUsage() bool {
	return b.cfg.SMTPURL != "" && b.cfg.RedisURL != "" && b.cfg.Base() != ""
}

// mayDerive says whether this node has the secret of the database: links that it makes with another work
// nowhere.
func (b *builder) mayDerive(store webhook.CanaryStore) func(context.Context) error {
	return func(ctx context.Context) error {
		err := webhook.CheckSecret(ctx, store, b.secrets.Webhooks, time.Now())
		if errors.Is(err, webhook.ErrWrongSecret) {
			return fmt.Errorf("%w: %w", account.ErrOtherSecret, err)
		}
		return err
	}
}
