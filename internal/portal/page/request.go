package page

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A Request is everything that a handler knows of the HTTP request. The services it needs are fields of its own
// type.
type Request struct {
	Text layout.Writer // writes in the language of the page

	Account account.Account // the signed-in account; zero when nobody is signed in
	By      account.Actor   // the same account, as an actor
	Session string          // the session's token; "" when nobody is signed in
	Browser string          // the cookie that identifies a browser without a session; "" when there is a session
	Client  netip.Addr

	IDs   []string   // from the path
	Query url.Values // from the URL
	Form  url.Values // the body of a POST
	Next  string     // the path to return to after signing in; "" for none
	Now   time.Time

	Pro     catalog.Pro    // what the operator promises with the Pro plan
	Contact layout.Contact // how to reach the operator, as in the footer of every page

	ctx     context.Context //nolint:containedctx // a request is one call long
	log     func(error)
	outside func(wait func(context.Context)) error
}

// A Handler answers a request.
type Handler func(*Request) (*Answer, error)

// Context returns the context of the request, which ends at the request's deadline.
func (r *Request) Context() context.Context { return r.ctx }

// LogError logs an error of a request that is answered all the same.
func (r *Request) LogError(err error) { r.log(err) }

// WaitOutside calls wait, which fetches a part of the page from third-party servers. Call it last: nothing may
// wait for our own services after it. If too many requests are waiting for such servers, it returns ErrCrowded
// without calling wait, and the page leaves the part out.
func (r *Request) WaitOutside(wait func(context.Context)) error { return r.outside(wait) }

// ErrCrowded means that too many requests are waiting for third-party servers.
var ErrCrowded = errors.New("too many requests wait for servers that are not ours")

// Field returns a form field without leading and trailing spaces.
func (r *Request) Field(name string) string { return strings.TrimSpace(r.Form.Get(name)) }

// At returns the path of a page in the language of the current one.
func (r *Request) At(p address.Page, ids ...string) string { return p.At(r.Text.Language, ids...) }

// SignInPath returns the path of the sign-in page. next is the path to return to after signing in; "" for the
// default page.
func SignInPath(l locale.Language, next string) string {
	path := address.SignIn.At(l)
	if next != "" {
		path += "?" + nextParam + "=" + url.QueryEscape(next)
	}
	return path
}

// nextParam is the query parameter, and the form field, with the path to return to after signing in.
const nextParam = "suite"
