package surface

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"sync"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/web"
)

// API is the JSON interface as the public sees it.
func API(handler *api.API, latency *web.Latency, ready func() error) Surface {
	return Surface{
		Name: "api", Prefixes: []string{"/api"},
		Handler: latency.Wrap(handler), WriteError: handler.WriteError, Ready: ready,
	}
}

// MCP is what agents ask. It stands and falls with the API.
func MCP(handler *mcp.Server) Surface {
	return Surface{Name: "mcp", Prefixes: []string{mcp.Path}, Handler: handler, WriteError: handler.WriteError}
}

// Documents say where programs find the API and what agents ask.
func Documents(handler *mcp.Documents) Surface {
	return Surface{Name: "documents", Prefixes: mcp.DocumentPaths(), Handler: handler, WriteError: handler.WriteError}
}

// Site is the pages as the public sees them: whatever no other surface owns.
func Site(handler *site.Site, ready func() error) Surface {
	return Surface{
		Name: "site", Prefixes: []string{"/"},
		Handler: handler, WriteError: handler.WriteError, Ready: ready,
	}
}

// contract is read once: the program is built with it.
var contract = sync.OnceValues(func() (*reference.Library, error) { return reference.Load(api.Contract()) })

// Described is what the reference on the site says of the API, and how it asks the node's own; nil where the
// node has none.
func Described(baseURL string, handler http.Handler) docs.API {
	described := docs.API{
		Contract: contract,
		Show: func(s *catalog.Snapshot, target string, plan account.Plan) (docs.Shown, error) {
			a, err := api.Show(s, baseURL, target, plan)
			return docs.Shown(a), err
		},
	}
	if handler != nil {
		described.Ask = func(ctx context.Context, client netip.Addr, target string, most int) (docs.Shown, error) {
			a, err := api.Ask(ctx, handler, client, target, most)
			return docs.Shown(a), err
		}
	}
	return described
}

// Asked is what the site says of the server that agents ask, with its real answers.
func Asked(baseURL string) docs.MCP {
	return docs.MCP{
		Path: mcp.Path, Tools: mcp.Names(), Documents: mcp.DocumentPaths(),
		Show: func(s *catalog.Snapshot, tool string, arguments json.RawMessage) (json.RawMessage, error) {
			return mcp.Show(s, baseURL, tool, arguments)
		},
	}
}
