package portal

import (
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
)

// askAddress asks for another address, which both mailboxes then confirm.
func askAddress(r *request) (*answer, error) {
	typed := r.field("email")
	email, err := account.ParseEmail(typed)
	text := "settings.fault.email"
	if err == nil {
		switch err = r.portal.o.EmailChanges.Ask(r.ctx, r.by, r.account.ID, email); {
		case err == nil:
			return goTo(r.path("settings"), "address-asked")
		case errors.Is(err, account.ErrSameEmail):
			text = "settings.fault.same"
		case errors.Is(err, account.ErrTooManyAsked):
			text = "settings.fault.asked"
		default:
			return nil, err
		}
	}
	return r.settingsFault("email", text, func(b *settingsBody) { b.Changing, b.NewEmail = true, typed })
}

func cancelAddress(r *request) (*answer, error) {
	err := r.portal.o.EmailChanges.Cancel(r.ctx, r.by, r.account.ID)
	if errors.Is(err, account.ErrNoChange) { // it was made or has ended meanwhile: the page shows which
		return goTo(r.path("settings"), "")
	}
	if err != nil {
		return nil, err
	}
	return goTo(r.path("settings"), "address-cancelled")
}

// An addressBody is what the page of a link that confirms a change of address shows.
type addressBody struct {
	Action string
	Token  string // of the link; "" once it was used
	Result string // the name of a text: what became of the change
}

// addressParam is the parameter of the links.
const addressParam = "token"

// showAddress shows a button: programs that follow links in mails must not confirm anything.
func showAddress(r *request) (*answer, error) {
	body := addressBody{Action: r.path("address"), Token: r.query.Get(addressParam)}
	if body.Token == "" {
		body.Result = "address.ended"
	}
	return show(body)
}

// confirmAddress confirms a change for the mailbox that the link was sent to. Whoever has the link
// may do this, in any browser.
func confirmAddress(r *request) (*answer, error) {
	a := &answer{}
	body := addressBody{Action: r.path("address")}
	switch change, err := r.portal.o.EmailChanges.Confirm(r.ctx, r.form.Get("link")); {
	case errors.Is(err, account.ErrNoChange):
		a.status, body.Result = http.StatusUnprocessableEntity, "address.ended"
	case errors.Is(err, account.ErrEmailTaken):
		a.status, body.Result = http.StatusConflict, "address.taken"
	case err != nil:
		return nil, err
	case change.Done():
		body.Result = "address.done"
		if r.session != "" { // the frame shows the address
			if r.account, err = r.portal.o.Accounts.Show(r.ctx, r.by, r.account.ID); err != nil {
				return nil, err
			}
		}
	case change.NewConfirmed:
		body.Result = "address.old-missing"
	default:
		body.Result = "address.new-missing"
	}
	a.body = body
	return a, nil
}
