package portal

import (
	"errors"
	"net/url"
	"slices"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// routes are all account pages.
func routes() []*route {
	return slices.Concat(signInRoutes(), usageRoutes(), unsubscribeRoutes(), keysRoutes(), webhooksRoutes(), planRoutes(), settingsRoutes())
}

// Paths are where a page is, for those who link to it. Names are constants in the code: one that
// does not exist is a fault of ours.
func Paths(name string) layout.Paths {
	for _, rt := range routes() {
		if rt.name == name {
			return rt.paths
		}
	}
	panic("there is no account page named " + name)
}

// AddressLink is the path and query of the page that confirms a change of address, for mails.
func AddressLink(l account.Language, token string) string {
	return Paths("address")[localeOf(l)] + "?" + addressParam + "=" + url.QueryEscape(token)
}

// SignInLink is the path and query of the page that spends the token of a sign-in, for mails.
func SignInLink(l account.Language, token string) string {
	return Paths("sign-in-link")[localeOf(l)] + "?jeton=" + url.QueryEscape(token)
}

// entries are the entries of the side navigation: names of routes.
var entries = []string{"usage", "keys", "webhooks", "plan", "settings"}

// texts are the sentences of all account pages.
func texts() layout.Texts {
	return layout.Join(portalTexts, signInTexts, usageTexts, unsubscribeTexts, keysTexts, webhooksTexts, planTexts, payTexts,
		countryTexts, settingsTexts, limitTexts)
}

func signInRoutes() []*route {
	return []*route{
		{name: "home", paths: [2]string{"/compte", "/en/account"}, get: showHome, shows: []string{}},
		{
			name: "sign-in", paths: [2]string{"/compte/connexion", "/en/account/sign-in"}, open: true,
			get: showSignIn, actions: map[string]handler{"ask": askMail, "code": redeemCode},
		},
		{
			name: "sign-in-link", paths: [2]string{"/compte/connexion/lien", "/en/account/sign-in/link"}, open: true,
			get: showLink, actions: map[string]handler{"enter": redeemLink},
		},
	}
}

func showHome(r *request) (*answer, error) { return goTo(r.path("keys"), "") }

// isNoSuch is true of the errors with which services answer for what the account does not have.
func isNoSuch(err error) bool {
	return slices.ContainsFunc([]error{
		account.ErrNoAccount, account.ErrNoKey, account.ErrNoSession, webhook.ErrNoEndpoint, webhook.ErrNoDelivery,
	}, func(target error) bool { return errors.Is(err, target) })
}
