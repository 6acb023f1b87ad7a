package portal

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"unicode"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// How often a sign-in mail may be asked for in an hour. More is refused. Much less is sent: what
// else holds for mails is decided where nobody sees it.
const (
	asksPerClient = 20 // an IPv4 address, or an IPv6 /64
	// asksPerSite is for an IPv6 /48: as many mails as it can be sent in a day, after which what still
	// waits is forgotten.
	asksPerSite = 24 * account.MailsPer48
)

// A signInBody is what the pages of signing in show.
type signInBody struct {
	Action  string         // where the form goes
	Why     string         // why nobody can sign in here; "" when they can
	Closed  bool           // only known addresses get in
	Contact layout.Contact // who creates accounts then
	Email   string         // as it was typed
	Asked   bool           // the mail was asked for: the code can be typed
	Next    string         // the page to see after signing in
	Minutes int
	Token   string // of the link
	// Elsewhere says that another browser asked for the link, which works in that one alone.
	Elsewhere bool
}

func (r *request) signInBody() signInBody {
	return signInBody{
		Action: r.path("sign-in"), Why: r.portal.impossible(), Closed: !r.portal.o.Open, Contact: r.contact(), Email: r.field("email"),
		Next: r.next(), Minutes: int(account.SignInFor.Minutes()),
	}
}

// next is the page that was asked for before signing in, if it is one of ours.
func (r *request) next() string {
	for _, path := range []string{r.query.Get(nextParam), r.form.Get(nextParam)} {
		if rt, _, _, ok := find(r.portal.all, path); ok && !rt.open {
			return path
		}
	}
	return ""
}

func showSignIn(r *request) (*answer, error) {
	if r.session != "" {
		return goTo(r.path("keys"), "")
	}
	return show(r.signInBody())
}

// askMail asks for a sign-in mail. The answer is the same for every address.
func askMail(r *request) (*answer, error) {
	p, body := r.portal, r.signInBody()
	if body.Why != "" {
		return show(body)
	}
	email, ok := parseEmail(body.Email)
	if !ok {
		return &answer{status: http.StatusUnprocessableEntity, body: body, faults: []fault{
			{"email", r.Must("sign-in.fault.email")},
		}}, nil
	}
	from := web.ClientAddr(r.w)
	if !p.mayAsk(r.ctx, from) {
		p.o.Asked("client limit")
		e := web.Errorf(http.StatusTooManyRequests, "too many sign-in mails were asked for from here")
		e.Header = http.Header{"Retry-After": {"3600"}}
		return nil, e
	}
	if err := p.o.SignIns.Ask(r.ctx, email, languageOf(r.Language), r.browser, from); err != nil {
		return nil, err
	}
	p.o.Asked("asked")
	body.Email, body.Asked = email, true
	return show(body)
}

// mayAsk counts a request with the network that it comes from.
func (p *Portal) mayAsk(ctx context.Context, from netip.Addr) bool {
	if !p.o.Limits.Allow(ctx, "sign-in client", quota.NetworkOf(from), asksPerClient) {
		return false
	}
	site, err := from.Unmap().WithZone("").Prefix(48)
	return from.Unmap().Is4() || err != nil || p.o.Limits.Allow(ctx, "sign-in site", site.String(), asksPerSite)
}

// parseEmail is account.ParseEmail for a form, whose faults have words of their own.
func parseEmail(s string) (email string, ok bool) {
	email, err := account.ParseEmail(s)
	return email, err == nil
}

