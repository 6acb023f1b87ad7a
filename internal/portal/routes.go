package portal

import (
	"io/fs"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/portal/keys"
	"github.com/palmares-hq/palmares/internal/portal/list"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/portal/plan"
	"github.com/palmares-hq/palmares/internal/portal/settings"
	"github.com/palmares-hq/palmares/internal/portal/signin"
	"github.com/palmares-hq/palmares/internal/portal/webhooks"
)

// subjects are the handlers, one field per subject, each with the services it needs.
type subjects struct {
	signIn   signin.Pages
	usage    keys.UsagePage
	keys     keys.Pages
	list     list.Pages
	webhooks webhooks.Pages
	plan     plan.Pages
	settings settings.Pages
}

func newSubjects(o Options) *subjects {
	disabled := signin.WhyDisabled(o.BaseURL, o.Mail)
	return &subjects{
		signIn:   signin.Pages{SignIns: o.SignIns, Limits: o.Limits, Open: o.Open, Disabled: disabled, Asked: o.Asked},
		usage:    keys.UsagePage{Accounts: o.Accounts, Usage: o.Usage, Mail: o.Mail},
		keys:     keys.Pages{Accounts: o.Accounts, Usage: o.Usage, API: o.API, BaseURL: o.BaseURL},
		list:     list.Pages{Accounts: o.Accounts, Digests: o.Digests, Catalog: o.Catalog, Mail: o.Mail},
		webhooks: webhooks.Pages{Endpoints: o.Endpoints, Catalog: o.Catalog},
		plan: plan.Pages{
			Billing: o.Billing, Accounts: o.Accounts, Endpoints: o.Endpoints, Limits: o.Limits,
		},
		settings: settings.Pages{
			Accounts: o.Accounts, EmailChanges: o.EmailChanges, Notices: o.Notices, Mail: o.Mail, SignIn: disabled == "",
			Sells: o.Billing != nil,
		},
	}
}

