package services

import (
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Accounts are all that is done with accounts, on one pool of connections.
type Accounts struct {
	Service         *account.Service
	SignIns         *account.SignIns
	Changes         *account.EmailChanges
	DeletionNotices *account.DeletionNotices
	Notices         *account.Notices
	Endpoints       *webhook.Endpoints
}

// SignUp says who may sign up; the zero value lets nobody.
type SignUp struct {
	Open    bool
	Blocked func(email string) bool
}

// NewAccounts makes the services, whole. Only commands that have no secret have less, which Open and its like make:
// nobody outside this package makes one. counters may be nil for those who neither look at usage nor tell of it.
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
		Endpoints: webhook.NewEndpoints(webhook.EndpointsOptions{
			Store: db.Webhooks, Catalog: db.Catalog, Sender: s.Sender, Keyring: s.Webhooks,
		}),
	}
}
