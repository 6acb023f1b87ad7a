package account

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// A Service does everything that can be done with accounts and keys. Every method says who may call
// it. What belongs to another account does not exist for the caller: the error is ErrNoAccount or
// ErrNoKey, the same as for an unknown id.
type Service struct {
	accounts Store
	keys     KeyStore
	seal     Seal // nil if owners of deleted accounts get no final mail
	now      func() time.Time
}

// NewService returns a service. A nil now is time.Now.
func NewService(accounts Store, keys KeyStore, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{accounts: accounts, keys: keys, now: now}
}

// WithSecrets returns a service whose Delete stores the address, sealed, for the final mail.
func (s *Service) WithSecrets(ring secrets.Ring) *Service {
	with := *s
	with.seal = addressSeals(ring).Seal
	return &with
}

// Create creates an account for an e-mail address, which ParseEmail must accept. It returns
// ErrEmailTaken if there is one.
//
// Only the operator may create accounts. Returns ErrOperatorOnly otherwise.
func (s *Service) Create(ctx context.Context, by Actor, email string, plan Plan) (Account, error) {
	if !by.IsOperator() {
		return Account{}, ErrOperatorOnly
	}
	email, err := ParseEmail(email)
	if err != nil {
		return Account{}, err
	}
	return s.accounts.Create(ctx, email, plan)
}

// Find returns the account of an e-mail address.
//
// Only the account itself and the operator may see it. Returns ErrNoAccount otherwise.
func (s *Service) Find(ctx context.Context, by Actor, email string) (Account, error) {
	email, err := ParseEmail(email)
	if err != nil {
		return Account{}, err
	}
	return s.accounts.Find(ctx, by, email)
}

// List returns up to limit accounts in order of e-mail address, starting after the given one.
//
// The operator sees every account, an account sees only itself.
func (s *Service) List(ctx context.Context, by Actor, after string, limit int) ([]Account, error) {
	return s.accounts.List(ctx, by, after, limit)
}

// Show returns the account with that id.
//
// Only the account itself and the operator may see it. Returns ErrNoAccount otherwise.
func (s *Service) Show(ctx context.Context, by Actor, id string) (Account, error) {
	return s.accounts.Get(ctx, by, id)
}

// SetPlan moves an account to another plan. If the new plan allows fewer keys, those that
// ActiveKeys names go on working and the others are suspended until a plan allows them again.
// Webhooks are paused on a plan without them and resumed on one with them. An account that pays for
// Pro keeps it: ErrSubscribed.
//
// Only the operator may set plans. Returns ErrOperatorOnly to the account itself and ErrNoAccount
// to everybody else.
func (s *Service) SetPlan(ctx context.Context, by Actor, id string, plan Plan) error {
	switch {
	case !by.Owns(id):
		return ErrNoAccount
	case !by.IsOperator():
		return ErrOperatorOnly
	}
	return s.accounts.SetPlan(ctx, id, plan, s.now())
}

// Sessions returns the active sessions of an account, the newest first.
//
// Only the account itself and the operator may see them. Returns ErrNoAccount otherwise.
func (s *Service) Sessions(ctx context.Context, by Actor, accountID string) ([]Session, error) {
	return s.accounts.Sessions(ctx, by, accountID, s.now())
}

// EndSession ends a session: the next request of its browser is not signed in.
//
// Only the session's account and the operator may end it. Returns ErrNoSession otherwise.
func (s *Service) EndSession(ctx context.Context, by Actor, id string) error {
	return s.accounts.EndSession(ctx, by, id, s.now())
}

// EndSessions ends all sessions of an account except the one with the given id, if any, and returns
// how many it ended.
//
// Only the account itself and the operator may end them. Returns ErrNoAccount otherwise.
func (s *Service) EndSessions(ctx context.Context, by Actor, accountID, except string) (int, error) {
	return s.accounts.EndSessions(ctx, by, accountID, except, s.now())
}

// SetLanguage sets the language of an account's pages and mail, which ParseLanguage must accept.
//
// Only the account itself and the operator may set it. Returns ErrNoAccount otherwise.
func (s *Service) SetLanguage(ctx context.Context, by Actor, id string, l Language) error {
	l, err := ParseLanguage(string(l))
	if err != nil {
		return err
	}
	return s.accounts.SetLanguage(ctx, by, id, l, s.now())
}

// SetSwitch turns a switch of an account on or off, and leaves the others as they are.
//
// Only the account itself and the operator may set it. Returns ErrNoAccount otherwise.
func (s *Service) SetSwitch(ctx context.Context, by Actor, id string, name Switch, on bool) error {
	return s.accounts.SetSwitch(ctx, by, id, name, on, s.now())
}

// SetEmail changes the e-mail address of an account at once, for owners who lost their mailbox. It
// ends a pending change, and returns ErrEmailTaken if another account has the address.
//
// Only the operator may do this; owners use EmailChanges. Returns ErrOperatorOnly to the account
// itself and ErrNoAccount to everybody else.
func (s *Service) SetEmail(ctx context.Context, by Actor, id, email string) error {
	email, err := ParseEmail(email)
	switch {
	case err != nil:
		return err
	case !by.Owns(id):
		return ErrNoAccount
	case !by.IsOperator():
		return ErrOperatorOnly
	}
	return s.accounts.SetEmail(ctx, by, id, email, s.now())
}

// Activity returns up to limit actions of an account, the newest first.
//
// Only the account itself and the operator may see them. Returns ErrNoAccount otherwise.
func (s *Service) Activity(ctx context.Context, by Actor, id string, limit int) ([]Activity, error) {
	return s.accounts.Activity(ctx, by, id, limit)
}

// Export returns everything stored about an account.
//
// Only the account itself and the operator may have it. Returns ErrNoAccount otherwise.
func (s *Service) Export(ctx context.Context, by Actor, id string) (Export, error) {
	return s.accounts.Export(ctx, by, id, s.now())
}

// Delete revokes an account's keys, ends its sessions, deletes its webhook endpoints and everything
// stored about its owner, and erases its e-mail address. A service with secrets stores the address,
// sealed, until the final mail is sent: for a day at most.
//
// Only the account itself and the operator may delete it. Returns ErrNoAccount otherwise. The
// account must act in a Fresh session. Returns ErrNotFresh otherwise.
func (s *Service) Delete(ctx context.Context, by Actor, id string) error {
	return s.accounts.Delete(ctx, by, id, s.seal, s.now())
}
