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

// Activity returns up to limit actions of an account, the newest first.
//
// Only the account itself and the operator may see them. Returns ErrNoAccount otherwise.
func (s *Service) Activity(ctx context.Context, by Actor, id string, limit int) ([]Activity, error) {
	return s.accounts.Activity(ctx, by, id, limit)
}
