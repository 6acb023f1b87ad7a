package verify

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"

	"github.com/palmares-hq/palmares/internal/guard"
)

// Limits of a request.
const (
	requestTimeout = 20 * time.Second
	maxHeader      = 256 << 10
	maxPage        = 2_000_000
	maxRobots      = 500 << 10
	maxAddress     = 2000 // length of the address in a redirect
)

// A Verifier checks facts against the pages that they name as their sources.
type Verifier struct {
	Agent    string                // the User-Agent header
	Progress func(done, total int) // nil, or called with the number of pages done so far, by one goroutine at a time

	// The rest is for tests, which run their own servers and cannot wait long.
	allow   []netip.Prefix              // networks that are allowed although they are not public
	resolve func(address string) string // maps the address to connect to
	tls     *tls.Config
	second  time.Duration // the unit of pauses
	timeout time.Duration // per request
}

// A client sends requests, one at a time per site, and connects only to public addresses.
type client struct {
	transport *http.Transport
	agent     string
	second    time.Duration // the unit of pauses
	timeout   time.Duration
	paces     paces
}

func newClient(v *Verifier) *client {
	dialer := &net.Dialer{Control: guard.Public(v.allow, 80, 443)}
	c := &client{agent: v.Agent, second: cmp.Or(v.second, time.Second), timeout: cmp.Or(v.timeout, requestTimeout)}
	c.paces = paces{pause: c.second, sites: make(map[string]*pace)}
	secure := v.tls
	if secure == nil {
		secure = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	c.transport = &http.Transport{
		Proxy: nil, // a proxy's connections would bypass the guard
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if v.resolve != nil {
				address = v.resolve(address)
			}
			return dialer.DialContext(ctx, network, address)
		},
		TLSClientConfig:        secure,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        requestTimeout,
		MaxResponseHeaderBytes: maxHeader,
	}
	return c
}

func (c *client) close() { c.transport.CloseIdleConnections() }

// A reply is what a server answered.
type reply struct {
	status int
	header http.Header
	body   []byte // of a 200
	cut    bool   // the body is longer than what was read
	broken error  // why the body could not be read to its end
}

// get waits for the site's turn, sends one request and reads at most so many bytes of the body.
func (c *client) get(parent context.Context, u *url.URL, most int64) (reply, error) {
	p := c.paces.of(siteOf(u))
	if err := p.begin(parent); err != nil {
		return reply{}, err
	}
	defer p.end()
	ctx, cancel := context.WithTimeout(parent, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return reply{}, err
	}
	request.Header = http.Header{
		"User-Agent":      {c.agent},
		"Accept":          {"text/html, application/xhtml+xml, text/plain, text/markdown, application/json;q=0.9"},
		"Accept-Language": {"fr, en;q=0.8"},
	}
	// A transport, unlike a client, follows no redirects and keeps no cookies.
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }() // what is wanted of it was read
	r := reply{status: response.StatusCode, header: response.Header}
	if r.status == http.StatusOK {
		r.body, r.broken = io.ReadAll(io.LimitReader(response.Body, most+1))
		if r.cut = int64(len(r.body)) > most; r.cut {
			r.body = r.body[:most]
		}
	}
	return r, nil
}

// failure returns why a request failed. It never quotes the error, which may contain text from the server.
func failure(ctx context.Context, err error) string {
	var unresolved *net.DNSError
	var untrusted *tls.CertificateVerificationError
	var slow interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil:
		return interrupted
	case errors.Is(err, guard.ErrNotPublic), errors.Is(err, guard.ErrNetwork):
		return "its address is not public"
	case errors.Is(err, guard.ErrPort):
		return "its port is neither 80 nor 443"
	case errors.As(err, &unresolved):
		return "its host name could not be resolved"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return "it took longer than 20 seconds"
	case errors.As(err, &untrusted):
		return "its certificate is not valid"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	}
	return "the connection failed"
}

const interrupted = "interrupted"

// siteOf returns the name of an address's site: its host without www, whatever the scheme.
func siteOf(u *url.URL) string { return strings.TrimPrefix(hostOf(u), "www.") }

// hostOf returns the host of an address in the form used for requests: lower case, international names in xn--
// form.
func hostOf(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		return ascii
	}
	return host
}

// shownHost returns the host if it is safe to print, otherwise "another host": a server may redirect anywhere.
func shownHost(u *url.URL) string {
	host := hostOf(u)
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		return addr.String()
	}
	if len(host) > 253 || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
		return "another host"
	}
	return host
}
