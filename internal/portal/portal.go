package portal

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Options say what the account pages stand on. API, Billing, Usage, Previous, Now, Asked, Refused,
// Patience, Limited and Away may be missing.
type Options struct {
	Accounts     *account.Service
	SignIns      *account.SignIns
	Sessions     SessionStore
	EmailChanges *account.EmailChanges
	Endpoints    *webhook.Endpoints
	Billing      Billing // nil where nothing is sold: the operator sets plans
	Notices      *account.Notices
	Usage        Usage // nil where usage is not counted
	Limits       Limits
	Catalog      Catalog

	API      http.Handler // the JSON interface, for a first call without JavaScript; nil where it is elsewhere
	Contact  string       // the operator's e-mail address; "" names none
	Country  string       // the seller's, such as "FR"; what Billing needs
	BaseURL  string       // the service's own address, without a slash at its end
	Secret   []byte
	Previous []byte // the secret before, nil without one
	Open     bool   // anybody may sign up
	Mail     bool   // mail is sent
	Now      func() time.Time
	Asked    func(outcome string) // counts requests for mail, sign-ins and limits
	Refused  func(why string)     // counts requests that found too many others; one of Refusals
	Patience time.Duration        // how long a request waits for engines; 5 s when 0
	Limited  func(limit string)   // counts what was refused because an account does it too often
	Away     func(error) bool     // reports whether an error is of a database that did not answer

	// Subdomains says that every name below that of BaseURL has https, too.
	Subdomains bool
}

// A SessionStore keeps sessions by the hash of their cookie.
type SessionStore = scs.CtxStore

// Catalog gives the snapshot whose edition and name the frame shows.
type Catalog interface {
	Current() *catalog.Snapshot
}

// Usage reads what an account used in the last 30 days.
type Usage interface {
	Read(ctx context.Context, account string) ([]quota.DayUsage, error)
}

// Limits says whether an action is within its limit per hour.
type Limits interface {
	Allow(ctx context.Context, action, subject string, limit int) bool
	// End returns when what Allow refused is allowed again.
	End(ctx context.Context, action, subject string, limit int) time.Time
}

// A refusalPage is the page of those who are refused, as it looks with a snapshot.
type refusalPage struct {
	of   *catalog.Snapshot
	page *web.Response
}

// A Portal answers requests for account pages.
type Portal struct {
	o        Options
	sessions *scs.SessionManager
	origin   *http.CrossOriginProtection
	// Those who wait for engines, and those who wait for servers that are not ours. The latter may take
	// as long as whoever runs them likes, so they have a gate of their own: when it is full, the other
	// pages go on.
	inside, outside *web.Gate
	refusals        [2]atomic.Pointer[refusalPage] // by language

	formKeys   secrets.Keys // the current secret's first
	cookieKeys secrets.Keys // the current secret's first
	all        []*route
	routes     map[string]*route
	renderer   *layout.Renderer
	headers    []web.Field
}
