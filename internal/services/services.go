// Package services constructs the services of packages account, webhook and billing on the database, and with the
// secrets, that the settings name. A node has one set for each pool of connections, the command line one for each
// command.
//
// Begin with Open, which most commands call. accounts.go derives keys from PALMARES_SECRET and constructs the
// services of accounts, payments.go constructs the client of the payment provider and sets the provider up, and
// services.go opens everything for a command. The package makes no decisions: the services themselves check who may
// do what.
package services

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/webhook"
	"github.com/palmares-hq/palmares/internal/workers"
)

// Services are the services of accounts, keys, endpoints and payments on the configured database, for commands.
type Services struct {
	Accounts  *account.Service
	Endpoints *webhook.Endpoints
	Reports   *report.Service  // for reading only: it cannot accept new ones
	SignIns   *account.SignIns // nil unless OpenWithSecret opened the services
	Billing   *billing.Service // nil without the payment provider
	// NoDeletionNotice is why owners of deleted accounts get no mail; nil if they do.
	NoDeletionNotice error

	db    *postgres.DB
	keys  *Secrets // nil without the secret
	redis config.Redis

	provider *stripe.Client // nil without Billing
	seller   config.Stripe  // the seller's settings
	own      config.Address
}

// Open opens the services that most commands need. SignIns is nil, and Endpoints cannot handle the secrets of
// endpoints. Without a usable PALMARES_SECRET, NoDeletionNotice says why.
func Open(ctx context.Context, environ []string) (*Services, error) {
	cfg, err := config.ReadWebhooks(environ)
	var keys *Secrets
	if err == nil {
		keys, err = Derive(cfg)
	}
	if err != nil {
		keys, err = nil, fmt.Errorf("the owner is not told by mail: %w", err)
	}
	s, failed := open(ctx, environ, keys)
	if failed != nil {
		return nil, failed
	}
	s.NoDeletionNotice, s.SignIns = err, nil
	s.Endpoints = webhook.NewEndpoints(webhook.EndpointsOptions{Store: s.db.Webhooks, Catalog: s.db.Catalog})
	return s, nil
}

// open opens the services that the keys are enough for. keys may be nil.
func open(ctx context.Context, environ []string, keys *Secrets) (*Services, error) {
	cfg, err := config.ReadDatabase(environ)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	s := &Services{keys: keys}
	if s.redis, err = config.ReadRedis(environ); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if s.db, err = postgres.Open(ctx, cfg.URL.Reveal(), postgres.Options{}); err != nil {
		return nil, err
	}
	if err := checkMigrated(ctx, s.db); err != nil {
		s.db.Close()
		return nil, err
	}
	s.Reports = report.NewService(report.Options{Store: s.db.Reports})
	if keys == nil {
		s.Accounts = account.NewService(s.db.Accounts, s.db.Keys, nil)
		return s, nil
	}
	made := NewAccounts(s.db, keys, SignUp{}, nil)
	s.Accounts, s.SignIns, s.Endpoints = made.Service, made.SignIns, made.Endpoints
	return s, nil
}

// checkMigrated returns a *postgres.BehindError if the database must be migrated before a command can use it. It
// ignores any other problem of the database, which the command itself will report.
func checkMigrated(ctx context.Context, db *postgres.DB) error {
	err := db.CheckSchema(ctx, func(string) {})
	if behind, ok := errors.AsType[*postgres.BehindError](err); ok {
		return behind
	}
	return nil
}

