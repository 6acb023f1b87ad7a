package portal

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/web"
)

// New makes the account pages.
func New(o Options) (*Portal, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Asked == nil {
		o.Asked = func(string) {}
	}
	if o.Refused == nil {
		o.Refused = func(string) {}
	}
	if o.Patience == 0 {
		o.Patience = requestFor
	}
	if o.Limited == nil {
		o.Limited = func(string) {}
	}
	if o.Away == nil {
		o.Away = func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }
	}
	p := &Portal{
		o: o, sessions: newSessions(o.Sessions), origin: http.NewCrossOriginProtection(), all: routes(),
		routes: make(map[string]*route), headers: layout.Headers(o.BaseURL, o.Subdomains),
		inside: web.NewGate(maxRequests), outside: web.NewGate(maxOutside),
	}
	ring, err := secrets.New(o.Secret, o.Previous)
	if err != nil {
		return nil, err
	}
	p.formKeys, p.cookieKeys = ring.Keys("palmares form tokens"), ring.Keys("palmares session cookies")
	for _, rt := range p.all {
		p.routes[rt.name] = rt
	}
	return p, p.parse()
}

// ServeHTTP answers r.
func (p *Portal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Handler(p.serve, p.WriteError).ServeHTTP(w, r)
}

func (p *Portal) serve(w http.ResponseWriter, r *http.Request) error {
	rt, lang, ids, ok := find(p.all, r.URL.Path)
	if !ok {
		r.Pattern = Prefixes()[0]
		return p.serveTyped(w, r)
	}
	r.Pattern = rt.paths[lang]
	req := p.newRequest(w, r, rt, lang, ids)
	a, err := p.answer(req)
	if err != nil {
		return p.explain(err)
	}
	return p.write(w, req, a)
}

func (p *Portal) newRequest(
	w http.ResponseWriter, r *http.Request, rt *route, lang locale.Language, ids []string,
) *request {
	return &request{
		Writer: p.renderer.Writer(lang), portal: p, w: w, http: r, ctx: r.Context(), base: r.Context(), route: rt, ids: ids,
		query: r.URL.Query(),
	}
}

// answer reads the form, finds out who asks, refuses forms that are not ours, and calls the handler.
// Until the form has come, and for whoever has no cookie of ours, nothing waits for an engine.
func (p *Portal) answer(r *request) (*answer, error) {
	switch r.http.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		e := web.Errorf(http.StatusMethodNotAllowed, "account pages answer GET, HEAD and POST")
		e.Header = http.Header{"Allow": {"GET, HEAD, POST"}}
		return nil, e
	}
	post := r.http.Method == http.MethodPost
	if post && r.route.machine != nil {
		return p.admit(r, r.route.machine)
	}
	if post {
		if err := p.origin.Check(r.http); err != nil {
			return nil, web.Wrap(http.StatusForbidden, "the form was sent by another site", err)
		}
		var err error
		if r.form, err = readForm(r.w, r.http); err != nil {
			return nil, err
		}
	}
	token := p.sessionToken(r.http)
	if token == "" && cookieOf(r.http, sessionCookie) != "" { // one from before there were MACs, or a flood
		r.hangUp()
	}
	if token == "" && !r.route.open {
		return r.toSignIn(), nil
	}
	return p.admit(r, func(r *request) (*answer, error) { return p.answerTo(r, token) })
}

// answerTo answers whoever has that token.
func (p *Portal) answerTo(r *request, token string) (*answer, error) {
	err := p.identify(r, token)
	switch {
	case err != nil:
		return nil, err
	case r.by == (account.Actor{}) && !r.route.open:
		return r.toSignIn(), nil
	case r.http.Method == http.MethodPost:
		return p.act(r)
	}
	return r.route.get(r)
}

// toSignIn sends whoever is not signed in to the page that signs in, and from there to the page that was
// asked for.
func (r *request) toSignIn() *answer {
	path := r.path("sign-in")
	if r.http.Method != http.MethodPost {
		path += "?" + nextParam + "=" + url.QueryEscape(r.http.URL.Path)
	}
	return &answer{redirect: path}
}

// act does what a form asks for.
func (p *Portal) act(r *request) (a *answer, err error) {
	signedIn := r.by != account.Actor{}
	if !p.validToken(r.form.Get(tokenField), r.tokenCookie()) {
		return nil, web.Errorf(http.StatusForbidden, "the form is not one that this browser was given")
	}
	if signedIn && r.form.Get(actionField) == signOutAction {
		if err := p.signOut(r); err != nil {
			return nil, err
		}
		return goTo(r.path("sign-in"), "signed-out")
	}
	if err := r.countForm(); err != nil {
		return nil, err
	}
	do := r.route.actions[r.form.Get(actionField)]
	if do == nil {
		return nil, web.Errorf(http.StatusBadRequest, "the form asks for nothing that there is")
	}
	if slices.Contains(r.route.outside, r.form.Get(actionField)) {
		return p.waitOutside(r, do)
	}
	return do(r)
}

// identify finds the session of a token, and knows the browser where there is none.
func (p *Portal) identify(r *request, token string) error {
	if token != "" {
		ctx, err := p.sessions.Load(r.ctx, token)
		if err != nil {
			return err
		}
		if id := p.sessions.GetString(ctx, accountValue); id != "" {
			by := account.ByAccount(id)
			owner, err := p.o.Accounts.Show(ctx, by, id)
			switch {
			case err == nil:
				r.ctx, r.session, r.account, r.by = ctx, token, owner, by
				return nil
			case !errors.Is(err, account.ErrNoAccount):
				return err
			}
		}
		dropCookie(r.w, sessionCookie) // it has ended
	}
	if r.route.open {
		r.browser = p.browser(r.w, r.http)
	}
	return nil
}

// unavailable is the error of what the database did not answer.
func unavailable(err error) error {
	e := web.Wrap(http.StatusServiceUnavailable, "account pages are not available at the moment", err)
	e.Header = http.Header{"Retry-After": {"5"}}
	return e
}

// explain turns the errors of services into those of pages. An error that nobody expected is ours: it
// is a 500, and the log has it.
func (p *Portal) explain(err error) error {
	switch _, known := errors.AsType[*web.Error](err); {
	case known:
		return err
	case isNoSuch(err):
		return web.Wrap(http.StatusNotFound, "there is no such thing in this account", err)
	case p.o.Away(err):
		return unavailable(err)
	default:
		return err
	}
}

// write writes an answer. Nothing of it may be kept by anybody. It is complete before any header is set:
// one that fails has the headers of its error alone.
func (p *Portal) write(w http.ResponseWriter, r *request, a *answer) error {
	response, err := p.respond(r, a)
	if err != nil {
		return err
	}
	web.SetFields(w, p.headers...)
	web.SetFields(w, layout.CacheNever)
	response.Write(w, r.http)
	return nil
}

func (p *Portal) respond(r *request, a *answer) (*web.Response, error) {
	switch {
	case a.redirect != "":
		return web.Redirect(http.StatusSeeOther, a.redirect), nil
	case a.file != nil:
		return web.NewResponse(http.StatusOK, a.file.contentType, "", a.file.data,
			web.NewField("Content-Disposition", `attachment; filename="`+a.file.name+`"`)), nil
	}
	html, err := p.render(r, a)
	if err != nil {
		return nil, err
	}
	response := layout.HTML(cmp.Or(a.status, http.StatusOK), html)
	response.Fields = a.headers
	return response, nil
}
