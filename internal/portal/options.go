package portal

import (
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/portal/keys"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/portal/plan"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Options say what the account pages stand on. Those from API on may be missing.
type Options struct {
	Accounts     *account.Service
	SignIns      *account.SignIns
	Sessions     page.SessionStore
	EmailChanges *account.EmailChanges
	Notices      *account.Notices
	Endpoints    *webhook.Endpoints
	Limits       limit.Counter
	Catalog      page.Catalog

	Secrets    secrets.Ring
	BaseURL    string // the service's own address, without a slash at its end
	Subdomains bool   // every name below that of BaseURL has https, too
	Open       bool   // anybody may sign up
	Mail       bool   // mail is sent
	Contact    string // the operator's e-mail address; "" names none

	API     http.Handler     // the JSON interface, for a first call without JavaScript; nil where it is elsewhere
	Usage   keys.UsageReader // nil where usage is not counted
	Billing plan.Billing     // nil where nothing is sold: the operator sets plans

	Now      func() time.Time
	Patience time.Duration        // how long a request waits for engines; 5 s when 0
	Away     func(error) bool     // reports whether an error is of a database that did not answer
	Asked    func(outcome string) // counts requests for mail, sign-ins and limits
	Refused  func(why string)     // counts requests that found too many others; one of Refusals
	Limited  func(limit string)   // counts what was refused because an account does it too often; one of LimitNames
}
