package address

import (
	"net/url"

	"github.com/palmares-hq/palmares/internal/locale"
)

// The pages of an account.
var (
	Account      = Page{"home", "/compte", "/en/account"}
	SignIn       = Page{"sign-in", "/compte/connexion", "/en/account/sign-in"}
	SignInLink   = Page{"sign-in-link", "/compte/connexion/lien", "/en/account/sign-in/link"}
	Usage        = Page{"usage", "/compte/utilisation", "/en/account/usage"}
	Unsubscribe  = Page{"unsubscribe", "/compte/desabonnement", "/en/account/unsubscribe"}
	List         = Page{"list", "/compte/liste", "/en/account/list"}
	EndDigest    = Page{"end-digest", "/compte/desabonnement/liste", "/en/account/unsubscribe/list"}
	Keys         = Page{"keys", "/compte/cles", "/en/account/keys"}
	Webhooks     = Page{"webhooks", "/compte/webhooks", "/en/account/webhooks"}
	Endpoint     = Page{"endpoint", "/compte/webhooks/{id}", "/en/account/webhooks/{id}"}
	Delivery     = Page{"delivery", "/compte/webhooks/{id}/{id}", "/en/account/webhooks/{id}/{id}"}
	Plan         = Page{"plan", "/compte/offre", "/en/account/plan"}
	PlanOrder    = Page{"plan-order", "/compte/offre/commande", "/en/account/plan/order"}
	PlanDetails  = Page{"plan-details", "/compte/offre/facturation", "/en/account/plan/billing-details"}
	PlanCancel   = Page{"plan-cancel", "/compte/offre/resiliation", "/en/account/plan/cancel"}
	PlanPayment  = Page{"plan-payment", "/compte/offre/paiement", "/en/account/plan/payment"}
	Settings     = Page{"settings", "/compte/reglages", "/en/account/settings"}
	ConfirmEmail = Page{"address", "/compte/reglages/adresse", "/en/account/settings/address"}
)

var account = []Page{
	Account, SignIn, SignInLink, Usage, Unsubscribe, List, EndDigest, Keys, Webhooks, Endpoint, Delivery, Plan, PlanOrder, PlanDetails, PlanCancel,
	PlanPayment, Settings, ConfirmEmail,
}

// The parameters that carry the token of a link in a mail.
const (
	SignInParam       = "jeton" // of SignInLink
	UnsubscribeParam  = "jeton" // of Unsubscribe and EndDigest
	ConfirmEmailParam = "token" // of ConfirmEmail
)

// AccountPrefixes lists the paths that account pages own, with everything below them.
func AccountPrefixes() []string { return []string{Account.French, Account.English} }

// SignInWith returns the path of the link in a sign-in mail.
func SignInWith(l locale.Language, token string) string {
	return SignInLink.At(l) + "?" + SignInParam + "=" + url.QueryEscape(token)
}

// UnsubscribeWith returns the path of the link that ends mails about usage.
func UnsubscribeWith(l locale.Language, token string) string {
	return Unsubscribe.At(l) + "?" + UnsubscribeParam + "=" + url.QueryEscape(token)
}

// EndDigestWith returns the path of the link that ends digests.
func EndDigestWith(l locale.Language, token string) string {
	return EndDigest.At(l) + "?" + UnsubscribeParam + "=" + url.QueryEscape(token)
}

// ConfirmEmailWith returns the path of the link in the mail about a new address.
func ConfirmEmailWith(l locale.Language, token string) string {
	return ConfirmEmail.At(l) + "?" + ConfirmEmailParam + "=" + url.QueryEscape(token)
}
