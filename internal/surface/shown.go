package surface

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// API returns the surface of the JSON API.
func API(handler *api.API, latency *web.Latency, ready func() error) Surface {
	return Surface{
		Name: "api", Prefixes: []string{"/api"},
		Handler: latency.Wrap(handler), WriteError: handler.WriteError, Ready: ready,
	}
}

// MCP returns the surface for agents. It has no readiness of its own: it depends on the API.
func MCP(handler *mcp.Server) Surface {
	return Surface{Name: "mcp", Prefixes: []string{mcp.Path}, Handler: handler, WriteError: handler.WriteError}
}

// Documents returns the surface of the documents by which programs discover the API and the MCP server.
func Documents(handler *mcp.Documents) Surface {
	return Surface{Name: "documents", Prefixes: mcp.DocumentPaths(), Handler: handler, WriteError: handler.WriteError}
}

// Site returns the surface of the pages, which owns all paths that no other surface does.
func Site(handler *site.Site, ready func() error) Surface {
	return Surface{
		Name: "site", Prefixes: []string{"/"},
		Handler: handler, WriteError: handler.WriteError, Ready: ready,
	}
}

// contract returns the API's contract, which is built into the program. It is parsed once.
var contract = sync.OnceValues(func() (*reference.Library, error) { return reference.Load(api.Contract()) })

// Described returns what the API reference on the site shows: the contract, and real responses. Its form calls the
// node's own API through handler, which is nil if the node has none.
func Described(baseURL string, handler http.Handler) docs.API {
	described := docs.API{
		Contract: contract,
		Show: func(s *catalog.Snapshot, target string, plan account.Plan) (docs.Shown, error) {
			a, err := api.Render(s, baseURL, target, plan)
			return docs.Shown(a), err
		},
	}
	if handler != nil {
		described.Ask = func(ctx context.Context, client netip.Addr, target string, most int) (docs.Shown, error) {
			a, err := api.Get(ctx, handler, client, target, most)
			return docs.Shown(a), err
		}
	}
	return described
}

// Asked returns what the site shows of the MCP server, with real answers.
func Asked(baseURL string) docs.MCP {
	return docs.MCP{
		Path: mcp.Path, Tools: mcp.Names(), Documents: mcp.DocumentPaths(),
		Show: func(s *catalog.Snapshot, tool string, arguments json.RawMessage) (json.RawMessage, error) {
			return mcp.Show(s, baseURL, tool, arguments)
		},
	}
}

// Privacy returns the facts on the privacy page: how long each kind of data is kept, from the constants that the code
// uses, and which third parties get data in this configuration.
func Privacy(cfg config.Serve) about.PrivacyFacts {
	p := about.PrivacyFacts{
		Retention: []about.Retention{
			{What: "sign-ins", For: account.KeepSignIns},
			{What: "email-changes", For: account.ChangeFor},
			{What: "sessions", For: portal.SessionLifetime},
			{What: "activity", For: account.ActivityFor},
			{What: "usage", For: quota.KeepUsage},
			{What: "notices", For: account.KeepNotices},
			{What: "watchlists"},
			{What: "addresses", For: quota.KeepAddress},
			{What: "deliveries", For: webhook.ReplayFor},
			{What: "reports", For: report.KeepOpen},
			{What: "closed-reports", For: report.KeepClosed},
			{What: "report-networks", For: report.BoundFor + time.Hour},
			{What: "deletion-notices", For: account.DeletionNoticeFor + time.Hour}, // old ones are deleted every hour
		},
		Mail: cfg.SMTPURL != "",
	}
	if cfg.Sells() {
		p.Retention = append(p.Retention, about.Retention{What: "payments", For: billing.KeepEvents},
			about.Retention{What: "orders", For: billing.KeepOrderYears * 365 * 24 * time.Hour}, about.Retention{What: "unpaid-orders", For: billing.KeepUnpaidOrders})
		p.Payment = "Stripe"
	}
	return p
}
