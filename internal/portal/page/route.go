package page

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A Route is a page or one of its form actions. Make it with Get, Post or OneClickPost.
type Route struct {
	Method string // GET, which answers HEAD too, or POST
	Page   address.Page
	Action string // the value of the field "action" of the form
	Handle Handler
	Access Access

	// Keep returns the part of a query string, with its question mark, that is asked for again after signing in; "" for
	// none. A nil Keep keeps nothing.
	Keep func(rawQuery string) string
}

// Access is who may use a route, and how long it may take.
type Access int

const (
	// SignedIn needs a session, and waits for nothing beyond our own database.
	SignedIn Access = iota
	// Open needs no session: signing in, and links in mails.
	Open
	// Outside needs a session, and waits for third-party servers, so it has a longer deadline.
	Outside
	// OneClick needs neither session nor form token: mail programs send it without cookies.
	OneClick
)

// Get returns the route of a page.
func Get(p address.Page, handle Handler, access Access) Route {
	return Route{Method: http.MethodGet, Page: p, Handle: handle, Access: access}
}

// Keeping returns the route of a page with a Keep.
func (rt Route) Keeping(keep func(rawQuery string) string) Route { rt.Keep = keep; return rt }

// Post returns the route of a form action. The form sends the action as the value of its button.
func Post(p address.Page, action string, handle Handler, access Access) Route {
	return Route{Method: http.MethodPost, Page: p, Action: action, Handle: handle, Access: access}
}

// OneClickPost returns a route that answers every POST to a page (RFC 8058). The body is not read, as each mail
// program chooses its own content type.
func OneClickPost(p address.Page, handle Handler) Route {
	return Route{Method: http.MethodPost, Page: p, Handle: handle, Access: OneClick}
}

// A servedPage is a page with all of its routes.
type servedPage struct {
	address.Page

	parts    map[locale.Language][]string // of its path, where {id} is any id
	open     bool
	get      Handler
	actions  map[string]Route
	oneClick Handler // nil for none
	keep     func(rawQuery string) string
}

// pages are the pages of a server.
type pages []*servedPage

// newPages groups the routes by page. It returns an error if a route is duplicated, comes before its page, or
// is open when its page is not, or the reverse.
func newPages(routes []Route) (all pages, err error) {
	byName := make(map[string]*servedPage)
	for _, rt := range routes {
		p := byName[rt.Page.Name]
		if p == nil {
			p = &servedPage{Page: rt.Page, actions: make(map[string]Route), parts: make(map[locale.Language][]string)}
			for _, l := range locale.Languages() {
				p.parts[l] = strings.Split(p.In(l), "/")
			}
			byName[rt.Page.Name], all = p, append(all, p)
		}
		_, twice := p.actions[rt.Action]
		switch {
		case rt.Method == http.MethodGet && p.get == nil:
			p.get, p.open, p.keep = rt.Handle, rt.Access == Open, rt.Keep
		case rt.Method == http.MethodGet || twice || p.get == nil:
			return nil, fmt.Errorf("the route %s %s %q is there twice, or before its page", rt.Method, rt.Page.French, rt.Action)
		case rt.Access != OneClick && p.open != (rt.Access == Open):
			return nil, fmt.Errorf("the route %s %s %q is not open as its page is", rt.Method, rt.Page.French, rt.Action)
		case rt.Access == OneClick:
			p.oneClick = rt.Handle
		default:
			p.actions[rt.Action] = rt
		}
	}
	return all, nil
}

// find returns the page of a path, and the ids in it.
func (all pages) find(path string) (p *servedPage, l locale.Language, ids []string, ok bool) {
	parts := strings.Split(path, "/")
	for _, p := range all {
		for _, l := range locale.Languages() {
			if ids, ok := match(p.parts[l], parts); ok {
				return p, l, ids, true
			}
		}
	}
	return nil, 0, nil, false
}

// needsSession reports whether the page at a path needs a session.
func (all pages) needsSession(path string) bool {
	p, _, _, ok := all.find(path)
	return ok && !p.open
}

// keeps reports whether the page at a path keeps exactly that query string.
func (all pages) keeps(path, query string) bool {
	p, _, _, ok := all.find(path)
	return ok && p.keep != nil && p.keep(query) == "?"+query
}

// match compares the parts of a path with those of a pattern, and returns the ids in it.
func match(pattern, path []string) (ids []string, ok bool) {
	if len(pattern) != len(path) {
		return nil, false
	}
	for i, want := range pattern {
		switch {
		case want == "{id}" && validID(path[i]):
			ids = append(ids, path[i])
		case want == "{id}" || want != path[i]:
			return nil, false
		}
	}
	return ids, true
}

// validID reports whether s looks like one of our ids: up to 64 letters, digits, _ and -.
func validID(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
