package services

import (
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Accounts are the services of accounts, on one pool of connections.
type Accounts struct {
	Service         *account.Service
	SignIns         *account.SignIns
	Changes         *account.EmailChanges
	DeletionNotices *account.DeletionNotices
	Notices         *account.Notices
	Digests         *digest.Service
	Endpoints       *webhook.Endpoints
}

// SignUp says which addresses may sign up; with the zero value, none.
type SignUp struct {
	Open    bool
	Blocked func(email string) bool
}

// NewAccounts returns all the services. It needs the secret: commands that run without it get fewer, from Open. No
// other package of the program constructs one of them. counters may be nil for callers that need no usage.
func NewAccounts(db *postgres.DB, s *Secrets, who SignUp, counters account.UsageCounters) *Accounts {
	return &Accounts{
		Service: account.NewService(db.Accounts, db.Keys, nil).WithSecrets(s.Ring),
		SignIns: account.NewSignIns(account.SignInsOptions{
			Store: db.SignIns, Secrets: s.Ring, Open: who.Open, Blocked: who.Blocked,
		}),
		Changes:         account.NewEmailChanges(db.Accounts, s.Ring, nil),
		DeletionNotices: account.NewDeletionNotices(db.Accounts, s.Ring, nil),
		Notices: account.NewNotices(account.NoticesOptions{
			Store: db.Accounts, Counters: counters, Secrets: s.Ring,
		}),
		Digests: digest.NewService(digest.Options{Store: db.Digests, Secrets: s.Ring}),
		Endpoints: webhook.NewEndpoints(webhook.EndpointsOptions{
			Store: db.Webhooks, Catalog: db.Catalog, Sender: s.Sender, Keyring: s.Webhooks,
		}),
	}
}

// Secrets hold what a process derives, once, from PALMARES_SECRET and the secret before it.
type Secrets struct {
	Master, Previous []byte
	Ring             secrets.Ring
	Webhooks         *webhook.Keyring // seals and opens the secrets of endpoints
	Sender           *webhook.Sender  // to endpoints; nil if nothing is sent
}

// Derive derives the secrets of a process that sends nothing to endpoints.
func Derive(cfg config.Webhooks) (*Secrets, error) {
	s := &Secrets{Master: []byte(cfg.Secret.Reveal()), Previous: []byte(cfg.SecretPrevious.Reveal())}
	var err error
	if s.Ring, err = secrets.New(s.Master, s.Previous); err != nil {
		return nil, err
	}
	s.Webhooks = webhook.NewKeyring(s.Ring)
	return s, nil
}

// DeriveWithSender is Derive with a sender to endpoints, whose User-Agent names the program's version. idle is how many
// idle connections the sender may keep open; 0 is its default.
func DeriveWithSender(cfg config.Webhooks, version string, idle int) (*Secrets, error) {
	networks, err := cfg.Networks()
	if err != nil {
		return nil, err
	}
	s, err := Derive(cfg)
	if err != nil {
		return nil, err
	}
	s.Sender = webhook.NewSender(webhook.SenderOptions{Allow: networks, Agent: "Webhooks/" + version, Idle: idle})
	return s, nil
}