// redeemCode signs in by the code of the mail, typed into the page that asked for it.
func redeemCode(r *request) (*answer, error) {
	body := r.signInBody()
	if !wellFormedCode(r.field("code")) { // a slip, which costs no try
		body.Asked = true
		return &answer{status: http.StatusUnprocessableEntity, body: body, faults: []fault{{"code", r.Must("sign-in.fault.digits")}}}, nil
	}
	owner, err := r.portal.o.SignIns.RedeemCode(r.ctx, r.field("code"), r.browser, web.ClientAddr(r.w))
	switch {
	case err == nil:
		return r.enter(owner)
	case errors.Is(err, account.ErrTooManyAccounts):
		return r.tooManyAccounts()
	}
	text := "sign-in.fault.code"
	switch {
	case errors.Is(err, account.ErrWrongCode):
		body.Asked = true
	case errors.Is(err, account.ErrNoSignIn):
		text = "sign-in.fault.ended"
	default:
		return nil, err
	}
	field := "code"
	if !body.Asked {
		field = "email"
	}
	return &answer{status: http.StatusUnprocessableEntity, body: body, faults: []fault{{field, r.Must(text)}}}, nil
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

// showLink shows a button: programs that follow links in mails must not spend them.
func showLink(r *request) (*answer, error) {
	if r.session != "" {
		return goTo(r.path("keys"), "")
	}
	body := r.signInBody()
	body.Action, body.Token = r.path("sign-in-link"), r.query.Get(linkParam)
	if other, err := r.portal.o.SignIns.Elsewhere(r.ctx, body.Token, r.browser); err == nil && other { // or the button says what is wrong
		body.Elsewhere, body.Action = true, r.path("sign-in")
	}
	return show(body)
}

// linkParam is the parameter of links in mails.
const linkParam = "jeton"

// redeemLink signs in by the link of the mail, in the browser that asked for it.
func redeemLink(r *request) (*answer, error) {
	owner, err := r.portal.o.SignIns.RedeemLink(r.ctx, r.form.Get("link"), r.browser, web.ClientAddr(r.w))
	switch {
	case err == nil:
		return r.enter(owner)
	case errors.Is(err, account.ErrTooManyAccounts):
		return r.tooManyAccounts()
	case !errors.Is(err, account.ErrNoSignIn):
		return nil, err
	}
	return &answer{
		status: http.StatusUnprocessableEntity, template: "sign-in", body: r.signInBody(),
		faults: []fault{{"email", r.Must("sign-in.fault.link")}},
	}, nil
}

// tooManyAccounts says that no account can be made from here today. Only who has the mail sees it.
func (r *request) tooManyAccounts() (*answer, error) {
	r.portal.o.Asked("account limit")
	return &answer{
		status: http.StatusTooManyRequests, template: "sign-in", body: r.signInBody(), headers: []web.Field{web.NewField("Retry-After", "86400")},
		faults: []fault{{"email", r.Must("sign-in.fault.accounts")}},
	}, nil
}

// enter begins the session of an account and shows its keys, or the page that was asked for. A
// session that the browser had ends, for every copy of its cookie.
func (r *request) enter(owner account.Account) (*answer, error) {
	if r.session != "" {
		if err := r.portal.sessions.Destroy(r.ctx); err != nil {
			return nil, err
		}
	}
	if err := r.portal.signIn(r.http.Context(), r.w, owner.ID, browserName(r.http.UserAgent())); err != nil {
		return nil, err
	}
	r.portal.o.Asked("signed in")
	if next := r.next(); next != "" {
		return goTo(next, "")
	}
	return goTo(r.portal.routes["keys"].path(localeOf(owner.Language), ""), "")
}

// signOut ends the session of a request, for every copy of its cookie.
func (p *Portal) signOut(r *request) error {
	if err := p.sessions.Destroy(r.ctx); err != nil {
		return err
	}
	dropCookie(r.w, sessionCookie)
	return nil
}

func languageOf(l locale.Language) account.Language {
	if l == locale.English {
		return account.English
	}
	return account.French
}

func localeOf(l account.Language) locale.Language {
	if l == account.English {
		return locale.English
	}
	return locale.French
}

// impossible says why nobody can ask for a mail here, as the name of a text; "" when they can.
func (p *Portal) impossible() string {
	switch u, err := url.Parse(p.o.BaseURL); {
	case p.o.BaseURL == "" || err != nil:
		return "sign-in.why.address"
	case u.Scheme != "https" && !isLoopback(u.Hostname()):
		return "sign-in.why.https"
	case !p.o.Mail:
		return "sign-in.why.mail"
	}
	return ""
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
