package node

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// What is compressed beside what a stranger may choose can be guessed by its length (BREACH). Pages of an
// account carry tokens, so nobody compresses them, and everything else is.
func TestCaches_CompressNoAccountPages(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("<p>token</p>", 1000)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(origin.Close)
	for _, cfg := range cacheConfigurations {
		if !cfg.recommended {
			continue
		}
		t.Run(cfg.name, func(t *testing.T) {
			t.Parallel()
			c := cfg.start(t, cfg.file, origin.URL)
			for path, want := range map[string]string{
				"/compte": "", "/compte/cles": "", "/compte/connexion?suite=guess": "", "/en/account": "", "/en/account/webhooks/ep_1?x=y": "",
				"/tarifs": "gzip", "/comptes": "gzip", "/en/accounts": "gzip",
			} {
				a := c.ask(t, clientAddr(1), path, http.Header{"Accept-Encoding": {"gzip, deflate, br"}})
				if a.Status != http.StatusOK || a.Header.Get("Content-Encoding") != want {
					t.Errorf("%s comes as %q, want %q", path, a.Header.Get("Content-Encoding"), want)
				}
			}
		})
	}
}
