package settings

import (
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// An unsubscribeBody is the body of the page: a button, or the result of pressing it.
type unsubscribeBody struct {
	Action string // where the button posts to, as mail programs do
	Done   bool
	Wrong  bool
}

// ShowUnsubscribe shows a button and ends nothing, because programs follow the links in mails.
func (p *Pages) ShowUnsubscribe(r *page.Request) (*page.Answer, error) {
	token := r.Query.Get(address.UnsubscribeParam)
	if token == "" {
		return noSubscription(r)
	}
	return page.Show(unsubscribeBody{Action: address.UnsubscribeWith(r.Text.Language, token)})
}

// Unsubscribe ends the mail about the quota, for the button and for mail programs (RFC 8058). Mail programs
// follow no redirect, so it answers with the page.
func (p *Pages) Unsubscribe(r *page.Request) (*page.Answer, error) {
	err := p.Notices.Unsubscribe(r.Context(), r.Query.Get(address.UnsubscribeParam))
	switch {
	case err == nil:
		return &page.Answer{Title: r.Text.Must("unsubscribe.done"), Body: unsubscribeBody{Done: true}}, nil
	case errors.Is(err, account.ErrNoUnsubscribe), errors.Is(err, account.ErrNoAccount):
		return noSubscription(r)
	default:
		return nil, err
	}
}

func noSubscription(r *page.Request) (*page.Answer, error) {
	return &page.Answer{
		Status: http.StatusNotFound, Title: r.Text.Must("unsubscribe.wrong"), Body: unsubscribeBody{Wrong: true},
	}, nil
}
