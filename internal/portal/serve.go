package portal

import (
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
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
	p := &Portal{
		o: o, sessions: newSessions(o.Sessions), origin: http.NewCrossOriginProtection(), all: routes(),
		routes: make(map[string]*route), headers: layout.Headers(o.BaseURL, false),
	}
	for _, secret := range [][]byte{o.Secret, o.Previous} {
		if len(secret) == 0 {
			continue
		}
		key, err := hkdf.Key(sha256.New, secret, nil, "palmares form tokens", sha256.Size)
		if err != nil {
			return nil, err
		}
		p.formKeys = append(p.formKeys, key)
	}
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
		return web.Errorf(http.StatusNotFound, "there is no such page")
	}
	r.Pattern = rt.paths[lang]
	req := p.newRequest(w, r, rt, lang, ids)
	a, err := p.answer(req)
	if err != nil {
		return explain(err)
	}
	return p.write(w, req, a)
}

func (p *Portal) newRequest(
	w http.ResponseWriter, r *http.Request, rt *route, lang locale.Language, ids []string,
) *request {
	return &request{
		Writer: p.renderer.Writer(lang), portal: p, w: w, http: r, ctx: r.Context(), route: rt, ids: ids,
		query: r.URL.Query(),
	}
}

// answer finds out who asks, refuses forms that are not ours, and calls the handler.
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
		return r.route.machine(r)
	}
	if post {
		if err := p.origin.Check(r.http); err != nil {
			return nil, web.Wrap(http.StatusForbidden, "the form was sent by another site", err)
		}
	}
	if err := p.identify(r); err != nil {
		return nil, err
	}
	if !post {
		if r.by == (account.Actor{}) && !r.route.open {
			return &answer{redirect: r.path("sign-in") + "?" + nextParam + "=" + url.QueryEscape(r.http.URL.Path)}, nil
		}
		return r.route.get(r)
	}
	return p.act(r)
}

// act does what a form asks for.
func (p *Portal) act(r *request) (a *answer, err error) {
	if r.form, err = readForm(r.w, r.http); err != nil {
		return nil, err
	}
	signedIn := r.by != account.Actor{}
	if !signedIn && !r.route.open {
		return &answer{redirect: r.path("sign-in")}, nil
	}
	if !p.validToken(r.form.Get(tokenField), r.tokenCookie()) {
		return nil, web.Errorf(http.StatusForbidden, "the form is not one that this browser was given")
	}
	if signedIn && r.form.Get(actionField) == signOutAction {
		if err := p.signOut(r); err != nil {
			return nil, err
		}
		return goTo(r.path("sign-in"), "signed-out")
	}
	do := r.route.actions[r.form.Get(actionField)]
	if do == nil {
		return nil, web.Errorf(http.StatusBadRequest, "the form asks for nothing that there is")
	}
	return do(r)
}

// identify finds the session of a request, and knows the browser where there is none.
func (p *Portal) identify(r *request) error {
	if cookie := cookieOf(r.http, sessionCookie); cookie != "" {
		ctx, err := p.sessions.Load(r.ctx, cookie)
		if err != nil {
			return unavailable(err)
		}
		if id := p.sessions.GetString(ctx, accountValue); id != "" {
			by := account.ByAccount(id)
			owner, err := p.o.Accounts.Show(ctx, by, id)
			switch {
			case err == nil:
				r.ctx, r.session, r.account, r.by = ctx, cookie, owner, by
				return nil
			case !errors.Is(err, account.ErrNoAccount):
				return unavailable(err)
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

// explain turns the errors of services into those of pages.
func explain(err error) error {
	switch _, known := errors.AsType[*web.Error](err); {
	case known:
		return err
	case isNoSuch(err):
		return web.Wrap(http.StatusNotFound, "there is no such thing in this account", err)
	default:
		return unavailable(err)
	}
}

// write writes an answer. Nothing of it may be kept by anybody.
func (p *Portal) write(w http.ResponseWriter, r *request, a *answer) error {
	web.SetFields(w, p.headers...)
	web.SetFields(w, layout.CacheNever)
	maps.Copy(w.Header(), a.headers)
	switch {
	case a.redirect != "":
		web.SetField(w, "Location", a.redirect)
		web.WriteWhole(w, r.http, http.StatusSeeOther, nil)
		return nil
	case a.file != nil:
		web.SetField(w, "Content-Type", a.file.contentType)
		web.SetField(w, "Content-Disposition", `attachment; filename="`+a.file.name+`"`)
		web.WriteWhole(w, r.http, http.StatusOK, a.file.data)
		return nil
	}
	html, err := p.render(r, a)
	if err != nil {
		return err
	}
	status := a.status
	if status == 0 {
		status = http.StatusOK
	}
	layout.NewPage(status, layout.HTMLType, html, false).Write(w, r.http)
	return nil
}
