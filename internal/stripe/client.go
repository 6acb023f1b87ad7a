package stripe

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// Version is the version of Stripe's API that this program was written for. The endpoint for events
// is created with it.
const Version = stripego.APIVersion

// patience is how long a call may take, and how long connecting may.
const patience = 10 * time.Second

// Options configure a Client.
type Options struct {
	Key           string // PALMARES_STRIPE_KEY
	WebhookSecret string // PALMARES_STRIPE_WEBHOOK_SECRET, of the endpoint for events
	Price         string // PALMARES_STRIPE_PRICE, the id of the price of the Pro plan

	// Waits are the pauses before each retry of a page of a long list; nil for 1 s, 5 s and 15 s.
	Waits []time.Duration

	URL  string       // of a stand-in for Stripe; "" for Stripe itself
	HTTP *http.Client // nil for one that gives up after 10 s
}

// A Client talks to Stripe. It is safe for concurrent use. It never retries a call by itself, except for the pages of a
// long list: callers retry, with the same idempotency key.
type Client struct {
	backend stripego.Backend
	http    *http.Client
	key     string
	price   string
	product atomic.Pointer[string] // the id of the price's product; nil until it was read
	secret  []byte
	waits   []time.Duration
}

var _ billing.Provider = (*Client)(nil)

// New returns a client. It does not connect. Its errors do not repeat the key.
func New(o Options) (*Client, error) {
	if o.Key == "" || o.WebhookSecret == "" || o.Price == "" {
		return nil, errors.New("stripe needs a key, a secret for events and a price")
	}
	return connect(o)
}

// NewForSetUp returns a client that needs only a key, to set up at Stripe what New needs. It returns an error for a key
// that is not Stripe's.
func NewForSetUp(o Options) (*Client, error) {
	if !IsTest(o.Key) && !isLive(o.Key) {
		return nil, errors.New("this is no key of Stripe's: one begins with rk_live_, sk_live_, rk_test_ or sk_test_")
	}
	return connect(o)
}

func connect(o Options) (*Client, error) {
	config := &stripego.BackendConfig{
		HTTPClient:        o.HTTP,
		EnableTelemetry:   new(false),
		MaxNetworkRetries: new(int64(0)),
		// The library logs addresses, answers and messages, and by default it does so to stderr.
		LeveledLogger: &stripego.LeveledLogger{Level: stripego.LevelNull},
	}
	if config.HTTPClient == nil {
		config.HTTPClient = newHTTPClient()
	}
	if o.Waits == nil {
		o.Waits = []time.Duration{time.Second, 5 * time.Second, 15 * time.Second}
	}
	if o.URL != "" {
		at, err := url.Parse(o.URL)
		if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
			return nil, fmt.Errorf("the address of Stripe is %q: it is one such as http://127.0.0.1:12111", o.URL)
		}
		config.URL = new(o.URL)
	}
	return &Client{
		backend: stripego.GetBackendWithConfig(stripego.APIBackend, config),
		http:    config.HTTPClient,
		key:     o.Key,
		price:   o.Price,
		secret:  []byte(o.WebhookSecret),
		waits:   o.Waits,
	}, nil
}

// Close closes the connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// newHTTPClient returns a client that follows no redirects, so that the key is sent only to Stripe.
func newHTTPClient() *http.Client {
	return &http.Client{
		Timeout: patience,
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: patience}).DialContext,
			TLSHandshakeTimeout: patience,
			IdleConnTimeout:     time.Minute,
			MaxIdleConnsPerHost: 8,
			ForceAttemptHTTP2:   true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
