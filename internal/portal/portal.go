package portal

import (
	"context"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Options say what the account pages stand on. API, Billing, Usage, Previous, Now and Asked may be
// missing.
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
}

// A Portal answers requests for account pages.
type Portal struct {
	o        Options
	sessions *scs.SessionManager
	origin   *http.CrossOriginProtection
	formKeys [][]byte // the current secret's first
	all      []*route
	routes   map[string]*route
	renderer *layout.Renderer
	headers  []web.Field
}