// routes returns all account pages and form actions. Each address.Page is a French and an English path. A route
// with page.Open needs no session; one with page.Outside waits for third-party servers.
func (s *subjects) routes() []page.Route { //nolint:funlen // a table
	return []page.Route{
		page.Get(address.Account, showHome, page.SignedIn),

		page.Get(address.SignIn, s.signIn.Show, page.Open),
		page.Post(address.SignIn, "ask", s.signIn.AskMail, page.Open),
		page.Post(address.SignIn, "code", s.signIn.RedeemCode, page.Open),
		page.Get(address.SignInLink, s.signIn.ShowLink, page.Open),
		page.Post(address.SignInLink, "enter", s.signIn.RedeemLink, page.Open),

		page.Get(address.Usage, s.usage.Show, page.SignedIn),
		page.Post(address.Usage, "mail", s.usage.SetMail, page.SignedIn),

		page.Get(address.Keys, s.keys.Show, page.SignedIn),
		page.Post(address.Keys, "create", s.keys.Create, page.SignedIn),
		page.Post(address.Keys, "call", s.keys.Call, page.SignedIn),
		page.Post(address.Keys, "rename", s.keys.Rename, page.SignedIn),
		page.Post(address.Keys, "rotate", s.keys.Rotate, page.SignedIn),
		page.Post(address.Keys, "revoke", s.keys.Revoke, page.SignedIn),

		page.Get(address.List, s.list.Show, page.SignedIn).Keeping(list.Keep),
		page.Post(address.List, "save", s.list.Save, page.SignedIn),
		page.Post(address.List, "remove", s.list.Remove, page.SignedIn),
		page.Post(address.List, "digest", s.list.SetDigest, page.SignedIn),
		page.Get(address.EndDigest, s.list.ShowEnd, page.Open), // the link of a mail
		page.OneClickPost(address.EndDigest, s.list.End),

		page.Get(address.Webhooks, s.webhooks.Show, page.SignedIn),
		page.Post(address.Webhooks, "add", s.webhooks.Add, page.SignedIn),
		page.Get(address.Endpoint, s.webhooks.ShowEndpoint, page.SignedIn),
		page.Post(address.Endpoint, "save", s.webhooks.Save, page.SignedIn),
		page.Post(address.Endpoint, "verify", s.webhooks.Verify, page.Outside),
		page.Post(address.Endpoint, "test", s.webhooks.Test, page.Outside),
		page.Post(address.Endpoint, "rotate", s.webhooks.RotateSecret, page.SignedIn),
		page.Post(address.Endpoint, "pause", s.webhooks.Pause, page.SignedIn),
		page.Post(address.Endpoint, "enable", s.webhooks.Enable, page.SignedIn),
		page.Post(address.Endpoint, "delete", s.webhooks.Delete, page.SignedIn),
		page.Post(address.Endpoint, "replay-range", s.webhooks.ReplayRange, page.SignedIn),
		page.Post(address.Endpoint, "replay-failed", s.webhooks.ReplayFailed, page.SignedIn),
		page.Get(address.Delivery, s.webhooks.ShowDelivery, page.SignedIn),
		page.Post(address.Delivery, "replay", s.webhooks.ReplayDelivery, page.SignedIn),

		page.Get(address.Plan, s.plan.Show, page.SignedIn),
		page.Post(address.Plan, "checkout", s.plan.OpenCheckout, page.Outside),
		page.Post(address.Plan, "portal", s.plan.OpenPortal, page.Outside),
		page.Post(address.Plan, "resume", s.plan.Resume, page.Outside),
		page.Post(address.Plan, "keep", s.plan.PinKeys, page.SignedIn),
		page.Get(address.PlanOrder, s.plan.ShowOrder, page.SignedIn),
		page.Post(address.PlanOrder, "total", s.plan.ShowTotal, page.SignedIn),
		page.Post(address.PlanOrder, "order", s.plan.Order, page.Outside),
		page.Get(address.PlanDetails, s.plan.ShowDetails, page.SignedIn),
		page.Post(address.PlanDetails, "details", s.plan.SaveDetails, page.Outside),
		page.Get(address.PlanCancel, s.plan.ShowCancel, page.SignedIn),
		page.Post(address.PlanCancel, "cancel", s.plan.Cancel, page.Outside),
		page.Get(address.PlanPayment, s.plan.ShowPayment, page.SignedIn), // where the provider sends the browser back
		page.Post(address.PlanPayment, "look", s.plan.LookAgain, page.Outside),

		page.Get(address.Settings, s.settings.Show, page.SignedIn),
		page.Post(address.Settings, "preferences", s.settings.SavePreferences, page.SignedIn),
		page.Post(address.Settings, "address", s.settings.AskAddress, page.SignedIn),
		page.Post(address.Settings, "cancel-address", s.settings.CancelAddress, page.SignedIn),
		page.Post(address.Settings, "end-session", s.settings.EndSession, page.SignedIn),
		page.Post(address.Settings, "end-others", s.settings.EndOthers, page.SignedIn),
		page.Post(address.Settings, "sign-out-everywhere", s.settings.SignOutEverywhere, page.SignedIn),
		page.Post(address.Settings, "export", s.settings.Export, page.SignedIn),
		page.Post(address.Settings, "delete", s.settings.Delete, page.SignedIn),
		page.Post(address.Settings, "sign-in-again", s.settings.SignInAgain, page.SignedIn),
		page.Get(address.ConfirmEmail, s.settings.ShowAddress, page.Open), // the link of a mail
		page.Post(address.ConfirmEmail, "confirm", s.settings.ConfirmAddress, page.Open),
		page.Get(address.Unsubscribe, s.settings.ShowUnsubscribe, page.Open), // the link of a mail
		page.OneClickPost(address.Unsubscribe, s.settings.Unsubscribe),
	}
}

// menu is the side navigation.
var menu = []address.Page{address.Usage, address.Keys, address.Webhooks, address.List, address.Plan, address.Settings}

// showHome redirects to the keys, the page that most people come for.
func showHome(r *page.Request) (*page.Answer, error) { return page.GoTo(r.At(address.Keys), "") }

var templates = []fs.FS{signin.Templates, keys.Templates, list.Templates, webhooks.Templates, plan.Templates, settings.Templates}

// texts returns the texts of all account pages.
func texts() layout.Texts {
	return layout.Join(signin.Texts(), keys.Texts(), list.Texts(), webhooks.Texts(), plan.Texts(), settings.Texts())
}
