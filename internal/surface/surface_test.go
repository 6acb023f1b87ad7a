package surface

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// named is a surface that answers with its name, and panics where it is asked to.
func named(name string, prefixes ...string) Surface {
	return Surface{
		Name: name, Prefixes: prefixes,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/panic") {
				panic("as asked")
			}
			io.WriteString(w, name)
		}),
		WriteError: func(w http.ResponseWriter, _ *http.Request, e *web.Error) {
			w.WriteHeader(e.Status)
			fmt.Fprint(w, name, " says ", e.Message)
		},
	}
}

func TestMux_GivesPathsToTheirOwners(t *testing.T) {
	t.Parallel()
	api, account, billing, site := named("api", "/api"), named("portal", "/account", "/sign-in"), named("billing", "/account/hook"), named("site", "/")
	for _, tt := range []struct {
		surfaces []Surface
		path     string
		want     string
	}{
		{[]Surface{api}, "/api", "api"},
		{[]Surface{api}, "/", "api"}, // the first has what nobody owns
		{[]Surface{api}, "", "api"},
		{[]Surface{api, account}, "/else", "api"},
		{[]Surface{account, api}, "/else", "portal"},
		{[]Surface{api, site}, "/", "site"},
		{[]Surface{api, site}, "", "site"},
		{[]Surface{api, site}, "*", "site"},
		{[]Surface{api, site}, "/api/v1/tools", "api"},
		{[]Surface{api, site}, "/api/", "api"},
		{[]Surface{api, site}, "/apiary", "site"},
		{[]Surface{api, site}, "/API", "site"},
		{[]Surface{api, site}, "//api", "site"},
		{[]Surface{api, site}, "/x/../api", "site"}, // paths are compared as they are
		{[]Surface{api, site}, "/api/../x", "api"},
		{[]Surface{site, account, api, billing}, "/account/hook", "billing"}, // the longest prefix wins
		{[]Surface{site, account, api, billing}, "/account/hooks", "portal"},
		{[]Surface{site, billing, account, api}, "/sign-in", "portal"},
	} {
		m, err := newMux(tt.surfaces)
		testkit.Must(t, err)
		if got := m.owner(tt.path).Name; got != tt.want {
			t.Errorf("%q goes to %s, want %s", tt.path, got, tt.want)
		}
	}
	for want, surfaces := range map[string][]Surface{
		"api and site cannot both own /":      {named("api", "/"), named("site", "/")},
		"x cannot own \"/api/\"":              {named("x", "/api/")},
		"x cannot own \"api\"":                {named("x", "api")},
		"api and portal cannot both own /api": {api, named("portal", "/api")},
	} {
		if _, err := newMux(surfaces); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What a surface fails to answer is answered in its own format.
func TestMux_ErrorsAreTheSurfacesOwn(t *testing.T) {
	t.Parallel()
	handler, err := Handler([]Surface{named("api", "/api"), named("site", "/")}, Options{
		Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
	})
	testkit.Must(t, err)
	server := httptest.NewServer(handler)
	defer server.Close()
	for path, want := range map[string]testkit.Response{
		"/api/v1":    {Status: 200, Body: "api"},
		"/api/panic": {Status: 500, Body: "api says internal error"},
		"/about":     {Status: 200, Body: "site"},
		"/panic":     {Status: 500, Body: "site says internal error"},
		"//panic":    {Status: 500, Body: "site says internal error"},
	} {
		if got := testkit.Get(t, server.URL+path); got.Status != want.Status || got.Body != want.Body {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
