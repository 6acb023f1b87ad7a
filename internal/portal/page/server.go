package page

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/web"
)

// Options say what the pages are, and what they stand on. Those from Now on may be missing.
type Options struct {
	Routes    []Route
	Menu      []address.Page // the side navigation, in order
	Texts     layout.Texts   // of the pages; Texts of this package come with them
	Templates []fs.FS        // of the pages; those of this package come with them

	Accounts   *account.Service
	Sessions   SessionStore
	Limits     limit.Counter
	Catalog    Catalog
	Secrets    secrets.Ring
	BaseURL    string  // the service's own address, without a slash at its end
	Subdomains bool    // every name below that of BaseURL has https, too
	Sells      bool    // Pro is sold: the foot of pages leads to where it is ended
	Contact    string  // the operator's e-mail address; "" names none
	NotFound   []error // with which services answer for what the account does not have

	Now      func() time.Time
	Patience time.Duration      // how long a request waits for engines; 5 s when 0
	Away     func(error) bool   // reports whether an error is of a database that did not answer
	SignedIn func()             // counts sign-ins
	Refused  func(why string)   // counts requests that found too many others; one of Refusals
	Limited  func(limit string) // counts what was refused because it is done too often
}

// Catalog gives the snapshot whose edition and name the frame shows.
type Catalog interface {
	Current() *catalog.Snapshot
}

// A Server answers requests for account pages.
type Server struct {
	o        Options
	pages    pages
	tokens   tokens
	sessions sessions
	origin   *http.CrossOriginProtection
	// Those who wait for engines, and those who wait for servers that are not ours. The latter may take
	// as long as whoever runs them likes, so they have a gate of their own: when it is full, the other
	// pages go on.
	inside, outside *limit.Gate

	renderer *layout.Renderer
	headers  []web.Field
	refusals [2]atomic.Pointer[refusalPage] // by language
}

// A refusalPage is the page of those who are refused, as it looks with a snapshot.
type refusalPage struct {
	of   *catalog.Snapshot
	page *web.Response
}

// requestFor is how long a request waits for engines, and outsideFor how long one waits for servers that
// are not ours: less than the 30 s that an answer has.
const (
	requestFor = 5 * time.Second
	outsideFor = 25 * time.Second
)

// How many requests wait at once: of all, and of one client or account.
const (
	maxRequests   = 64
	maxOfAClient  = 8
	maxOutside    = 16
	maxOfAAccount = 2
)

// New makes a server.
func New(o Options) (*Server, error) {
	o.setDefaults()
	all, err := newPages(o.Routes)
	if err != nil {
		return nil, err
	}
	t, err := newTokens(o.Secrets)
	if err != nil {
		return nil, err
	}
	renderer, err := newRenderer(o.Texts, o.Templates)
	if err != nil {
		return nil, err
	}
	return &Server{
		o: o, pages: all, tokens: t, sessions: newSessions(o.Sessions, t), origin: http.NewCrossOriginProtection(),
		inside: limit.NewGate(maxRequests), outside: limit.NewGate(maxOutside),
		renderer: renderer, headers: layout.Headers(o.BaseURL, o.Subdomains),
	}, nil
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience == 0 {
		o.Patience = requestFor
	}
	if o.Away == nil {
		o.Away = func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }
	}
	if o.SignedIn == nil {
		o.SignedIn = func() {}
	}
	if o.Refused == nil {
		o.Refused = func(string) {}
	}
	if o.Limited == nil {
		o.Limited = func(string) {}
	}
}

// InFlight is how many requests wait for engines, and how many for servers that are not ours.
func (s *Server) InFlight() (inside, outside int) { return s.inside.In(), s.outside.In() }

// An exchange is a request with what its handler does not see.
type exchange struct {
	*Request

	w          http.ResponseWriter
	http       *http.Request
	page       *servedPage     // nil where there is none
	leave      func()          // ends what the request takes of those that run at once
	sessionCtx context.Context //nolint:containedctx // holds the session; nil without one
}

// hangUp ends the connection with the response. A node that has no more connections takes a new one when
// it may close an old one, which it may not while that has a request: whoever floods it gives up the
// connection with each response, and waits for the next one behind everybody else.
func (x *exchange) hangUp() { x.w.Header().Set("Connection", "close") }

// isRead reports whether the request only asks for a page.
func (x *exchange) isRead() bool { return x.http.Method != http.MethodPost }
