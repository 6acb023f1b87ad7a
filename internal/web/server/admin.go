package server

import (
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// AdminOptions configure the admin pages.
type AdminOptions struct {
	Ready    func() error        // nil is always ready
	Impaired func() error        // what a ready node cannot do at the moment, shown on /readyz; may be nil
	Gatherer prometheus.Gatherer // nil serves no /metrics
	Loopback bool                // the listener is on a loopback address: refuse names that are not its own
}

// Admin returns a handler for the operators' pages: /livez, /readyz, /metrics and /debug/pprof/.
// It is for a listener that the public cannot reach.
func Admin(opts AdminOptions) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		writeText(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if opts.Ready != nil {
			if err := opts.Ready(); err != nil {
				writeText(w, http.StatusServiceUnavailable, err.Error())
				return
			}
		}
		text := "ready"
		if opts.Impaired != nil {
			if err := opts.Impaired(); err != nil {
				text += ", but " + err.Error()
			}
		}
		writeText(w, http.StatusOK, text)
	})
	if opts.Gatherer != nil {
		// One broken collector must not hide all the others.
		mux.Handle("GET /metrics", promhttp.HandlerFor(opts.Gatherer, promhttp.HandlerOpts{
			ErrorHandling: promhttp.ContinueOnError,
		}))
	}
	mux.Handle("/debug/pprof/", onlyLocal(profiles()))
	if opts.Loopback {
		return refuseForeignHosts(mux)
	}
	return mux
}

func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// onlyLocal answers only requests from this machine, on whatever address the server listens: profiles reveal memory,
// and taking one is slow.
func onlyLocal(next http.Handler) http.Handler {
	next = refuseForeignHosts(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from, err := netip.ParseAddrPort(r.RemoteAddr); err != nil || !from.Addr().Unmap().IsLoopback() {
			writeText(w, http.StatusForbidden, "profiles are for this machine alone: ask from a loopback address")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuseForeignHosts answers only requests whose Host is an IP address or localhost. It prevents
// DNS rebinding: a web page open in a browser on this machine can make its own host name resolve
// to a loopback address, and could then read these pages, including profiles of the memory.
func refuseForeignHosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !localHost(r.Host) {
			writeText(w, http.StatusMisdirectedRequest,
				"ask by IP address or as localhost: no other name is answered on a loopback address")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// localHost reports whether a Host header is an IP address, localhost, or empty, as from
// probes that speak HTTP/1.0; browsers always name a host.
func localHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	_, err := netip.ParseAddr(host)
	return host == "" || err == nil || strings.EqualFold(host, "localhost")
}

func writeText(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the prober may have gone
}
