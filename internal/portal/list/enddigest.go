package list

import (
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// An endBody is the body of the page that ends the digest: a button, or the result of pressing it.
type endBody struct {
	Action string // where the button posts to, as mail programs do
	Done   bool
	Wrong  bool
}

// ShowEnd shows a button and ends nothing.
func (p *Pages) ShowEnd(r *page.Request) (*page.Answer, error) {
	token := r.Query.Get(address.UnsubscribeParam)
	if token == "" {
		return noDigest(r)
	}
	return page.Show(endBody{Action: address.EndDigestWith(r.Text.Language, token)})
}

// End ends the digest, for the button and for mail programs (RFC 8058), which follow no redirect.
func (p *Pages) End(r *page.Request) (*page.Answer, error) {
	err := p.Digests.Unsubscribe(r.Context(), r.Query.Get(address.UnsubscribeParam))
	switch {
	case err == nil:
		return &page.Answer{Title: r.Text.Must("end-digest.done"), Body: endBody{Done: true}}, nil
	case errors.Is(err, account.ErrNoUnsubscribe), errors.Is(err, account.ErrNoAccount):
		return noDigest(r)
	default:
		return nil, err
	}
}

func noDigest(r *page.Request) (*page.Answer, error) {
	return &page.Answer{
		Status: http.StatusNotFound, Title: r.Text.Must("end-digest.wrong"), Body: endBody{Wrong: true},
	}, nil
}
