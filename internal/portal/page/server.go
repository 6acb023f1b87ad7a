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

// Options are the pages and what they need. The fields from Now on are optional.
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
	Subdomains bool    // all subdomains of BaseURL's host have https, too
	Sells      bool    // Pro is sold: the footer links to the page that ends it
	Contact    string  // the operator's e-mail address; "" for none
	NotFound   []error // the errors that services return for an object that the account does not have

	Now      func() time.Time
	Timeout  time.Duration      // how long a request waits for PostgreSQL and Redis; 5 s when 0
	Away     func(error) bool   // reports whether an error means that the database did not answer
	SignedIn func()             // counts sign-ins
	Refused  func(why string)   // counts requests refused because too many are running; one of Refusals
	Limited  func(limit string) // counts actions refused because they are done too often
}

// Catalog returns the current snapshot, whose edition and service name the frame shows.
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
	// inside admits requests that wait for our own engines, outside those that wait for third-party servers.
	// The latter may be as slow as their operators like, so they have a gate of their own: when it is full, the
	// other pages still work.
	inside, outside *limit.Gate

	renderer *layout.Renderer
	headers  []web.Field
	refusals [2]atomic.Pointer[refusalPage] // by language
}

// A refusalPage is the cached page of a refusal, and the snapshot it was rendered with.
type refusalPage struct {
	of   *catalog.Snapshot
	page *web.Response
}

// requestFor is how long a request waits for our own engines, outsideFor how long one waits for third-party
// servers. Both are less than the 30 s that a response may take.
const (
	requestFor = 5 * time.Second
	outsideFor = 25 * time.Second
)

// How many requests run at once: in all and of one client, and for third-party servers in all and of one
// account.
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
	if o.Timeout == 0 {
		o.Timeout = requestFor
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

// InFlight returns how many requests hold an ordinary slot, and how many wait for third-party servers instead.
func (s *Server) InFlight() (inside, outside int) { return s.inside.Len(), s.outside.Len() }

// An exchange is a Request with the parts that its handler does not see.
type exchange struct {
	*Request

	w          http.ResponseWriter
	http       *http.Request
	page       *servedPage     // nil on error pages
	leave      func()          // gives up the request's slot; calling it again does nothing
	sessionCtx context.Context //nolint:containedctx // holds the session; nil without one
}

// hangUp closes the connection with the response. A node at its limit of connections can take a new one only by
// closing an idle one. A client that floods it loses its connection with each response, and queues behind
// everybody else for the next.
func (x *exchange) hangUp() { x.w.Header().Set("Connection", "close") }

// isRead reports whether the request is a GET or a HEAD.
func (x *exchange) isRead() bool { return x.http.Method != http.MethodPost }
