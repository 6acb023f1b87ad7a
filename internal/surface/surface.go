// Package surface is what a node and a preview show to the public: surfaces, which answer requests, and
// the one handler that gives each request to the surface that owns its path.
//
// Begin with Surface and Handler. API and Site make the two surfaces that both have, Described, Asked and Privacy
// say what their pages say of the program, and Listen opens the address. The package starts nothing, keeps
// no state and asks no engine: whoever builds surfaces does.
package surface

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/web"
)

// A Surface is a part of what a node shows to the public: the JSON interface, later pages. It
// answers every request for the paths that it owns, in its own format.
type Surface struct {
	Name string
	// Prefixes are the paths that it owns: "/api" is /api and all that begins with /api/, and
	// "/" is whatever no other surface owns.
	Prefixes []string
	Handler  http.Handler
	// WriteError answers in the place of the handler when that panics.
	WriteError web.ErrorWriter
	// Ready says why the surface cannot answer at all; nil when it always can. A node is ready
	// when all its surfaces are.
	Ready func() error
	// Answers counts what it answers; nil where nobody else reads that.
	Answers *web.Answers
}

// A mux gives each request to the surface that owns its path. It compares paths as they are, and
// answers nothing by itself: it neither redirects to a cleaner path, as http.ServeMux does, nor
// knows an error of its own. What nobody owns goes to the first surface, which says in its own
// format that there is nothing.
type mux struct {
	owners []owner  // the longest prefix first
	rest   *Surface // owns all other paths
}

type owner struct {
	prefix  string
	surface *Surface
}

// newMux mounts the surfaces, of which there is one at least.
func newMux(surfaces []Surface) (*mux, error) {
	m := &mux{rest: &surfaces[0]}
	owned := make(map[string]string)
	for i := range surfaces {
		s := &surfaces[i]
		for _, prefix := range s.Prefixes {
			other, taken := owned[prefix]
			owned[prefix] = s.Name
			switch {
			case taken:
				return nil, fmt.Errorf("%s and %s cannot both own %s", other, s.Name, prefix)
			case prefix == "/":
				m.rest = s
			case !strings.HasPrefix(prefix, "/") || strings.HasSuffix(prefix, "/"):
				return nil, fmt.Errorf("%s cannot own %q: a prefix begins with a slash and ends without one",
					s.Name, prefix)
			default:
				m.owners = append(m.owners, owner{prefix, s})
			}
		}
	}
	slices.SortFunc(m.owners, func(a, b owner) int { return len(b.prefix) - len(a.prefix) })
	return m, nil
}

// owner finds the surface of a path.
func (m *mux) owner(path string) *Surface {
	for _, o := range m.owners {
		if strings.HasPrefix(path, o.prefix) && (len(path) == len(o.prefix) || path[len(o.prefix)] == '/') {
			return o.surface
		}
	}
	return m.rest
}

// ServeHTTP implements http.Handler.
func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.owner(r.URL.Path).Handler.ServeHTTP(w, r)
}

// writeError writes an error in the format of the surface that owns the path.
func (m *mux) writeError(w http.ResponseWriter, r *http.Request, err *web.Error) {
	m.owner(r.URL.Path).WriteError(w, r, err)
}
