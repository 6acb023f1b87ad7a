package stripefake

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Version is the version of Stripe's API that the server speaks, also in its events.
const Version = "2026-08-26.dahlia"

// Options configure a Server. For an empty Key, Secret or Price the server makes one, which is in its fields.
type Options struct {
	Key      string           // the API key that calls must carry
	Secret   string           // signs events
	Price    string           // the id of the first price: 99 € a month, excluding tax
	Endpoint string           // where events are sent as they happen; "" sends none
	Bare     bool             // only the account and its tax are set up: no product, price, portal or endpoint
	Now      func() time.Time // time.Now when nil
}

// A Server stands in for Stripe. It is safe for concurrent use.
type Server struct {
	URL                string
	Key, Secret, Price string

	now    func() time.Time
	http   *http.Server
	served chan error
	sender *sender // nil without an endpoint
	run    string  // makes ids different from those of other servers

	mu             sync.Mutex
	away           bool
	refusal        *fault
	delay          func() time.Duration
	buyer          func(order map[string]string) Buyer
	version        string
	count          int // of objects, for their ids
	price          Price
	otherPrices    []*Price
	products       []*Product // those made by calls
	setup          Setup
	moment         time.Time          // the time at which the step being done was due; zero for now
	tax            Rate               // of new invoices; for the zero Rate the address decides
	unfinalized    *FinalizationError // of new invoices; nil for none
	pendingRefunds bool               // new refunds stay pending
	later          bool               // checkouts are paid by a delayed method
	live           bool               // objects say that they are in live mode
	numbers        int                // of invoices
	disputed       *dispute           // the last one
	customers      []*Customer        // all lists have the oldest object first
	checkouts      []*Checkout
	portals        []*Portal
	subscriptions  []*Subscription
	invoices       []*Invoice
	creditNotes    []*CreditNote
	charges        []*Charge
	refunds        []*Refund
	methods        []*PaymentMethod
	taxIDs         []*TaxID
	otherMode      map[string]bool // customers of the other mode
	events         []Event
	undelivered    map[string]bool // events that an endpoint has not taken yet, by id
	requests       []Request
	answers        map[string]*answer // by idempotency key
}

// Start starts a server that listens on an address.
func Start(ctx context.Context, addr string, o Options) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listening for calls: %w", err)
	}
	run := strings.ToLower(rand.Text()[:8])
	s := &Server{
		URL: "http://" + listener.Addr().String(), run: run, now: o.Now,
		Key: or(o.Key, "sk_test_"+run), Secret: or(o.Secret, "whsec_"+run), Price: or(o.Price, "price_"+run),
		served: make(chan error, 1), version: Version, answers: make(map[string]*answer),
		delay: func() time.Duration { return 0 }, buyer: Stranger, otherMode: make(map[string]bool), undelivered: make(map[string]bool),
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.price = Price{
		ID: s.Price, Object: "price", Active: true, Currency: "eur", TaxBehavior: "exclusive", Type: "recurring",
		Product: "prod_" + run, UnitAmount: 9900, Recurring: Recurring{Interval: "month", IntervalCount: 1, UsageType: "licensed"},
	}
	s.setup = newSetup(s.now(), o.Endpoint, Version)
	if o.Bare {
		s.Price, s.price, s.setup.Portals, s.setup.Endpoints = "", Price{}, nil, nil
	}
	s.setup.Account.ID = "acct_" + run // differs from that of other servers
	if o.Endpoint != "" {
		s.sender = startSender(s.Events, s.wants, func(ctx context.Context, e Event) error { return s.Deliver(ctx, o.Endpoint, e) })
	}
	s.http = &http.Server{Handler: s.routes(), ReadTimeout: time.Minute}
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// Close stops the server and the sending of events, and closes all connections.
func (s *Server) Close() error {
	if s.sender != nil {
		s.sender.stop()
	}
	err := s.http.Close()
	if ended := <-s.served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// Away makes the server hang up on every call, or with false answer again.
func (s *Server) Away(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}

// Refuse makes the server answer every call with that error, until it is called with the status 0. A refused
// call does nothing. With 402, or 500 and above, it counts as failed while it ran, and the failure is repeated
// under its idempotency key for a day.
func (s *Server) Refuse(status int, kind, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = nil
	if status != 0 {
		s.refusal = &fault{Status: status, Type: kind, Code: code, Message: "told to refuse"}
	}
}

// Delay makes the server wait between doing a call and answering it, so that the answer may be out of date
// when it is sent.
func (s *Server) Delay(delay func() time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = delay
}

// SetLive makes every answer and event say that it is from live mode, or with false from a sandbox again.
func (s *Server) SetLive(live bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = live
}

// newID returns an id that no other object has.
func (s *Server) newID(prefix string) string {
	s.count++
	return fmt.Sprintf("%s_%s%06d", prefix, s.run, s.count)
}

// time returns the time at which something happens: now, or when a step that tick does was due.
func (s *Server) time() time.Time {
	if !s.moment.IsZero() {
		return s.moment
	}
	return s.now()
}

// lockAndTick locks the server and first does everything that is due.
func (s *Server) lockAndTick() {
	s.mu.Lock()
	s.tick()
}

// wants reports whether events of a kind are sent.
func (s *Server) wants(kind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.setup.wants(kind)
}
