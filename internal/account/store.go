package account

import (
	"context"
	"time"
)

// A Store keeps accounts. Methods that take an Actor apply to what the actor owns and nothing else,
// and check ownership in the same statement or transaction: anything else is not found.
type Store interface {
	Finder
	Changer
}

// A Finder finds accounts that are not deleted, or returns ErrNoAccount.
type Finder interface {
	// Get finds an account by id.
	Get(ctx context.Context, by Actor, id string) (Account, error)
	// Find finds an account by e-mail address.
	Find(ctx context.Context, by Actor, email string) (Account, error)
	// List lists up to limit accounts in order of e-mail address, starting after one.
	List(ctx context.Context, by Actor, after string, limit int) ([]Account, error)
}

// A Changer creates, changes and deletes accounts.
type Changer interface {
	// Create creates an account, or returns ErrEmailTaken.
	Create(ctx context.Context, email string, plan Plan) (Account, error)
	// SetPlan moves an account to another plan, and pauses or resumes its webhooks.
	SetPlan(ctx context.Context, id string, plan Plan, now time.Time) error
	// Delete erases an account's e-mail address, revokes its keys and deletes its endpoints.
	Delete(ctx context.Context, by Actor, id string, now time.Time) error
}

// A KeyStore keeps keys by their hashes. It treats actors as a Store does.
type KeyStore interface {
	// Create stores a key, or returns ErrTooManyKeys if the account has all its plan allows.
	Create(ctx context.Context, by Actor, accountID string, key KeyInfo, hash Hash) (
		created time.Time, err error)
	// List lists the keys of an account, revoked ones last.
	List(ctx context.Context, by Actor, accountID string) ([]KeyInfo, error)
	// Rename gives a key another name, or returns ErrNoKey.
	Rename(ctx context.Context, by Actor, id, name string) error
	// Revoke revokes a key, or returns ErrNoKey. Revoking it again changes nothing.
	Revoke(ctx context.Context, by Actor, id string, now time.Time) error
}
