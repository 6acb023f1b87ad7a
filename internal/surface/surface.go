// Package surface is what a node and a preview show to the public: surfaces, which answer requests, and the one
// handler that gives each request to the surface that owns its path.
//
// Begin with Surface and Handler. API and Site return the two surfaces that both have; Described, Asked and Privacy
// return the facts about the program that pages of the site show; Listen opens the address. The package starts nothing,
// keeps no state and calls no engine: that is left to its callers.
package surface

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/tracing"
)

// A Surface is a part of the service that owns some paths, such as the JSON API or the pages. It answers every request
// for its paths, errors included, in its own format.
type Surface struct {
	Name string
	// Prefixes are the paths that it owns: "/api" is /api and everything below /api/, and "/" is every path that no
	// other surface owns.
	Prefixes []string
	Handler  http.Handler
	// WriteError answers instead of the handler when that panics.
	WriteError web.ErrorWriter
	// Ready returns an error that says why the surface cannot answer at all. It may be nil if the surface always can. A
	// node is ready when all its surfaces are.
	Ready func() error
	// Answers counts the surface's responses. If it is nil, Handler makes one: set it to read the counts.
	Answers *web.Answers
}

// A mux passes each request to the surface that owns its path. It compares paths as they are and never answers by
// itself: it neither redirects to a cleaner path, as http.ServeMux does, nor sends errors of its own. If no surface
// owns "/", the first surface answers for the paths that nobody owns.
type mux struct {
	owners []owner  // the longest prefix first
	rest   *Surface // owns all other paths
}

type owner struct {
	prefix  string
	surface *Surface
}

// newMux returns a mux of at least one surface. It fails if two own the same prefix, or a prefix is malformed.
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

// owner returns the surface of a path.
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

// Options configure logs, metrics and traces of requests. Logger and Registry are required.
type Options struct {
	Logger   *slog.Logger
	Registry prometheus.Registerer
	Proxies  web.Proxies
	Tracing  trace.TracerProvider // nil traces nothing
	Ratio    float64              // of requests that are traced
}

// Handler returns one handler for all surfaces, with logs, metrics and, if configured, traces. It fails if surfaces
// claim the same path.
func Handler(surfaces []Surface, o Options) (http.Handler, error) {
	counted := slices.Clone(surfaces)
	for i := range counted {
		s := &counted[i]
		if s.Answers == nil {
			s.Answers = new(web.Answers)
		}
		s.Answers.Register(o.Registry, s.Name)
		s.Handler = s.Answers.Wrap(s.Handler)
	}
	mux, err := newMux(counted)
	if err != nil {
		return nil, err
	}
	observer := web.NewObserver(web.ObserverOptions{
		Logger: o.Logger, Registry: o.Registry, Proxies: o.Proxies, WriteError: mux.writeError,
	})
	return observer.Wrap(tracing.Wrap(mux, tracing.Options{Provider: o.Tracing, Ratio: o.Ratio})), nil
}
