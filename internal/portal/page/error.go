package page

import (
	"errors"
	"net/http"
	"slices"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/web"
)

// explain turns the errors of services into web errors. An error it does not know stays as it is: it becomes a
// 500, and is logged.
func (s *Server) explain(err error) error {
	switch _, known := errors.AsType[*web.Error](err); {
	case known:
		return err
	case slices.ContainsFunc(s.o.NotFound, func(target error) bool { return errors.Is(err, target) }):
		return web.Wrap(http.StatusNotFound, "there is no such thing in this account", err)
	case s.o.Away(err):
		return retrySoon("account pages are not available at the moment", err)
	default:
		return err
	}
}

// retrySoon returns a 503 that asks the client to retry in a few seconds.
func retrySoon(message string, err error) error {
	e := web.Wrap(http.StatusServiceUnavailable, message, err)
	e.Header = http.Header{"Retry-After": {"5"}}
	return e
}

// isRefusal reports whether an error means that too many requests are running, rather than that the database is
// unavailable.
func isRefusal(err error) bool {
	return errors.Is(err, limit.ErrFull) || errors.Is(err, limit.ErrShare)
}

// WriteError answers with the page of an error, in the language of the path. If that page cannot be made, it
// answers in plain text.
func (s *Server) WriteError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	req := &Request{Text: s.renderer.Writer(address.LanguageOf(r.URL.Path))}
	body := req.errorBody(e)
	page, err := s.errorPage(&exchange{Request: req, w: w, http: r}, e, body)
	if err != nil {
		web.SetError(w, err)
		web.WritePlainError(w, r, e)
		return
	}
	web.SetFields(w, s.headers...)
	web.SetFields(w, layout.CacheNever)
	for name, values := range e.Header {
		web.SetField(w, name, values[0])
	}
	page.Write(w, r)
}

// errorBody returns the heading and the sentence that explain an error on an account page.
func (r *Request) errorBody(e *web.Error) layout.ErrorBody {
	body, name := r.Text.ErrorBody(e), ""
	switch {
	case e.Status == http.StatusInternalServerError:
		name = "error.500.account"
	case e.Status == http.StatusServiceUnavailable && isRefusal(e):
		name = "error.503.crowd"
	case e.Status == http.StatusServiceUnavailable:
		name = "error.503.account"
	}
	if name != "" {
		body.Heading, body.Sentence = r.Text.Must(name), r.Text.Must(name+".sentence")
	}
	if met, ok := errors.AsType[*limit.ReachedError](e); ok {
		body.Sentence = r.limitText(met)
	}
	return body
}

// An errorPage is the body of an error page. It does not know who is signed in, so it has no form to sign out.
type errorPage struct {
	layout.ErrorBody

	SignOut, Token string // always "", but the frame reads them
}

// errorPage renders the page of an error. The page of a refusal is cached, since refusals come in great
// numbers.
func (s *Server) errorPage(x *exchange, e *web.Error, body layout.ErrorBody) (*web.Response, error) {
	snapshot, cached := s.o.Catalog.Current(), &s.refusals[x.Text.Language]
	if last := cached.Load(); last != nil && last.of == snapshot && isRefusal(e) {
		return last.page, nil
	}
	html, err := s.renderer.Render("error", s.frame(x, body.Heading, errorPage{ErrorBody: body}))
	if err != nil {
		return nil, err
	}
	page := layout.HTML(e.Status, html)
	if isRefusal(e) {
		cached.Store(&refusalPage{snapshot, page})
	}
	return page, nil
}
