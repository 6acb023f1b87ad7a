package portal

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// How often a sign-in mail may be asked for in an hour.
const (
	mailsPerAddress = 5  // more are not sent, and nobody is told
	asksPerClient   = 20 // more are refused
)

// A signInBody is what the pages of signing in show.
type signInBody struct {
	Action  string // where the form goes
	Why     string // why nobody can sign in here; "" when they can
	Closed  bool   // only known addresses get in
	Email   string // as it was typed
	Asked   bool   // the mail was asked for: the code can be typed
	Next    string // the page to see after signing in
	Minutes int
	Token   string // of the link
}

func (r *request) signInBody() signInBody {
	return signInBody{
		Action: r.path("sign-in"), Why: r.portal.impossible(), Closed: !r.portal.o.Open, Email: r.field("email"),
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
	if !p.o.Limits.Allow(r.ctx, "sign-in client", quota.NetworkOf(web.ClientAddr(r.w)), asksPerClient) {
		p.o.Asked("client limit")
		e := web.Errorf(http.StatusTooManyRequests, "too many sign-in mails were asked for from here")
		e.Header = http.Header{"Retry-After": {"3600"}}
		return nil, e
	}
	limited := !p.o.Limits.Allow(r.ctx, "sign-in address", email, mailsPerAddress)
	if limited {
		p.o.Asked("address limit")
	}
	if err := p.o.SignIns.Ask(r.ctx, email, languageOf(r.Language), r.browser, limited); err != nil {
		return nil, err
	}
	p.o.Asked("asked")
	body.Email, body.Asked = email, true
	return show(body)
}

// parseEmail is account.ParseEmail for a form, whose faults have words of their own.
func parseEmail(s string) (email string, ok bool) {
	email, err := account.ParseEmail(s)
	return email, err == nil
}

// redeemCode signs in by the code of the mail, typed into the page that asked for it.
func redeemCode(r *request) (*answer, error) {
	owner, err := r.portal.o.SignIns.RedeemCode(r.ctx, r.field("code"), r.browser)
	if err == nil {
		return r.enter(owner)
	}
	body := r.signInBody()
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

// showLink shows a button: programs that follow links in mails must not spend them.
func showLink(r *request) (*answer, error) {
	if r.session != "" {
		return goTo(r.path("keys"), "")
	}
	body := r.signInBody()
	body.Action, body.Token = r.path("sign-in-link"), r.query.Get(linkParam)
	return show(body)
}

// linkParam is the parameter of links in mails.
const linkParam = "jeton"

// redeemLink signs in by the link of the mail, in the browser that asked for it.
func redeemLink(r *request) (*answer, error) {
	owner, err := r.portal.o.SignIns.RedeemLink(r.ctx, r.form.Get("link"), r.browser)
	switch {
	case err == nil:
		return r.enter(owner)
	case !errors.Is(err, account.ErrNoSignIn):
		return nil, err
	}
	return &answer{
		status: http.StatusUnprocessableEntity, template: "sign-in", body: r.signInBody(),
		faults: []fault{{"email", r.Must("sign-in.fault.link")}},
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
