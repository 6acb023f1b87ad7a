package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// withServices runs a command that needs the database alone.
func withServices(ctx context.Context, do func(*services.Services) error) error {
	s, err := services.Open(ctx, os.Environ())
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// withSecret runs a command that sends to endpoints or handles their secrets.
func withSecret(ctx context.Context, do func(*services.Services) error) error {
	s, err := services.OpenWithSecret(ctx, os.Environ(), currentVersion())
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// withBilling runs a command that calls the payment provider.
func withBilling(ctx context.Context, do func(*services.Services) error) error {
	return withOpened(ctx, services.OpenWithBilling, do)
}

// withAnyKey is withBilling, but also accepts a provider key that nodes would refuse to sell with.
func withAnyKey(ctx context.Context, do func(*services.Services) error) error {
	return withOpened(ctx, services.OpenWithAnyKey, do)
}

func withOpened(
	ctx context.Context, open func(context.Context, []string) (*services.Services, error), do func(*services.Services) error,
) error {
	s, err := open(ctx, os.Environ())
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// withAccount runs a command on the account of an e-mail address.
func withAccount(ctx context.Context, email string, do func(*services.Services, account.Account) error) error {
	return withServices(ctx, func(s *services.Services) error {
		a, err := s.Accounts.Find(ctx, account.Operator(), email)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		return do(s, a)
	})
}

// about prefixes an error with what it is about, unless the error says that itself.
func about(what string, err error) error {
	var unknown *webhook.CategoryError
	if errors.Is(err, webhook.ErrSealed) || errors.Is(err, webhook.ErrWrongSecret) || errors.As(err, &unknown) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}
