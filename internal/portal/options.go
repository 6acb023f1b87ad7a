package portal

import (
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/portal/keys"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/portal/plan"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Options are what the account pages need. The fields from API on are optional.
type Options struct {
	Accounts     *account.Service
	SignIns      *account.SignIns
	Sessions     page.SessionStore
	EmailChanges *account.EmailChanges
	Notices      *account.Notices
	Digests      *digest.Service
	Endpoints    *webhook.Endpoints
	Limits       limit.Counter
	Catalog      page.Catalog

	Secrets    secrets.Ring
	BaseURL    string // the service's own address, without a slash at its end
	Subdomains bool   // all subdomains of BaseURL's host have https, too
	Open       bool   // anybody may sign up
	Mail       bool   // mail is sent
	Contact    string // the operator's e-mail address; "" for none

	API     http.Handler     // the JSON API, for a first call without JavaScript; nil if another process serves it
	Usage   keys.UsageReader // nil where usage is not counted
	Billing plan.Billing     // nil where nothing is sold: the operator sets plans

	Now      func() time.Time
	Patience time.Duration        // how long a request waits for PostgreSQL and Redis; 5 s when 0
	Away     func(error) bool     // reports whether an error means that the database did not answer
	Asked    func(outcome string) // counts requests for mail, sign-ins and limits
	Refused  func(why string)     // counts requests refused because too many are running; one of Refusals
	Limited  func(limit string)   // counts actions refused because an account does them too often; one of LimitNames
}
