package settings

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// Templates are the templates of the settings, and of the pages that mails link to.
//
//go:embed templates
var Templates embed.FS

// Pages has the handlers of the settings, and of the pages that mails link to.
type Pages struct {
	Accounts     *account.Service
	EmailChanges *account.EmailChanges
	Notices      *account.Notices
	Mail         bool // mail is sent
	SignIn       bool // people can sign in here, so addresses can be changed
	Sells        bool // Pro is sold: a subscription ends with the account
}

// A settingsBody is what the page of settings shows.
type settingsBody struct {
	Action  string
	Email   string
	Mail    bool           // people can sign in here by mail, so the address can be changed
	Contact layout.Contact // how to reach the operator

	Pending  *account.EmailChange // nil for none
	Changing bool                 // the form for a new address is open
	NewEmail string               // the new address as it was typed

	Languages   []languageOption
	WasLanguage account.Language // when the form was rendered
	Mails       []switchBox

	Sessions []sessionRow
	Others   int // sessions other than this one

	Recent, Earlier []activityRow
	Days            int // how many days the log goes back

	Sells   bool   // Pro is sold: a subscription ends with the account
	Fresh   bool   // the sign-in is recent enough to delete the account
	Minutes int    // how recent that has to be, in minutes
	Confirm string // the address as it was typed to confirm the deletion
}

// Index returns the parts of the page in order; each name is that of a text and of an anchor.
func (settingsBody) Index() []string {
	return []string{"address", "preferences", "sessions", "activity", "export", "delete"}
}

// A languageOption is a language that the account can have.
type languageOption struct {
	Language account.Language
	Name     string
	Selected bool
}

// A sessionRow is a browser that is signed in.
type sessionRow struct {
	account.Session
	Current bool
}

// Show shows the settings.
func (p *Pages) Show(r *page.Request) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	return page.Show(body)
}

// body reads all that the page shows.
func (p *Pages) body(r *page.Request) (settingsBody, error) {
	a := r.Account
	body := settingsBody{
		Action: r.At(address.Settings), Email: a.Email, Mail: p.SignIn, Contact: r.Contact, Sells: p.Sells,
		WasLanguage: a.Language, Mails: switchBoxes(r, a.Settings, a.Settings),
		Days: int(account.ActivityFor / (24 * time.Hour)), Minutes: int(account.FreshFor.Minutes()),
	}
	for _, l := range []account.Language{account.French, account.English} {
		body.Languages = append(body.Languages, languageOption{l, r.Text.Must("settings.language." + string(l)), l == a.Language})
	}
	switch pending, err := p.EmailChanges.Pending(r.Context(), r.By, a.ID); {
	case err == nil:
		body.Pending = &pending
	case !errors.Is(err, account.ErrNoChange):
		return body, err
	}
	sessions, err := p.Accounts.Sessions(r.Context(), r.By, a.ID)
	if err != nil {
		return body, err
	}
	for _, s := range sessions {
		row := sessionRow{s, s.Is(r.Session)}
		if row.Current {
			body.Fresh = s.Fresh(r.Now)
		} else {
			body.Others++
		}
		body.Sessions = append(body.Sessions, row)
	}
	body.Recent, body.Earlier, err = p.activity(r)
	return body, err
}

// invalid shows the page again with what is wrong with a field. change puts back what was
// typed.
func (p *Pages) invalid(r *page.Request, field, text string, change func(*settingsBody)) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	change(&body)
	return page.Invalid(body, page.NewFieldError(field, r.Text.Must(text))), nil
}

// EndSession ends another session.
func (p *Pages) EndSession(r *page.Request) (*page.Answer, error) {
	if err := p.Accounts.EndSession(r.Context(), r.By, r.Form.Get("id")); err != nil {
		return nil, err
	}
	return page.GoTo(r.At(address.Settings), "session-ended")
}

// sessionID returns the id of this session; "" if it has just ended.
func (p *Pages) sessionID(r *page.Request) (string, error) {
	sessions, err := p.Accounts.Sessions(r.Context(), r.By, r.Account.ID)
	if err != nil {
		return "", err
	}
	for _, s := range sessions {
		if s.Is(r.Session) {
			return s.ID, nil
		}
	}
	return "", nil
}

// EndOthers ends all sessions but this one.
func (p *Pages) EndOthers(r *page.Request) (*page.Answer, error) {
	this, err := p.sessionID(r)
	if err != nil {
		return nil, err
	}
	if _, err := p.Accounts.EndSessions(r.Context(), r.By, r.Account.ID, this); err != nil {
		return nil, err
	}
	return page.GoTo(r.At(address.Settings), "others-ended")
}

// SignOutEverywhere ends all sessions, this one too.
func (p *Pages) SignOutEverywhere(r *page.Request) (*page.Answer, error) {
	if _, err := p.Accounts.EndSessions(r.Context(), r.By, r.Account.ID, ""); err != nil {
		return nil, err
	}
	a, err := page.GoTo(r.At(address.SignIn), "signed-out-everywhere")
	a.SignOut = true
	return a, err
}

// SignInAgain ends this session and returns to the settings after the next sign-in.
func (p *Pages) SignInAgain(r *page.Request) (*page.Answer, error) {
	return &page.Answer{Redirect: page.SignInPath(r.Text.Language, r.At(address.Settings)), SignOut: true}, nil
}

// Export returns everything that is stored about the account as a JSON file.
func (p *Pages) Export(r *page.Request) (*page.Answer, error) {
	export, err := p.Accounts.Export(r.Context(), r.By, r.Account.ID)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(export); err != nil {
		return nil, err
	}
	return &page.Answer{File: &page.File{
		Name:        r.Text.Must("settings.export.file", export.ExportedAt.UTC().Format(time.DateOnly)),
		ContentType: "application/json", Data: b.Bytes(),
	}}, nil
}

// A deletedBody is what the page after a deletion shows.
type deletedBody struct {
	Mail bool // a final mail is sent
}

// Delete deletes the account if its address was typed in to confirm and the sign-in is recent enough. The
// session ends with the account, so the response itself, not a redirect, says what was done.
func (p *Pages) Delete(r *page.Request) (*page.Answer, error) {
	typed := r.Field("confirm")
	if email, err := account.ParseEmail(typed); err != nil || email != r.Account.Email {
		return p.invalid(r, "confirm", "settings.error.confirm", func(b *settingsBody) { b.Confirm = typed })
	}
	id, err := p.sessionID(r)
	if err != nil {
		return nil, err
	}
	err = p.Accounts.Delete(r.Context(), r.By.InSession(id), r.Account.ID)
	if errors.Is(err, account.ErrNotFresh) {
		return p.invalid(r, "again", "settings.error.fresh", func(*settingsBody) {})
	}
	if err != nil {
		return nil, err
	}
	return &page.Answer{
		Title: r.Text.Must("deleted.title"), Template: "deleted", Body: deletedBody{Mail: p.Mail}, SignOut: true,
	}, nil
}
