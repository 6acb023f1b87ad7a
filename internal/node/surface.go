package node

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/web"
)

// A surface is a part of what a node shows to the public: the JSON interface, later pages. It
// answers every request for the paths that it owns, in its own format.
type surface struct {
	name string
	// prefixes are the paths that it owns: "/api" is /api and all that begins with /api/, and
	// "/" is whatever no other surface owns.
	prefixes []string
	handler  http.Handler
	// writeError answers in the place of the handler when that panics.
	writeError web.ErrorWriter
	// ready says why the surface cannot answer at all; nil when it always can. A node is ready
	// when all its surfaces are.
	ready func() error
}

// A mux gives each request to the surface that owns its path. It compares paths as they are, and
// answers nothing by itself: it neither redirects to a cleaner path, as http.ServeMux does, nor
// knows an error of its own. What nobody owns goes to the first surface, which says in its own
// format that there is nothing.
type mux struct {
	owners []owner  // the longest prefix first
	rest   *surface // owns all other paths
}

type owner struct {
	prefix  string
	surface *surface
}

// newMux mounts the surfaces, of which there is one at least.
func newMux(surfaces []surface) (*mux, error) {
	m := &mux{rest: &surfaces[0]}
	owned := make(map[string]string)
	for i := range surfaces {
		s := &surfaces[i]
		for _, prefix := range s.prefixes {
			other, taken := owned[prefix]
			owned[prefix] = s.name
			switch {
			case taken:
				return nil, fmt.Errorf("%s and %s cannot both own %s", other, s.name, prefix)
			case prefix == "/":
				m.rest = s
			case !strings.HasPrefix(prefix, "/") || strings.HasSuffix(prefix, "/"):
				return nil, fmt.Errorf("%s cannot own %q: a prefix begins with a slash and ends without one",
					s.name, prefix)
			default:
				m.owners = append(m.owners, owner{prefix, s})
			}
		}
	}
	slices.SortFunc(m.owners, func(a, b owner) int { return len(b.prefix) - len(a.prefix) })
	return m, nil
}

// owner finds the surface of a path.
func (m *mux) owner(path string) *surface {
	for _, o := range m.owners {
		if strings.HasPrefix(path, o.prefix) && (len(path) == len(o.prefix) || path[len(o.prefix)] == '/') {
			return o.surface
		}
	}
	return m.rest
}

// ServeHTTP implements http.Handler.
func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.owner(r.URL.Path).handler.ServeHTTP(w, r)
}

// writeError writes an error in the format of the surface that owns the path.
func (m *mux) writeError(w http.ResponseWriter, r *http.Request, err *web.Error) {
	m.owner(r.URL.Path).writeError(w, r, err)
}
