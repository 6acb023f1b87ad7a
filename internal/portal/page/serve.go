package page

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

// ServeHTTP answers r.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Handler(s.serve, s.WriteError).ServeHTTP(w, r)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) error {
	p, lang, ids, ok := s.pages.find(r.URL.Path)
	if !ok {
		r.Pattern = address.Account.French
		return s.serveSlash(w, r)
	}
	r.Pattern = p.In(lang)
	x := s.newExchange(w, r, p, lang, ids)
	a, err := s.answer(x)
	if err != nil {
		return s.explain(err)
	}
	return s.write(x, a)
}

// serveSlash answers a request for an unknown path: with a redirect if the path without its final slash is a
// page, otherwise with a 404. A path with ids is always a 404, because only the owner may learn whether what an
// id names exists.
func (s *Server) serveSlash(w http.ResponseWriter, r *http.Request) error {
	to, slash := strings.CutSuffix(r.URL.Path, "/")
	_, _, ids, ok := s.pages.find(to)
	if !slash || !ok || len(ids) > 0 || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return web.Errorf(http.StatusNotFound, "there is no such page")
	}
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	web.SetFields(w, s.headers...)
	web.SetFields(w, layout.CacheNever)
	web.Redirect(http.StatusPermanentRedirect, to).Write(w, r)
	return nil
}

func (s *Server) newExchange(w http.ResponseWriter, r *http.Request, p *servedPage, lang locale.Language, ids []string) *exchange {
	x := &exchange{w: w, http: r, page: p, Request: &Request{
		Text: s.renderer.Writer(lang), Client: web.ClientAddr(w), IDs: ids, Query: r.URL.Query(), Now: s.o.Now(),
		ctx: r.Context(), log: func(err error) { web.SetError(w, err) },
	}}
	x.outside = func(wait func(context.Context)) error { return s.partOutside(x, wait) }
	return x
}

// answer reads the form, identifies the session, refuses forms of other sites, and calls the handler. Nothing
// waits for the database until the form has been read, and nothing at all does for a page that needs a session
// when the cookie is not ours.
func (s *Server) answer(x *exchange) (*Answer, error) {
	switch x.http.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		if x.page.oneClick != nil {
			return s.admit(x, func() (*Answer, error) { return x.page.oneClick(x.Request) })
		}
		if err := s.origin.Check(x.http); err != nil {
			return nil, web.Wrap(http.StatusForbidden, "the form was sent by another site", err)
		}
		form, err := web.ReadForm(x.w, x.http, maxForm)
		if err != nil {
			return nil, err
		}
		x.Form = form
	default:
		e := web.Errorf(http.StatusMethodNotAllowed, "account pages answer GET, HEAD and POST")
		e.Header = http.Header{"Allow": {"GET, HEAD, POST"}}
		return nil, e
	}
	cookie := cookieOf(x.http, sessionCookie)
	token := s.tokens.session(cookie)
	if token == "" && cookie != "" { // a cookie from before they had MACs, or one of a flood
		x.hangUp()
	}
	if token == "" && !x.page.open {
		return x.toSignIn(), nil
	}
	return s.admit(x, func() (*Answer, error) { return s.answerTo(x, token) })
}

// toSignIn redirects to the sign-in page, which leads back to the page that was asked for.
func (x *exchange) toSignIn() *Answer {
	next := ""
	if x.isRead() {
		next = x.http.URL.Path
		if x.page.keep != nil {
			next += x.page.keep(x.http.URL.RawQuery)
		}
	}
	return &Answer{Redirect: SignInPath(x.Text.Language, next)}
}

// answerTo answers a request with that session token; "" for none.
func (s *Server) answerTo(x *exchange, token string) (*Answer, error) {
	if err := s.identify(x, token); err != nil {
		return nil, err
	}
	if x.Session == "" && !x.page.open {
		return x.toSignIn(), nil
	}
	x.Next = s.next(x)
	current := s.o.Catalog.Current()
	x.Contact, x.Pro = x.Text.Operator(current, s.o.Contact).Contact, current.Service().Words.Pro
	var a *Answer
	var err error
	if x.isRead() {
		a, err = x.page.get(x.Request)
	} else {
		a, err = s.act(x)
	}
	if err != nil {
		return nil, err
	}
	return a, s.changeSession(x, a)
}

// identify fills in the session and the account of a token. Without a session, an open page identifies the
// browser by its own cookie instead.
func (s *Server) identify(x *exchange, token string) error {
	if token != "" {
		session, id, err := s.sessions.find(x.ctx, token)
		if err != nil {
			return err
		}
		if id != "" {
			by := account.ByAccount(id)
			owner, err := s.o.Accounts.Show(x.ctx, by, id)
			switch {
			case err == nil:
				x.sessionCtx, x.Session, x.Account, x.By = session, token, owner, by
				return nil
			case !errors.Is(err, account.ErrNoAccount):
				return err
			}
		}
		dropCookie(x.w, sessionCookie) // it has ended
	}
	if x.page.open {
		x.Browser = ensureBrowserCookie(x.w, x.http)
	}
	return nil
}

// next returns the path to return to after signing in; "" unless it is one of our pages that need a session. It has no
// query string but what the page itself keeps.
func (s *Server) next(x *exchange) string {
	for _, next := range []string{x.Query.Get(nextParam), x.Form.Get(nextParam)} {
		path, query, asks := strings.Cut(next, "?")
		if s.pages.needsSession(path) && (!asks || s.pages.keeps(path, query)) {
			return next
		}
	}
	return ""
}

// changeSession signs the browser in or out, if the answer says so.
func (s *Server) changeSession(x *exchange, a *Answer) error {
	if x.sessionCtx != nil && (a.SignIn != "" || a.SignOut) {
		if err := s.sessions.end(x.sessionCtx); err != nil {
			return err
		}
	}
	switch {
	case a.SignIn != "":
		// The code or link is used up by now, so the new session gets the full time, however long redeeming
		// took.
		ctx, cancel := context.WithTimeout(x.http.Context(), s.o.Timeout)
		defer cancel()
		if err := s.sessions.begin(ctx, x.w, a.SignIn, browserName(x.http.UserAgent())); err != nil {
			return err
		}
		s.o.SignedIn()
	case a.SignOut:
		dropCookie(x.w, sessionCookie)
		x.Session, x.Account, x.By = "", account.Account{}, account.Actor{}
	}
	return nil
}

// write writes an answer, which nobody may cache. It renders before it sets any header, so that a failure
// carries only the headers of its error.
func (s *Server) write(x *exchange, a *Answer) error {
	response, err := s.respond(x, a)
	if err != nil {
		return err
	}
	web.SetFields(x.w, s.headers...)
	web.SetFields(x.w, layout.CacheNever)
	response.Write(x.w, x.http)
	return nil
}
