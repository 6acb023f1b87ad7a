package verify

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const (
	maxRedirects = 5
	maxPause     = 10 // in seconds; the longest crawl delay of a robots.txt that is honoured
)

// A site fetches the pages of one site and remembers each robots.txt that it reads.
type site struct {
	client *client
	asked  map[string]permission // robots.txt by scheme and host
}

// A permission holds the rules of a robots.txt. reason, if not empty, says why it could not be read; nothing
// may be fetched then.
type permission struct {
	robots
	reason string
}

// An answer is the result of fetching a page.
type answer struct {
	verdict Verdict // "" if page was read
	detail  string
	host    string // the host that answered 200; "" for none
	page    page
}

func notChecked(reason string) answer { return answer{verdict: NotChecked, detail: reason} }

// judge returns the verdict on a fact.
func (a answer) judge(f catalog.ItemFact) Result {
	says, reason := wanted(f.FieldFact)
	switch {
	case f.Field == catalog.DomainFact && f.Text == "" && below(a.host, f.Value):
		return Result{f, Found, ""} // the page answers there
	case a.verdict != "":
		return Result{f, a.verdict, a.detail}
	case says == nil:
		return Result{f, NotChecked, reason}
	case a.page.says(says):
		return Result{f, Found, ""}
	}
	if reason := a.page.unread(); reason != "" {
		return Result{f, NotChecked, reason}
	}
	return Result{f, Absent, ""}
}

// fetch fetches a page and follows redirects within its site. A redirect to another site is a verdict of Moved.
func (s *site) fetch(ctx context.Context, address string) answer {
	u, err := url.Parse(address)
	if err != nil || !fetchable(u) {
		return notChecked("its source is not an http or https address")
	}
	for range maxRedirects + 1 {
		if reason := s.forbidden(ctx, u); reason != "" {
			return notChecked(reason)
		}
		r, err := s.client.get(ctx, u, maxPage)
		if err != nil {
			return notChecked(failure(ctx, err))
		}
		if !redirects(r.status) {
			return read(ctx, u, r)
		}
		next := target(u, r.header)
		switch {
		case next == nil:
			return notChecked("it redirects to what is not an http or https address")
		case siteOf(next) != siteOf(u):
			return answer{verdict: Moved, detail: shownHost(next)}
		}
		u = next
	}
	return notChecked(fmt.Sprintf("it redirects more than %d times", maxRedirects))
}

// read turns a server's reply into an answer.
func read(ctx context.Context, u *url.URL, r reply) answer {
	switch r.status {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return answer{verdict: Gone}
	default:
		return notChecked(fmt.Sprintf("the server answered %d", r.status))
	}
	a := answer{host: hostOf(u)}
	var reason string
	switch {
	case r.broken != nil:
		reason = "it could not be read to its end: " + failure(ctx, r.broken)
	case r.header.Get("Content-Encoding") != "": // gzip is decoded by now
		reason = "it is compressed in a way that was not asked for"
	default:
		a.page, reason = readPage(r.header.Get("Content-Type"), r.body, r.cut)
	}
	if reason != "" {
		a.verdict, a.detail = NotChecked, reason
	}
	return a
}

// forbidden returns why a page must not be fetched; "" if it may. It reads the robots.txt of each scheme and
// host once.
func (s *site) forbidden(ctx context.Context, u *url.URL) string {
	root := &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: "/robots.txt"}
	p, known := s.asked[root.String()]
	if !known {
		p = s.ask(ctx, root)
		s.asked[root.String()] = p
		if p.delay > 0 {
			s.client.paces.of(siteOf(u)).slow(time.Duration(min(p.delay, maxPause) * float64(s.client.second)))
		}
	}
	switch {
	case p.reason != "":
		return p.reason
	case !p.allows(u.RequestURI()):
		return "its robots.txt forbids it"
	}
	return ""
}

// ask fetches a robots.txt. It follows redirects to other hosts, as RFC 9309 allows.
func (s *site) ask(ctx context.Context, u *url.URL) permission {
	for range maxRedirects + 1 {
		r, err := s.client.get(ctx, u, maxRobots)
		switch {
		case ctx.Err() != nil:
			return permission{reason: interrupted}
		case err != nil:
			return permission{reason: "its robots.txt could not be read: " + failure(ctx, err)}
		case r.status == http.StatusOK && r.broken != nil:
			return permission{reason: "its robots.txt could not be read to its end"}
		case r.status == http.StatusOK:
			return permission{robots: parseRobots(r.body)}
		case r.status == http.StatusTooManyRequests: // a 4xx, but not permission to send more requests
			return permission{reason: "its server asks for fewer requests"}
		case r.status >= 400 && r.status <= 499:
			return permission{}
		case !redirects(r.status):
			return permission{reason: fmt.Sprintf("its robots.txt could not be read: the server answered %d", r.status)}
		}
		if u = target(u, r.header); u == nil {
			return permission{reason: "its robots.txt redirects to what is not an http or https address"}
		}
	}
	return permission{reason: fmt.Sprintf("its robots.txt redirects more than %d times", maxRedirects)}
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// target returns the address that a redirect leads to; nil if it cannot be fetched.
func target(from *url.URL, header http.Header) *url.URL {
	location := header.Get("Location")
	if location == "" || len(location) > maxAddress {
		return nil
	}
	u, err := from.Parse(location)
	if err != nil || !fetchable(u) {
		return nil
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u
}

func fetchable(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}