// OpenWithBilling is Open with Billing. The payment provider must be configured, with a key that nodes would accept.
func OpenWithBilling(ctx context.Context, environ []string) (*Services, error) {
	cfg, err := config.ReadStripe(environ)
	own, wrong := config.ReadAddress(environ)
	if err = errors.Join(err, wrong); err == nil {
		err = CheckKey(cfg, own.Public())
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return OpenWithAnyKey(ctx, environ)
}

// OpenWithAnyKey is OpenWithBilling, but accepts any key, for a caller that reports problems of the key as findings.
func OpenWithAnyKey(ctx context.Context, environ []string) (*Services, error) {
	cfg, err := config.ReadStripe(environ)
	own, wrong := config.ReadAddress(environ)
	if err = errors.Join(err, wrong, KnownSeller(cfg)); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if !cfg.Sells() {
		return nil, fmt.Errorf("configuration: %w: "+
			"set PALMARES_STRIPE_KEY, PALMARES_STRIPE_WEBHOOK_SECRET and PALMARES_STRIPE_PRICE", billing.ErrNoCheckout)
	}
	s, err := Open(ctx, environ)
	if err != nil {
		return nil, err
	}
	if s.provider, err = NewProvider(cfg); err != nil {
		s.Close()
		return nil, err
	}
	s.seller, s.own = cfg, own
	s.Billing = billing.New(billing.Options{
		Store: s.db.Billing, Provider: s.provider, Country: cfg.SellerCountry, Scheme: billing.Scheme(cfg.SellerVAT),
		Plan: AccountPage(own.Base(), address.Plan), Done: AccountPage(own.Base(), address.PlanPayment),
	})
	return s, nil
}

// OpenWithSecret opens the services with PALMARES_SECRET, which is needed to send to endpoints and to derive their
// secrets. version is the program's.
func OpenWithSecret(ctx context.Context, environ []string, version string) (*Services, error) {
	cfg, err := config.ReadWebhooks(environ)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	keys, err := DeriveWithSender(cfg, version, 0)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	s, err := open(ctx, environ, keys)
	if err != nil {
		keys.Sender.Close()
	}
	return s, err
}

// Close closes the connections of the services.
func (s *Services) Close() {
	if s.provider != nil {
		s.provider.Close()
	}
	if s.keys != nil && s.keys.Sender != nil {
		s.keys.Sender.Close()
	}
	s.db.Close()
}

// Reseal is webhook.Reseal for services that have the secret.
func (s *Services) Reseal(ctx context.Context, force bool) (webhook.Resealed, error) {
	return webhook.Reseal(ctx, s.db.Webhooks, s.keys.Webhooks, time.Now(), force)
}

// BothSides are an account's payments as our records have them, and as the provider has them.
type BothSides struct {
	Held   billing.Record
	Orders []billing.Order        // the newest first; nil for a deleted account
	Now    []billing.Subscription // of the customer, the newest first
	Left   billing.Pending        // of a deleted account: why the provider still has its customer
}

// BothSides reads our records and the provider's, and changes neither. If the provider does not answer, it returns our
// records with the error. The operator can read a deleted account until its customer is deleted too. It needs Billing.
func (s *Services) BothSides(ctx context.Context, by account.Actor, accountID string) (both BothSides, err error) {
	both.Held, err = s.db.Billing.Find(ctx, by, accountID)
	if errors.Is(err, account.ErrNoAccount) {
		both.Held, err = s.db.Billing.Leaving(ctx, by, accountID)
	}
	deleted := both.Held.Account.Email == ""
	if err == nil && !deleted {
		both.Orders, err = s.db.Billing.Orders(ctx, by, accountID)
	}
	customer := both.Held.Customer.ID
	if err != nil || customer == "" {
		return both, err
	}
	if err := s.Billing.CheckAccount(ctx); err != nil {
		return both, err
	}
	if both.Now, err = s.provider.Subscriptions(ctx, customer); err == nil && deleted {
		both.Left, err = s.provider.Pending(ctx, customer)
		both.Left.Subscriptions = both.Held.ByHand(both.Now)
	}
	return both, err
}

// Adopt calls billing.Service.Adopt. It needs Billing.
func (s *Services) Adopt(ctx context.Context, run billing.Run) (billing.Adoption, error) {
	return s.Billing.Adopt(ctx, run)
}

// Reconcile compares all subscriptions with the provider's and, unless it is a dry run, repairs differences and records
// that it ran. It needs Billing.
func (s *Services) Reconcile(ctx context.Context, run billing.Run) (billing.Report, error) {
	r := workers.Reconciler{Service: s.Billing, Store: s.db.Billing}
	return r.Run(ctx, run)
}

// usageTimeout is how long a usage report waits for Redis.
const usageTimeout = 2 * time.Second

// Usage returns what an account and its keys have used; nil without PALMARES_REDIS_URL.
func (s *Services) Usage(
	ctx context.Context, a account.Account, keys []account.KeyInfo, now time.Time,
) (*quota.Report, error) {
	if s.redis.RedisURL == "" {
		return nil, nil
	}
	store, err := quota.NewRedisTrusting(s.redis.RedisURL.Reveal(), s.redis.RedisCAFile)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(ctx, usageTimeout)
	defer cancel()
	days, err := store.ReadUsage(ctx, a.ID, quota.UsageDays(now))
	if err != nil {
		return nil, err
	}
	r := quota.NewReport(a.Plan, now, days, keys)
	return &r, nil
}
