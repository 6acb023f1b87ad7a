package testkit

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// A Browser fetches pages and submits their forms. Like Chromium, and unlike net/http/cookiejar, it sends Secure
// cookies to loopback over http.
type Browser struct {
	Base    string            // the URL before every path, without a slash at its end
	From    string            // sent as X-Forwarded-For, as a proxy would; "" sends none
	Agent   string            // the User-Agent
	Cookies map[string]string // by name

	tb     testing.TB
	client *http.Client
	token  string // the form token of the last page that had one
}

// NewBrowser returns a browser without cookies.
func NewBrowser(tb testing.TB, base string) *Browser {
	tb.Helper()
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	return &Browser{
		Base: base, Cookies: make(map[string]string), tb: tb,
		client: &http.Client{Transport: transport, Timeout: Patience, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
}

// Get visits a page. It follows no redirect.
func (b *Browser) Get(path string) Response {
	b.tb.Helper()
	return b.send(http.MethodGet, path, nil)
}

// Submit posts a form with the token of the last page that had one: fetch the form's page first.
func (b *Browser) Submit(path, action string, fields map[string]string) Response {
	b.tb.Helper()
	form := url.Values{"action": {action}, "jeton": {b.token}}
	for name, value := range fields {
		form.Set(name, value)
	}
	return b.send(http.MethodPost, path, form)
}

var formToken = regexp.MustCompile(`name="jeton" value="([^"]+)"`)

func (b *Browser) send(method, path string, form url.Values) Response {
	b.tb.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(context.Background(), method, b.Base+path, body)
	Must(b.tb, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if b.From != "" {
		req.Header.Set("X-Forwarded-For", b.From)
	}
	req.Header.Set("User-Agent", b.Agent)
	for name, value := range b.Cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	resp, err := b.client.Do(req)
	Must(b.tb, err)
	text, err := io.ReadAll(resp.Body)
	Must(b.tb, err)
	Must(b.tb, resp.Body.Close())
	for _, c := range resp.Cookies() {
		if b.Cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.Cookies, c.Name)
		}
	}
	if m := formToken.FindSubmatch(text); m != nil {
		b.token = html.UnescapeString(string(m[1]))
	}
	got := Response{resp.StatusCode, resp.Header, string(text)}
	CheckRendered(b.tb, path, got)
	return got
}
