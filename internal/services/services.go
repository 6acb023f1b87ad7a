// Package services makes what is done with accounts, keys, endpoints and payments: the services of packages
// account, webhook and billing, on a database and with the secrets that the settings name. A node has them by
// pool of connections, and the command line by command.
//
// Begin with Open, which is what most commands do. secrets.go derives what services need of PALMARES_SECRET,
// accounts.go makes the services of accounts, payments.go the payment provider, services.go opens all of
// them for a command, and setup.go looks at how the provider is set up. The package decides nothing: who may do what is the services' own business.
package services

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/billingjobs"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Services are all that can be done with accounts, keys and endpoints, on the database that
// the settings name. The command line uses them.
type Services struct {
	Accounts  *account.Service
	Endpoints *webhook.Endpoints
	Reports   *report.Service  // to be read; none is taken
	SignIns   *account.SignIns // nil without the secret
	Billing   *billing.Service // nil without the payment provider
	// NoDeletionNotice says why owners of deleted accounts are not told by mail; nil if they are.
	NoDeletionNotice error

	db    *postgres.DB
	keys  *Secrets // nil without the secret
	redis config.Redis

	provider *stripe.Client // nil without Billing
	seller   string         // its country
	own      config.Address
}

// Open opens the services. None of them handles the secrets of endpoints.
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

// open opens the services that these keys are enough for; nil is no key.
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

// checkMigrated fails when the database is to be migrated before a command can work on it. Whatever
// else is wrong with the database, the command itself will say.
func checkMigrated(ctx context.Context, db *postgres.DB) error {
	err := db.CheckSchema(ctx, func(string) {})
	if behind, ok := errors.AsType[*postgres.BehindError](err); ok {
		return behind
	}
	return nil
}

// OpenWithBilling opens the services with the payment provider, which must be configured.
func OpenWithBilling(ctx context.Context, environ []string) (*Services, error) {
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
	s.seller, s.own = cfg.SellerCountry, own
	s.Billing = billing.New(billing.Options{
		Store: s.db.Billing, Provider: s.provider, Country: cfg.SellerCountry,
		Plan: AccountPage(own.Base(), address.Plan), Done: AccountPage(own.Base(), address.PlanPayment),
	})
	return s, nil
}

// OpenWithSecret opens the services with PALMARES_SECRET, which is needed to send to
// endpoints and to make their secrets. version is the program's.
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

// Reseal is webhook.Reseal on services that have the secret.
func (s *Services) Reseal(ctx context.Context, force bool) (webhook.Resealed, error) {
	return webhook.Reseal(ctx, s.db.Webhooks, s.keys.Webhooks, time.Now(), force)
}

// BothSides are what is held about an account's payments and what the provider says now.
type BothSides struct {
	Held   billing.Record
	Orders []billing.Order        // the newest first
	Now    []billing.Subscription // of the customer, the newest first
}

// BothSides needs Billing. It reads both, and changes neither. Where the provider does not answer, what is held is
// returned with the error.
func (s *Services) BothSides(ctx context.Context, by account.Actor, accountID string) (BothSides, error) {
	held, err := s.db.Billing.Find(ctx, by, accountID)
	both := BothSides{Held: held}
	if err != nil {
		return both, err
	}
	both.Orders, err = s.db.Billing.Orders(ctx, by, accountID)
	if err != nil || held.Customer.ID == "" {
		return both, err
	}
	both.Now, err = s.provider.Subscriptions(ctx, held.Customer.ID)
	return both, err
}

// Reconcile needs Billing. It compares all subscriptions with what the provider says and, unless it is a dry run,
// repairs what differs and notes that it was done.
func (s *Services) Reconcile(ctx context.Context, dryRun bool) (billing.Report, error) {
	r := billingjobs.Reconciler{Service: s.Billing, Store: s.db.Billing}
	return r.Run(ctx, dryRun)
}

// usageTimeout is how long a report of usage waits for Redis.
const usageTimeout = 2 * time.Second

// Usage reports what an account and its keys have used; nil without PALMARES_REDIS_URL.
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
