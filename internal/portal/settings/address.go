package settings

import (
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// AskAddress starts a change of address, which both mailboxes then have to confirm.
func (p *Pages) AskAddress(r *page.Request) (*page.Answer, error) {
	typed := r.Field("email")
	email, err := account.ParseEmail(typed)
	text := "settings.error.email"
	if err == nil {
		switch err = p.EmailChanges.Ask(r.Context(), r.By, r.Account.ID, email); {
		case err == nil:
			return page.GoTo(r.At(address.Settings), "address-asked")
		case errors.Is(err, account.ErrSameEmail):
			text = "settings.error.same"
		case errors.Is(err, account.ErrTooManyAsked):
			text = "settings.error.asked"
		default:
			return nil, err
		}
	}
	return p.invalid(r, "email", text, func(b *settingsBody) { b.Changing, b.NewEmail = true, typed })
}

// CancelAddress cancels a pending change of address.
func (p *Pages) CancelAddress(r *page.Request) (*page.Answer, error) {
	err := p.EmailChanges.Cancel(r.Context(), r.By, r.Account.ID)
	if errors.Is(err, account.ErrNoChange) { // it was made or has ended meanwhile: the page shows which
		return page.GoTo(r.At(address.Settings), "")
	}
	if err != nil {
		return nil, err
	}
	return page.GoTo(r.At(address.Settings), "address-cancelled")
}

// An addressBody is the body of the page that confirms a change of address.
type addressBody struct {
	Action string
	Token  string // the link's token; "" once it was used
	Result string // the name of the text that says what became of the change
}

// ShowAddress shows a button and confirms nothing, because programs follow the links in mails.
func (p *Pages) ShowAddress(r *page.Request) (*page.Answer, error) {
	body := addressBody{Action: r.At(address.ConfirmEmail), Token: r.Query.Get(address.ConfirmEmailParam)}
	if body.Token == "" {
		body.Result = "address.ended"
	}
	return page.Show(body)
}

// ConfirmAddress confirms a change for the mailbox that the link was sent to. Whoever has the link
// may do this, in any browser.
func (p *Pages) ConfirmAddress(r *page.Request) (*page.Answer, error) {
	a := &page.Answer{}
	body := addressBody{Action: r.At(address.ConfirmEmail)}
	switch change, err := p.EmailChanges.Confirm(r.Context(), r.Form.Get("link")); {
	case errors.Is(err, account.ErrNoChange):
		a.Status, body.Result = http.StatusUnprocessableEntity, "address.ended"
	case errors.Is(err, account.ErrEmailTaken):
		a.Status, body.Result = http.StatusConflict, "address.taken"
	case err != nil:
		return nil, err
	case change.Done():
		body.Result = "address.done"
		if r.Session != "" { // the frame shows the address
			if r.Account, err = p.Accounts.Show(r.Context(), r.By, r.Account.ID); err != nil {
				return nil, err
			}
		}
	case change.NewConfirmed:
		body.Result = "address.old-missing"
	default:
		body.Result = "address.new-missing"
	}
	a.Body = body
	return a, nil
}
