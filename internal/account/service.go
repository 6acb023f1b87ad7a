package account

import (
	"context"
	"time"
)

// A Store keeps accounts and their keys. Whatever takes an actor touches only what
// belongs to it, in the same statement or transaction: what is another's is not there.
type Store interface {
	Finder
	Changer
	KeyStore
}

// A Finder finds accounts that are not deleted.
type Finder interface {
	// Account finds an account by its id.
	Account(ctx context.Context, by Actor, id string) (Account, error)
	// FindAccount finds an account by its e-mail address.
	FindAccount(ctx context.Context, by Actor, email string) (Account, error)
	// Accounts lists accounts by e-mail address, from after the given one.
	Accounts(ctx context.Context, by Actor, after string, limit int) ([]Account, error)
}

// A Changer makes and changes accounts.
type Changer interface {
	CreateAccount(ctx context.Context, email string, plan Plan) (Account, error)
	// SetPlan moves an account to another plan, and pauses or resumes its webhooks.
	SetPlan(ctx context.Context, id string, plan Plan, now time.Time) error
	// DeleteAccount erases an account, revokes its keys and deletes its endpoints.
	DeleteAccount(ctx context.Context, by Actor, id string, now time.Time) error
}

// A KeyStore keeps keys, by their hashes.
type KeyStore interface {
	// CreateKey stores a key, unless the account has all that its plan allows.
	CreateKey(ctx context.Context, by Actor, accountID string, key KeyInfo, hash Hash) (created time.Time, err error)
	// Keys lists the keys of an account, the revoked ones last.
	Keys(ctx context.Context, by Actor, accountID string) ([]KeyInfo, error)
	RevokeKey(ctx context.Context, by Actor, id string, now time.Time) error
}

// A Service is what can be done with accounts and keys, and by whom. What belongs to
// another account does not exist for whoever asks: it is ErrNoAccount or ErrNoKey, as if
// nobody had it.
type Service struct {
	store Store
	now   func() time.Time
}

// NewService makes a service; now is time.Now when nil.
func NewService(s Store, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{store: s, now: now}
}

// Create makes an account of an e-mail address, as ParseEmail gives it. Only the operator
// may; others get ErrOperatorOnly.
func (s *Service) Create(ctx context.Context, by Actor, email string, plan Plan) (Account, error) {
	if !by.IsOperator() {
		return Account{}, ErrOperatorOnly
	}
	return s.store.CreateAccount(ctx, email, plan)
}

// Find finds the account of an e-mail address, as ParseEmail gives it. Only its owner and
// the operator may; ErrNoAccount for others.
func (s *Service) Find(ctx context.Context, by Actor, email string) (Account, error) {
	return s.store.FindAccount(ctx, by, email)
}

// List lists accounts by e-mail address, from after the given one. The operator sees all,
// an account itself alone.
func (s *Service) List(ctx context.Context, by Actor, after string, limit int) ([]Account, error) {
	return s.store.Accounts(ctx, by, after, limit)
}

// Show gives the account with that id. Only its owner and the operator may;
// ErrNoAccount for others.
func (s *Service) Show(ctx context.Context, by Actor, id string) (Account, error) {
	return s.store.Account(ctx, by, id)
}

// SetPlan moves an account to another plan. Its keys go on working; an account that has
// more than the new plan allows gets no further one. Its webhooks are paused, or resumed,
// as the plan has them or not. Only the operator may: ErrOperatorOnly for its owner,
// ErrNoAccount for others.
func (s *Service) SetPlan(ctx context.Context, by Actor, id string, plan Plan) error {
	switch {
	case !by.Owns(id):
		return ErrNoAccount
	case !by.IsOperator():
		return ErrOperatorOnly
	}
	return s.store.SetPlan(ctx, id, plan, s.now())
}

// Delete revokes an account's keys, deletes its endpoints and erases its e-mail address.
// Only its owner and the operator may; ErrNoAccount for others.
func (s *Service) Delete(ctx context.Context, by Actor, id string) error {
	return s.store.DeleteAccount(ctx, by, id, s.now())
}

// CreateKey makes a key for an account, with a name as ParseKeyName gives it. The key
// itself is only in the result: what is stored is its hash. Only the account's owner and
// the operator may; ErrNoAccount for others.
func (s *Service) CreateKey(ctx context.Context, by Actor, accountID, name string) (Key, KeyInfo, error) {
	key := NewKey()
	info := KeyInfo{ID: newKeyID(), Name: name, Preview: key.Preview()}
	var err error
	if info.CreatedAt, err = s.store.CreateKey(ctx, by, accountID, info, key.Hash()); err != nil {
		return Key{}, KeyInfo{}, err
	}
	return key, info, nil
}

// Keys lists the keys of an account, the revoked ones last. Only the account's owner and
// the operator may; ErrNoAccount for others.
func (s *Service) Keys(ctx context.Context, by Actor, accountID string) ([]KeyInfo, error) {
	return s.store.Keys(ctx, by, accountID)
}

// RevokeKey ends a key. Revoking one twice is no error. Only the owner of the key's
// account and the operator may; ErrNoKey for others.
func (s *Service) RevokeKey(ctx context.Context, by Actor, id string) error {
	return s.store.RevokeKey(ctx, by, id, s.now())
}
