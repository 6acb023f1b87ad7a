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

// Templates are those of the pages of signing in.
//
//go:embed templates
var Templates embed.FS

// Pages sign in by a mail, which has a link and a code.
type Pages struct {
	SignIns  *account.SignIns
	Limits   limit.Counter
	Open     bool                 // anybody may sign up
	Disabled string               // why nobody can sign in, as WhyDisabled says; "" when they can
	Asked    func(outcome string) // counts requests for mail: asked, client limit or account limit
}

// WhyDisabled says why nobody can sign in at a service of that address, which sends mail or does not, as
// the name of a text; "" when they can.
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

// How often a sign-in mail may be asked for. More is refused. Much less is sent: what else holds for mails is decided where
// nobody sees it. An IPv6 /48 may ask for as many mails as it can be sent in a day, after which what still waits is
// forgotten.
var (
	ClientLimit = limit.Limit{Name: "sign-in client", Most: 20, Within: time.Hour} // an IPv4 address, or an IPv6 /64
	SiteLimit   = limit.Limit{Name: "sign-in site", Most: 24 * account.MailsPer48, Within: time.Hour}
)

// A signInBody is what the pages of signing in show.
type signInBody struct {
	Action   string         // where the form goes
	Disabled string         // why nobody can sign in here; "" when they can
	Closed   bool           // only known addresses get in
	Contact  layout.Contact // who creates accounts then
	Email    string         // as it was typed
	Asked    bool           // the mail was asked for: the code can be typed
	Next     string         // the page to see after signing in
	Minutes  int
	Token    string // of the link
	// Elsewhere says that another browser asked for the link, which works in that one alone.
	Elsewhere bool
}

// body is what the form shows before anything is done.
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

// AskMail asks for a sign-in mail. The answer is the same for every address.
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

// mayAsk counts a request with the network that it comes from.
func (p *Pages) mayAsk(ctx context.Context, from netip.Addr) bool {
	if !p.Limits.Allow(ctx, ClientLimit, quota.NetworkOf(from)) {
		return false
	}
	site, err := from.Unmap().WithZone("").Prefix(48)
	return from.Unmap().Is4() || err != nil || p.Limits.Allow(ctx, SiteLimit, site.String())
}

// parseEmail is account.ParseEmail for a form, whose errors have words of their own.
func parseEmail(s string) (email string, ok bool) {
	email, err := account.ParseEmail(s)
	return email, err == nil
}

// RedeemCode signs in by the code of the mail, typed into the page that asked for it.
func (p *Pages) RedeemCode(r *page.Request) (*page.Answer, error) {
	body := p.body(r)
	if !wellFormedCode(r.Field("code")) { // a slip, which costs no try
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

// wellFormedCode reports whether a text can be a code: six digits, and spaces between them.
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

// ShowLink shows a button: programs that follow links in mails must not spend them.
func (p *Pages) ShowLink(r *page.Request) (*page.Answer, error) {
	if r.Session != "" {
		return page.GoTo(r.At(address.Keys), "")
	}
	body := p.body(r)
	body.Action, body.Token = r.At(address.SignInLink), r.Query.Get(address.SignInParam)
	if other, err := p.SignIns.Elsewhere(r.Context(), body.Token, r.Browser); err == nil && other { // or the button says what is wrong
		body.Elsewhere, body.Action = true, r.At(address.SignIn)
	}
	return page.Show(body)
}

// RedeemLink signs in by the link of the mail, in the browser that asked for it.
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

// tooManyAccounts says that no account can be made from here today. Only who has the mail sees it.
func (p *Pages) tooManyAccounts(r *page.Request) (*page.Answer, error) {
	p.Asked("account limit")
	return &page.Answer{
		Status: http.StatusTooManyRequests, Template: address.SignIn.Name, Body: p.body(r), Headers: []web.Field{web.NewField("Retry-After", "86400")},
		FieldErrors: []page.FieldError{page.NewFieldError("email", r.Text.Must("sign-in.error.accounts"))},
	}, nil
}

// enter begins the session of an account and shows its keys, or the page that was asked for.
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
