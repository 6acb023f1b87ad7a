package portal

import (
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// New makes the account pages.
func New(o Options) (*page.Server, error) {
	if o.Asked == nil {
		o.Asked = func(string) {}
	}
	return newServer(o, newSubjects(o).routes())
}

// newServer makes a server of the given routes.
func newServer(o Options, routes []page.Route) (*page.Server, error) {
	return page.New(page.Options{
		Routes: routes, Menu: menu, Texts: texts(), Templates: templates,
		Accounts: o.Accounts, Sessions: o.Sessions, Limits: o.Limits, Catalog: o.Catalog,
		Secrets: o.Secrets, BaseURL: o.BaseURL, Subdomains: o.Subdomains, Contact: o.Contact, NotFound: notFound, Sells: o.Billing != nil,
		Now: o.Now, Timeout: o.Patience, Away: o.Away,
		SignedIn: func() { o.Asked("signed in") }, Refused: o.Refused, Limited: o.Limited,
	})
}

// notFound are the errors that services return for an object that the account does not have.
var notFound = []error{
	account.ErrNoAccount, account.ErrNoKey, account.ErrNoSession, webhook.ErrNoEndpoint, webhook.ErrNoDelivery,
}

// SessionLifetime is how long a browser stays signed in.
const SessionLifetime = page.SessionLifetime

// Refusals returns every value that Options.Refused is called with.
func Refusals() []string { return page.Refusals() }

// LimitNames returns every value that Options.Limited is called with.
func LimitNames() []string {
	return []string{
		page.FormLimit.Name, account.KeyLimit.Name, webhook.SendLimit.Name, webhook.SendHostLimit.Name, webhook.ChallengeLimit.Name,
	}
}
