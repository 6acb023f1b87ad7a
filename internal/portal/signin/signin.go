package signin

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"time"
	"unicode"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// Templates are the templates of the sign-in pages.
//
//go:embed templates
var Templates embed.FS

// Pages has the handlers that sign a browser in by a mail with a link and a code.
type Pages struct {
	SignIns  *account.SignIns
	Limits   limit.Counter
	Open     bool                 // anybody may sign up
	Disabled string               // the text that says why nobody can sign in, from WhyDisabled; "" if they can
	Asked    func(outcome string) // counts requests for mail: asked, client limit or account limit
}

// WhyDisabled returns the name of the text that says why nobody can sign in at a service with that address,
// which may or may not send mail; "" if they can.
func WhyDisabled(baseURL string, mail bool) string {
	switch u, err := url.Parse(baseURL); {
	case baseURL == "" || err != nil:
		return "sign-in.why.address"
	case u.Scheme != "https" && !isLoopback(u.Hostname()):
		return "sign-in.why.https"
	case !mail:
		return "sign-in.why.mail"
	}
	return ""
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

// How often a sign-in mail may be requested. More requests are refused. Far fewer mails are sent: the other
// limits apply out of sight, so that nobody learns from them. An IPv6 /48 may request as many mails in an hour
// as it can be sent in a day; mails still queued after that are dropped.
var (
	ClientLimit = limit.Limit{Name: "sign-in client", Most: 20, Within: time.Hour} // an IPv4 address, or an IPv6 /64
	SiteLimit   = limit.Limit{Name: "sign-in site", Most: 24 * account.MailsPer48, Within: time.Hour}
)

// A signInBody is what the pages of signing in show.
type signInBody struct {
	Action   string         // the path that the form is sent to
	Disabled string         // why nobody can sign in here; "" if they can
	Closed   bool           // only existing accounts can sign in
	Contact  layout.Contact // who creates accounts when Closed
	Email    string         // as it was typed
	Asked    bool           // the mail was requested: show the field for the code
	Next     string         // the path to return to after signing in
	Minutes  int
	Token    string // the link's token
	// Elsewhere is set if another browser asked for the link, which works in that browser only.
	Elsewhere bool
}

// body returns the form's body before anything is done.
func (p *Pages) body(r *page.Request) signInBody {
	return signInBody{
		Action: r.At(address.SignIn), Disabled: p.Disabled, Closed: !p.Open, Contact: r.Contact, Email: r.Field("email"),
		Next: r.Next, Minutes: int(account.SignInFor.Minutes()),
	}
}

// Show shows the form that asks for a mail.
func (p *Pages) Show(r *page.Request) (*page.Answer, error) {
	if r.Session != "" {
		return page.GoTo(r.At(address.Keys), "")
	}
	return page.Show(p.body(r))
}

// AskMail requests a sign-in mail. The response is the same for every address.
func (p *Pages) AskMail(r *page.Request) (*page.Answer, error) {
	body := p.body(r)
	if body.Disabled != "" {
		return page.Show(body)
	}
	email, ok := parseEmail(body.Email)
	if !ok {
		return page.Invalid(body, page.NewFieldError("email", r.Text.Must("sign-in.error.email"))), nil
	}
	if !p.mayAsk(r.Context(), r.Client) {
		p.Asked("client limit")
		e := web.Errorf(http.StatusTooManyRequests, "too many sign-in mails were asked for from here")
		e.Header = http.Header{"Retry-After": {"3600"}}
		return nil, e
	}
	if err := p.SignIns.Ask(r.Context(), email, languageOf(r.Text.Language), r.Browser, r.Client); err != nil {
		return nil, err
	}
	p.Asked("asked")
	body.Email, body.Asked = email, true
	return page.Show(body)
}

// mayAsk counts a request against the limits of its network, and reports whether it is within them.
func (p *Pages) mayAsk(ctx context.Context, from netip.Addr) bool {
	if !p.Limits.Allow(ctx, ClientLimit, quota.NetworkOf(from)) {
		return false
	}
	site, err := from.Unmap().WithZone("").Prefix(48)
	return from.Unmap().Is4() || err != nil || p.Limits.Allow(ctx, SiteLimit, site.String())
}

// parseEmail is account.ParseEmail without its error: the form has its own words for a bad address.
func parseEmail(s string) (email string, ok bool) {
	email, err := account.ParseEmail(s)
	return email, err == nil
}

// RedeemCode signs in with the code of the mail, typed into the page that requested it.
func (p *Pages) RedeemCode(r *page.Request) (*page.Answer, error) {
	body := p.body(r)
	if !wellFormedCode(r.Field("code")) { // a typing slip, which does not count as a try
		body.Asked = true
		return page.Invalid(body, page.NewFieldError("code", r.Text.Must("sign-in.error.digits"))), nil
	}
	owner, err := p.SignIns.RedeemCode(r.Context(), r.Field("code"), r.Browser, r.Client)
	switch {
	case err == nil:
		return enter(r, owner)
	case errors.Is(err, account.ErrTooManyAccounts):
		return p.tooManyAccounts(r)
	}
	text := "sign-in.error.code"
	switch {
	case errors.Is(err, account.ErrWrongCode):
		body.Asked = true
	case errors.Is(err, account.ErrNoSignIn):
		text = "sign-in.error.ended"
	default:
		return nil, err
	}
	field := "code"
	if !body.Asked {
		field = "email"
	}
	return page.Invalid(body, page.NewFieldError(field, r.Text.Must(text))), nil
}

// wellFormedCode reports whether a text can be a code: six digits, with any spaces.
func wellFormedCode(s string) bool {
	digits := 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case !unicode.IsSpace(c):
			return false
		}
	}
	return digits == codeDigits
}

