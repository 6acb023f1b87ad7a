// Package palmares calls the API of a Palmarès catalogue: tested AI tools, their prices, their ends and what changes.
//
//	client, err := palmares.New("https://catalogue.example", palmares.Options{Key: os.Getenv("PALMARES_API_KEY")})
//	for tool, err := range client.ListTools(ctx, palmares.ListToolsParams{Category: []string{"code"}}).Items() { … }
//
// Methods are named after the operations of the contract. They repeat what failed for a moment (429, 503 and the
// network), ask conditionally for what a Store has, and return an *Error with the code of what the service refuses.
package palmares

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Version is that of this client.
const Version = "0.1.0"

const (
	// longestWait is the longest Retry-After that is waited out. What takes longer is for the caller to decide.
	longestWait = 60 * time.Second
	// maxBody bounds what is held in memory of a response, once it is decompressed.
	maxBody = 256 << 20
)

// Options are what a client may be given. The zero value is an anonymous client that stores nothing.
type Options struct {
	// Key is the API key. Without one, 100 requests a day are free per address.
	Key string
	// Store keeps responses, to ask for them conditionally: what has not changed costs nothing. See Memory and Directory.
	Store Store
	// HTTPClient sends the requests (http.DefaultClient). Its redirects are not followed: the key stays with the service.
	HTTPClient *http.Client
	// Retries is how often a request is repeated at most (3). Negative is never.
	Retries int
	// WaitBudget is how long a request may wait between attempts, all together (90 s). Negative is not at all.
	WaitBudget time.Duration
	// Timeout is the longest silence of the service that is put up with (30 s).
	Timeout time.Duration
}

// A Client calls one service. It may be used by several goroutines at a time.
type Client struct {
	base    string // without a slash at its end
	key     string
	store   Store
	http    *http.Client
	retries int
	budget  time.Duration
	timeout time.Duration
}

// New returns a client of the service at baseURL, such as https://catalogue.example. There is no default.
func New(baseURL string, o Options) (*Client, error) {
	u, err := url.Parse(baseURL)
	switch {
	case baseURL == "":
		return nil, errors.New("palmares: the base URL is missing: that of a service, such as https://catalogue.example")
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, errors.New("palmares: the base URL is not one of http or https, such as https://catalogue.example")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("palmares: the base URL has more than a host and a path")
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("palmares: the API key has characters that no key has, such as a space or a line break")
	}
	c := &Client{
		base: strings.TrimRight(u.String(), "/"), key: o.Key, store: o.Store,
		retries: max(0, orElse(o.Retries, 3)), budget: max(0, orElse(o.WaitBudget, 90*time.Second)),
		timeout: orElse(o.Timeout, 30*time.Second),
	}
	given := http.DefaultClient
	if o.HTTPClient != nil {
		given = o.HTTPClient
	}
	own := *given // the caller's stays as it is
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

// String never shows the key.
func (c *Client) String() string { return fmt.Sprintf("palmares.Client(%s)", c.base) }

// GoString never shows the key.
func (c *Client) GoString() string { return c.String() }

// Ptr returns a pointer to v, for parameters of which 0 is a value: PriceMax: palmares.Ptr(0.0).
func Ptr[T any](v T) *T { return &v }

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
