package portal

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A route is a page, in each language, and what its forms do.
type route struct {
	name  string    // of its template, of its text "title", and in links
	paths [2]string // French, English; {id} stands for one part of the path
	// open routes need no session: those of signing in, and links in mails.
	open bool
	// entry is the entry of the side navigation that it belongs to; "" for none.
	entry string
	get   handler
	shows []string // names of its templates; its own alone when nil
	// actions are what its forms do, by the value of their field "action".
	actions map[string]handler
	// outside are the actions that wait for servers which are not ours.
	outside []string
	// machine answers every POST of a route whose address is authority enough: a mail program
	// unsubscribes by one, without cookies. The body is not read, as its type is the program's choice.
	machine handler
}

// A handler answers a request.
type handler func(*request) (*answer, error)

// placeholder stands for an id in the path of a route.
const placeholder = "{id}"

// path is where the route is, with ids in place.
func (rt *route) path(l locale.Language, ids ...string) string {
	path := rt.paths[l]
	for _, id := range ids {
		path = strings.Replace(path, placeholder, id, 1)
	}
	return path
}

// match compares a path with the route's, part by part, and returns the ids in it.
func (rt *route) match(l locale.Language, path string) (ids []string, ok bool) {
	want, have := strings.Split(rt.paths[l], "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	for i := range want {
		switch {
		case want[i] == placeholder && validID(have[i]):
			ids = append(ids, have[i])
		case want[i] != have[i]:
			return nil, false
		}
	}
	return ids, true
}

// validID accepts the ids that we make: letters, digits, _ and -.
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

// find returns the route of a path.
func find(routes []*route, path string) (rt *route, l locale.Language, ids []string, ok bool) {
	for _, rt := range routes {
		for _, l := range locale.Languages() {
			if ids, ok := rt.match(l, path); ok {
				return rt, l, ids, true
			}
		}
	}
	return nil, 0, nil, false
}

// Prefixes are the paths that the account pages own.
func Prefixes() []string { return []string{"/compte", "/en/account"} }
