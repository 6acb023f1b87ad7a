package portal

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/web"
)

// A request is all that a handler may depend on.
type request struct {
	layout.Writer // of its language

	portal  *Portal
	w       http.ResponseWriter // for cookies; a handler writes nothing to it
	http    *http.Request
	ctx     context.Context //nolint:containedctx // holds the session; a request is one call long
	base    context.Context //nolint:containedctx // ends when the client hangs up, and not before
	route   *route
	ids     []string   // those in the path
	query   url.Values // of the address
	form    url.Values // of a POST
	browser string     // the cookie that knows the browser before it is signed in; "" with a session
	session string     // the token of the session; "" without one

	account account.Account // that is signed in; the zero Account on open routes
	by      account.Actor   // that account

	leave func() // ends what the request takes of those that run at once
}

// The fields that every form has.
const (
	tokenField    = "jeton"
	actionField   = "action"
	nextParam     = "suite"
	signOutAction = "sign-out"
)

// maxForm is the size of the largest form that is read.
const maxForm = 64 << 10

// readForm reads the form of a POST.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	contentType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(contentType), "application/x-www-form-urlencoded") {
		return nil, web.Errorf(http.StatusUnsupportedMediaType, "a form is sent as application/x-www-form-urlencoded")
	}
	if err := r.ParseForm(); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, web.Errorf(http.StatusRequestEntityTooLarge, "the form has more than 64 KB")
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, web.Wrap(http.StatusRequestTimeout, "the form did not come in time", err)
		}
		return nil, web.Errorf(http.StatusBadRequest, "the form cannot be read")
	}
	return r.PostForm, nil
}

// field is a field of the form without the spaces around it.
func (r *request) field(name string) string { return strings.TrimSpace(r.form.Get(name)) }

// token is what the forms of this page carry.
func (r *request) token() string {
	return formToken(r.portal.formKeys[0], r.tokenCookie())
}

// tokenCookie is what the token of forms belongs to: the session's token, or the browser's cookie.
func (r *request) tokenCookie() string {
	if r.session != "" {
		return r.session
	}
	return r.browser
}

// path is where a page is, in the language of this one.
func (r *request) path(name string, ids ...string) string {
	return r.portal.routes[name].path(r.Language, ids...)
}

// contact is where the operator is reached, as the foot of every page says.
func (r *request) contact() layout.Contact {
	return r.Operator(r.portal.o.Catalog.Current(), r.portal.o.Contact).Contact
}
