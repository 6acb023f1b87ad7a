package portal

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/layout"
)

func settingsRoutes() []*route {
	return []*route{
		{
			name: "settings", paths: [2]string{"/compte/reglages", "/en/account/settings"}, entry: "settings",
			get: showSettings, shows: []string{"settings", "deleted"},
			actions: map[string]handler{
				"preferences": savePreferences, "address": askAddress, "cancel-address": cancelAddress,
				"end-session": endSession, "end-others": endOthers, "sign-out-everywhere": signOutEverywhere,
				"export": exportAccount, "delete": deleteAccount, "sign-in-again": signInAgain,
			},
		},
		{ // where the links of a change of address lead
			name: "address", paths: [2]string{"/compte/reglages/adresse", "/en/account/settings/address"},
			open: true, entry: "settings", get: showAddress, actions: map[string]handler{"confirm": confirmAddress},
		},
	}
}

// A settingsBody is what the page of settings shows.
type settingsBody struct {
	Action  string
	Email   string
	Mail    bool           // mail is sent, so that the address can be changed
	Contact layout.Contact // of the operator

	Pending  *account.EmailChange // nil for none
	Changing bool                 // the form of a new address is open
	NewEmail string               // as it was typed

	Languages                []languageOption
	MailUsage, MailEndpoints bool

	Sessions []sessionRow
	Others   int // sessions beside this one

	Recent, Earlier []activityRow
	Days            int // that the log goes back

	Sells   bool   // Pro is sold: a subscription ends with the account
	Fresh   bool   // the sign-in is recent enough to delete the account
	Minutes int    // how recent that is
	Confirm string // the address as it was typed to confirm the deletion
}

// A languageOption is one that the account can have.
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

func showSettings(r *request) (*answer, error) {
	body, err := r.settingsBody()
	if err != nil {
		return nil, err
	}
	return show(body)
}

// settingsBody reads all that the page shows.
func (r *request) settingsBody() (settingsBody, error) {
	o, a := r.portal.o, r.account
	body := settingsBody{
		Action: r.path("settings"), Email: a.Email, Mail: r.portal.impossible() == "", Contact: r.contact(), Sells: o.Billing != nil,
		MailUsage: a.MailUsage, MailEndpoints: a.MailEndpoints, Days: int(account.ActivityFor / (24 * time.Hour)),
		Minutes: int(account.FreshFor.Minutes()),
	}
	for _, l := range []account.Language{account.French, account.English} {
		body.Languages = append(body.Languages, languageOption{l, r.Must("settings.language." + string(l)), l == a.Language})
	}
	switch pending, err := o.EmailChanges.Pending(r.ctx, r.by, a.ID); {
	case err == nil:
		body.Pending = &pending
	case !errors.Is(err, account.ErrNoChange):
		return body, err
	}
	sessions, err := o.Accounts.Sessions(r.ctx, r.by, a.ID)
	if err != nil {
		return body, err
	}
	for _, s := range sessions {
		row := sessionRow{s, s.Is(r.session)}
		if row.Current {
			body.Fresh = s.Fresh(r.portal.o.Now())
		} else {
			body.Others++
		}
		body.Sessions = append(body.Sessions, row)
	}
	body.Recent, body.Earlier, err = r.activity()
	return body, err
}

// settingsFault shows the page again with what is wrong with a field. change puts back what was
// typed.
func (r *request) settingsFault(field, text string, change func(*settingsBody)) (*answer, error) {
	body, err := r.settingsBody()
	if err != nil {
		return nil, err
	}
	change(&body)
	return &answer{
		status: http.StatusUnprocessableEntity, body: body, faults: []fault{{field, r.Must(text)}},
	}, nil
}

