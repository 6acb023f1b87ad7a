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

// A Request is what a handler knows of the request, beside the services of its own.
type Request struct {
	Text layout.Writer // writes in the language of the page

	Account account.Account // that is signed in; the zero Account for nobody
	By      account.Actor   // that account
	Session string          // the token of its session; "" for nobody
	Browser string          // the cookie that knows a browser without a session; "" with one
	Client  netip.Addr

	IDs   []string   // in the path
	Query url.Values // of the address
	Form  url.Values // of a POST
	Next  string     // the page that was asked for before signing in; "" for none
	Now   time.Time

	Pro     catalog.Pro    // what the operator promises with that plan
	Contact layout.Contact // where the operator is reached, as the foot of every page says

	ctx     context.Context //nolint:containedctx // a request is one call long
	log     func(error)
	outside func(wait func(context.Context)) error
}

// A Handler answers a request.
type Handler func(*Request) (*Answer, error)

// Context ends when the time for the request is over.
func (r *Request) Context() context.Context { return r.ctx }

// LogError has an error in the log of a request that is answered all the same.
func (r *Request) LogError(err error) { r.log(err) }

// WaitOutside calls wait for a part of a page that comes from servers which are not ours. It is the last thing
// that a handler waits for. Where too many wait for them it returns ErrCrowded, and the part is left out.
func (r *Request) WaitOutside(wait func(context.Context)) error { return r.outside(wait) }

// ErrCrowded says that too many requests wait for servers that are not ours.
var ErrCrowded = errors.New("too many requests wait for servers that are not ours")

// Field is a field of the form without the spaces around it.
func (r *Request) Field(name string) string { return strings.TrimSpace(r.Form.Get(name)) }

// At is where a page is, in the language of this one.
func (r *Request) At(p address.Page, ids ...string) string { return p.At(r.Text.Language, ids...) }

// SignInPath is where one signs in, to see a page after it; "" for the usual one.
func SignInPath(l locale.Language, next string) string {
	path := address.SignIn.At(l)
	if next != "" {
		path += "?" + nextParam + "=" + url.QueryEscape(next)
	}
	return path
}

// nextParam is the parameter, and the field, of the page to see after signing in.
const nextParam = "suite"
