package account

import "context"

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

// SetMail sets whether an account gets mail about its usage, at 80 % and 100 % of the quota, and
// about endpoints that were disabled.
//
// Only the account itself and the operator may set it. Returns ErrNoAccount otherwise.
func (s *Service) SetMail(ctx context.Context, by Actor, id string, usage, endpoints bool) error {
	return s.accounts.SetMail(ctx, by, id, usage, endpoints, s.now())
}

// SetEmail gives an account another e-mail address at once, for owners who lost their mailbox. It
// ends a change that was asked for, and returns ErrEmailTaken if another account has the address.
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

// Export returns everything that is held about an account.
//
// Only the account itself and the operator may have it. Returns ErrNoAccount otherwise.
func (s *Service) Export(ctx context.Context, by Actor, id string) (Export, error) {
	return s.accounts.Export(ctx, by, id, s.now())
}

// Delete revokes an account's keys, ends its sessions, deletes its webhook endpoints and all that is
// held about its owner, and erases its e-mail address. A service with secrets keeps the address,
// sealed, until the final mail is sent: a day at most.
//
// Only the account itself and the operator may delete it. Returns ErrNoAccount otherwise. The account
// does so in a session that is Fresh. Returns ErrNotFresh otherwise.
func (s *Service) Delete(ctx context.Context, by Actor, id string) error {
	return s.accounts.Delete(ctx, by, id, s.seal, s.now())
}