// savePreferences sets the language and which mail is sent, and goes on in that language. It calls
// for what differs alone, so that the log has no line for what stayed.
func savePreferences(r *request) (*answer, error) {
	o, a := r.portal.o, r.account
	language, err := account.ParseLanguage(r.field("language"))
	usage, endpoints := r.form.Has("mail-usage"), r.form.Has("mail-endpoints")
	if err != nil {
		return r.settingsFault("language", "settings.fault.language", func(b *settingsBody) {
			b.MailUsage, b.MailEndpoints = usage, endpoints
		})
	}
	if usage != a.MailUsage || endpoints != a.MailEndpoints {
		if err := o.Accounts.SetMail(r.ctx, r.by, a.ID, usage, endpoints); err != nil {
			return nil, err
		}
	}
	if language != a.Language {
		if err := o.Accounts.SetLanguage(r.ctx, r.by, a.ID, language); err != nil {
			return nil, err
		}
	}
	return goTo(r.route.path(localeOf(language)), "preferences-saved")
}

func endSession(r *request) (*answer, error) {
	if err := r.portal.o.Accounts.EndSession(r.ctx, r.by, r.form.Get("id")); err != nil {
		return nil, err
	}
	return goTo(r.path("settings"), "session-ended")
}

// sessionID is the id of this session; "" if it has just ended.
func (r *request) sessionID() (string, error) {
	sessions, err := r.portal.o.Accounts.Sessions(r.ctx, r.by, r.account.ID)
	if err != nil {
		return "", err
	}
	for _, s := range sessions {
		if s.Is(r.session) {
			return s.ID, nil
		}
	}
	return "", nil
}

// endOthers ends all sessions but this one.
func endOthers(r *request) (*answer, error) {
	this, err := r.sessionID()
	if err != nil {
		return nil, err
	}
	if _, err := r.portal.o.Accounts.EndSessions(r.ctx, r.by, r.account.ID, this); err != nil {
		return nil, err
	}
	return goTo(r.path("settings"), "others-ended")
}

// signOutEverywhere ends all sessions, this one too.
func signOutEverywhere(r *request) (*answer, error) {
	if _, err := r.portal.o.Accounts.EndSessions(r.ctx, r.by, r.account.ID, ""); err != nil {
		return nil, err
	}
	dropCookie(r.w, sessionCookie)
	return goTo(r.path("sign-in"), "signed-out-everywhere")
}

// signInAgain ends this session and leads back here after the next sign-in.
func signInAgain(r *request) (*answer, error) {
	if err := r.portal.signOut(r); err != nil {
		return nil, err
	}
	return goTo(r.path("sign-in")+"?"+nextParam+"="+url.QueryEscape(r.path("settings")), "")
}

// exportAccount gives everything that is held about the account as a file.
func exportAccount(r *request) (*answer, error) {
	export, err := r.portal.o.Accounts.Export(r.ctx, r.by, r.account.ID)
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
	return &answer{file: &file{
		name:        r.Must("settings.export.file", export.ExportedAt.UTC().Format(time.DateOnly)),
		contentType: "application/json", data: b.Bytes(),
	}}, nil
}

// A deletedBody is what the page after a deletion shows.
type deletedBody struct {
	Mail bool // a final mail is sent
}

// deleteAccount deletes the account once its address was typed again. The session has ended with
// it, so the answer says what was done.
func deleteAccount(r *request) (*answer, error) {
	typed := r.field("confirm")
	if email, err := account.ParseEmail(typed); err != nil || email != r.account.Email {
		return r.settingsFault("confirm", "settings.fault.confirm", func(b *settingsBody) { b.Confirm = typed })
	}
	id, err := r.sessionID()
	if err != nil {
		return nil, err
	}
	err = r.portal.o.Accounts.Delete(r.ctx, r.by.InSession(id), r.account.ID)
	if errors.Is(err, account.ErrNotFresh) {
		return r.settingsFault("again", "settings.fault.fresh", func(*settingsBody) {})
	}
	if err != nil {
		return nil, err
	}
	dropCookie(r.w, sessionCookie)
	r.session, r.account, r.by = "", account.Account{}, account.Actor{}
	return &answer{
		title: r.Must("deleted.title"), template: "deleted", body: deletedBody{Mail: r.portal.o.Mail},
	}, nil
}
