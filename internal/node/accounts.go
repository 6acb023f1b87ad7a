package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// derivedKeys are what a process makes of PALMARES_SECRET and the one before it, once.
type derivedKeys struct {
	master, previous []byte
	accounts         *account.Secrets
	webhooks         *webhook.Keyring // seals and opens the secrets of endpoints
	sender           *webhook.Sender  // to endpoints; nil where nothing is sent
}

func deriveKeys(cfg config.Webhooks) (*derivedKeys, error) {
	k := &derivedKeys{master: []byte(cfg.Secret.Reveal()), previous: []byte(cfg.SecretPrevious.Reveal())}
	var err error
	if k.accounts, err = account.NewSecrets(k.master, k.previous); err != nil {
		return nil, err
	}
	k.webhooks, err = webhook.NewKeyring(k.master, k.previous)
	return k, err
}

// deriveSender is deriveKeys with what sends to endpoints in the name of that version of the program.
func deriveSender(cfg config.Webhooks, version string) (*derivedKeys, error) {
	networks, err := cfg.Networks()
	if err != nil {
		return nil, err
	}
	k, err := deriveKeys(cfg)
	if err != nil {
		return nil, err
	}
	idle := shareDescriptors(descriptorLimit(), true).webhooks
	k.sender = webhook.NewSender(webhook.SenderOptions{Allow: networks, Agent: "Webhooks/" + version, Idle: idle})
	return k, nil
}

// accountServices are all that is done with accounts, on one pool of connections.
type accountServices struct {
	service   *account.Service
	signIns   *account.SignIns
	changes   *account.EmailChanges
	farewells *account.Farewells
	notices   *account.Notices
	endpoints *webhook.Endpoints
}

// signUp says who may sign up; the zero value lets nobody.
type signUp struct {
	open    bool
	blocked func(email string) bool
}

// newAccountServices is the only place where these services are made. counters may be nil for those who
// neither look at usage nor tell of it.
func newAccountServices(db *postgres.DB, k *derivedKeys, who signUp, counters account.UsageCounters) *accountServices {
	return &accountServices{
		service: account.NewService(db.Accounts, db.Keys, nil).WithSecrets(k.accounts),
		signIns: account.NewSignIns(account.SignInsOptions{
			Store: db.SignIns, Secret: k.master, Previous: k.previous, Open: who.open, Blocked: who.blocked,
		}),
		changes:   account.NewEmailChanges(db.Accounts, k.accounts, nil),
		farewells: account.NewFarewells(db.Accounts, k.accounts, nil),
		notices: account.NewNotices(account.NoticesOptions{
			Store: db.Accounts, Counters: counters, Secret: k.master, Previous: k.previous,
		}),
		endpoints: webhook.NewEndpoints(webhook.EndpointsOptions{
			Store: db.Webhooks, Catalog: db.Catalog, Sender: k.sender, Keyring: k.webhooks,
		}),
	}
}

// accounts gives the services of accounts on the connections of a pool, which are made for the first that
// asks. Those of jobs tell owners of their usage, where that is counted.
func (b *builder) accounts(ctx context.Context, p pool) (*accountServices, error) {
	if made := b.accountsOn[p]; made != nil {
		return made, nil
	}
	db, err := b.database(ctx, p)
	if err != nil {
		return nil, err
	}
	blocked, err := b.cfg.Blocked()
	if err != nil {
		return nil, err
	}
	var counters account.UsageCounters
	if p == b.workerPool() && b.tellsUsage() {
		if counters, err = b.redis(); err != nil {
			return nil, err
		}
	}
	if b.accountsOn == nil {
		b.accountsOn = make(map[pool]*accountServices)
	}
	b.accountsOn[p] = newAccountServices(db, b.derived, signUp{b.cfg.Open(), blocked}, counters)
	return b.accountsOn[p], nil
}

// tellsUsage reports whether owners are told by mail that they are near their limit.
func (b *builder) tellsUsage() bool {
	return b.cfg.SMTPURL != "" && b.cfg.RedisURL != "" && b.cfg.Base() != ""
}

// mayDerive says whether this node has the secret of the database: links that it makes with another work
// nowhere.
func (b *builder) mayDerive(store webhook.CanaryStore) func(context.Context) error {
	return func(ctx context.Context) error {
		err := webhook.CheckSecret(ctx, store, b.derived.webhooks, time.Now())
		if errors.Is(err, webhook.ErrWrongSecret) {
			return fmt.Errorf("%w: %w", account.ErrOtherSecret, err)
		}
		return err
	}
}
