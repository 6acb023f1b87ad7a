package pgtest

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// An Operator acts on accounts that a test knows by their e-mail addresses.
type Operator struct{ db *postgres.DB }

// ByEmail returns an Operator for a database.
func ByEmail(db *postgres.DB) Operator { return Operator{db} }

func (o Operator) id(ctx context.Context, email string) (string, error) {
	a, err := o.db.Accounts.Find(ctx, account.Operator(), email)
	return a.ID, err
}

// SetPlan moves an account to another plan.
func (o Operator) SetPlan(ctx context.Context, email string, plan account.Plan) error {
	id, err := o.id(ctx, email)
	if err != nil {
		return err
	}
	return o.db.Accounts.SetPlan(ctx, id, plan, time.Now())
}

// DeleteAccount deletes an account.
func (o Operator) DeleteAccount(ctx context.Context, email string, now time.Time) error {
	id, err := o.id(ctx, email)
	if err != nil {
		return err
	}
	return o.db.Accounts.Delete(ctx, account.Operator(), id, nil, now)
}

// CreateKey creates a key for an account.
func (o Operator) CreateKey(ctx context.Context, email, name string) (account.Key, account.KeyInfo, error) {
	id, err := o.id(ctx, email)
	if err != nil {
		return account.Key{}, account.KeyInfo{}, err
	}
	return account.NewService(o.db.Accounts, o.db.Keys, nil).CreateKey(ctx, account.Operator(), id, name)
}

// Keys lists the keys of an account.
func (o Operator) Keys(ctx context.Context, email string) ([]account.KeyInfo, error) {
	id, err := o.id(ctx, email)
	if err != nil {
		return nil, err
	}
	return o.db.Keys.List(ctx, account.Operator(), id, account.KeyFilter{}, time.Now())
}