const codeDigits = 6

// ShowLink shows a button and redeems nothing, because programs follow the links in mails and would use them
// up.
func (p *Pages) ShowLink(r *page.Request) (*page.Answer, error) {
	if r.Session != "" {
		return page.GoTo(r.At(address.Keys), "")
	}
	body := p.body(r)
	body.Action, body.Token = r.At(address.SignInLink), r.Query.Get(address.SignInParam)
	if other, err := p.SignIns.Elsewhere(r.Context(), body.Token, r.Browser); err == nil && other { // the button shows any error
		body.Elsewhere, body.Action = true, r.At(address.SignIn)
	}
	return page.Show(body)
}

// RedeemLink signs in with the link of the mail, in the browser that requested it.
func (p *Pages) RedeemLink(r *page.Request) (*page.Answer, error) {
	owner, err := p.SignIns.RedeemLink(r.Context(), r.Form.Get("link"), r.Browser, r.Client)
	switch {
	case err == nil:
		return enter(r, owner)
	case errors.Is(err, account.ErrTooManyAccounts):
		return p.tooManyAccounts(r)
	case !errors.Is(err, account.ErrNoSignIn):
		return nil, err
	}
	a := page.Invalid(p.body(r), page.NewFieldError("email", r.Text.Must("sign-in.error.link")))
	a.Template = address.SignIn.Name
	return a, nil
}

// tooManyAccounts answers that no more accounts can be created from here today. Only somebody who received the
// mail sees it.
func (p *Pages) tooManyAccounts(r *page.Request) (*page.Answer, error) {
	p.Asked("account limit")
	return &page.Answer{
		Status: http.StatusTooManyRequests, Template: address.SignIn.Name, Body: p.body(r), Headers: []web.Field{web.NewField("Retry-After", "86400")},
		FieldErrors: []page.FieldError{page.NewFieldError("email", r.Text.Must("sign-in.error.accounts"))},
	}, nil
}

// enter starts a session and redirects to the page asked for before signing in, or to the account's keys.
func enter(r *page.Request, owner account.Account) (*page.Answer, error) {
	next := r.Next
	if next == "" {
		next = address.Keys.At(locale.Tagged(string(owner.Language)))
	}
	return &page.Answer{Redirect: next, SignIn: owner.ID}, nil
}

func languageOf(l locale.Language) account.Language {
	if l == locale.English {
		return account.English
	}
	return account.French
}
