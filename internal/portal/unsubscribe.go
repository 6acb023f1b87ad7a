package portal

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/layout"
)

func unsubscribeRoutes() []*route {
	return []*route{{
		name: "unsubscribe", paths: [2]string{"/compte/desabonnement", "/en/account/unsubscribe"}, open: true,
		get: showUnsubscribe, machine: unsubscribe,
	}}
}

var unsubscribeTexts = layout.Texts{
	"unsubscribe.title": {"Ne plus recevoir ces e-mails", "Stop these mails"},
	"unsubscribe.lede": {
		"Ces e-mails vous préviennent quand votre compte a utilisé 80\u00a0% de son quota, et quand il l’atteint. Un clic, et il n’en part plus.",
		"These mails tell you when your account has used 80% of its quota, and when it reaches it. One click and no more are sent.",
	},
	"unsubscribe.yes": {"Ne plus m’écrire", "Stop writing to me"},

	"unsubscribe.done":      {"C’est fait", "Done"},
	"unsubscribe.done.lede": {"Plus aucun e-mail ne partira au sujet du quota.", "No more mail about the quota will be sent."},
	"unsubscribe.back": {
		"Pour les rétablir\u00a0: la page Utilisation",
		"To have them back: the page Usage",
	},

	"unsubscribe.wrong": {"Ce lien ne mène à aucun compte", "This link leads to no account"},
	"unsubscribe.wrong.lede": {
		"Il est incomplet, ou le compte n’existe plus. Rien n’a été changé. Si des e-mails continuent d’arriver, copiez le lien en entier ou réglez-les dans votre compte.",
		"It is incomplete, or the account is gone. Nothing was changed. If mails still arrive, copy the whole link, or switch them off in your account.",
	},
	"unsubscribe.settings": {"La page Utilisation", "The page Usage"},
}

// An unsubscribeBody is what the page shows: a button, or what came of it.
type unsubscribeBody struct {
	Action string // where the button goes: what mail programs call
	Done   bool
	Wrong  bool
}

// showUnsubscribe shows a button: programs that follow links in mails must not press it.
func showUnsubscribe(r *request) (*answer, error) {
	token := r.query.Get(linkParam)
	if token == "" {
		return r.noSubscription()
	}
	return show(unsubscribeBody{Action: r.path("unsubscribe") + "?" + url.Values{linkParam: {token}}.Encode()})
}

// unsubscribe ends the mail about the quota, for the button and for mail programs (RFC 8058). These
// follow no redirect, so the answer is the page.
func unsubscribe(r *request) (*answer, error) {
	err := r.portal.o.Notices.Unsubscribe(r.ctx, r.query.Get(linkParam))
	switch {
	case err == nil:
		return &answer{title: r.Must("unsubscribe.done"), body: unsubscribeBody{Done: true}}, nil
	case errors.Is(err, account.ErrNoUnsubscribe), errors.Is(err, account.ErrNoAccount):
		return r.noSubscription()
	default:
		return nil, err
	}
}

func (r *request) noSubscription() (*answer, error) {
	return &answer{
		status: http.StatusNotFound, title: r.Must("unsubscribe.wrong"), body: unsubscribeBody{Wrong: true},
	}, nil
}
