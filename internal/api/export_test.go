package api

import (
	"slices"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/web"
)

// CountWork counts from now on how often a query is parsed and how often a response is made. It
// must be called before the first request.
func (a *API) CountWork() (parsed, made *atomic.Int64) {
	parsed, made = new(atomic.Int64), new(atomic.Int64)
	for _, r := range a.router.all {
		respond, parse := r.respond, r.parse
		r.respond = func(s source, q query) (*web.Response, error) {
			made.Add(1)
			return respond(s, q)
		}
		if parse != nil {
			r.parse = func(rawQuery string) (any, error) {
				parsed.Add(1)
				return parse(rawQuery)
			}
		}
	}
	return parsed, made
}

// Paths lists the registered routes.
func (a *API) Paths() []string {
	paths := make([]string, 0, len(a.router.all))
	for _, r := range a.router.all {
		paths = append(paths, r.pattern)
	}
	slices.Sort(paths)
	return paths
}

// What may be compressed.
const (
	CompressPerSecond = compressPerSecond
	CompressBurst     = compressBurst
	MinCompressed     = 1024 // of web.Response
)

// Compress takes from what may be compressed.
func (a *API) Compress(bytes int) { a.compressing.allow(bytes) }
