package account

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// A Service holds everything that can be done with accounts and keys. Every method says who may
// call it. What belongs to another account does not exist for the caller: the answer is
// ErrNoAccount or ErrNoKey, the same as for an id that nobody has.
type Service struct {
	accounts Store
	keys     KeyStore
	seal     Seal // nil: owners of deleted accounts are sent no final mail
	now      func() time.Time
}

// NewService returns a service; now is time.Now when nil.
func NewService(accounts Store, keys KeyStore, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{accounts: accounts, keys: keys, now: now}
}

// WithSecrets returns a service whose Delete keeps the address, sealed, for the final mail.
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

// SetPlan moves an account to another plan. Of more keys than the new plan allows, those that ActiveKeys
// names go on working and the others are suspended; they work again on a plan that allows them. Webhooks are paused
// on a plan without them and resumed on one with them. An account that pays for Pro keeps it:
// ErrSubscribed.
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

// Sessions returns the sessions of an account that go on, the newest first.
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

// EndSessions ends all sessions of an account but the one with the id except, if that is not "",
// and returns how many those were.
//
// Only the account itself and the operator may end them. Returns ErrNoAccount otherwise.
func (s *Service) EndSessions(ctx context.Context, by Actor, accountID, except string) (int, error) {
	return s.accounts.EndSessions(ctx, by, accountID, except, s.now())
}
