package node

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/surface"
)

// addMCP adds what agents ask, on the terms of the API.
func (b *builder) addMCP(handler *api.API, catalog mcp.Catalog, changed *changes.Reader) {
	const unknown = "unknown" // a tool that does not exist
	calls := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_mcp_calls_total", Help: "Calls of tools by agents, by tool and outcome.",
	}, []string{"tool", "outcome"})
	b.registry.MustRegister(calls)
	for _, tool := range append(mcp.Names(), unknown) { // a rate needs the zero that it began with
		for _, outcome := range mcp.Outcomes() {
			calls.WithLabelValues(tool, outcome)
		}
	}
	server := mcp.New(mcp.Options{
		Catalog: catalog, Changes: changed, API: handler, BaseURL: b.cfg.Base(), Version: b.version,
		Called: func(tool, outcome string) {
			if tool == "" {
				tool = unknown
			}
			calls.WithLabelValues(tool, outcome).Inc()
		},
		Panicked: func(tool string, value any, stack []byte) {
			b.logger.Error("a tool of agents panicked", "tool", tool, "panic", value, "stack", string(stack))
		},
	})
	b.gauge("palmares_mcp_running", "Messages of agents that are being answered.",
		func() float64 { running, _, _ := server.GateStats(); return float64(running) })
	b.counter("palmares_mcp_refused_total", "Messages of agents answered 503 because their network had its turns for 2 s.",
		func() float64 { _, _, refused := server.GateStats(); return float64(refused) })
	b.mount(surface.MCP(server))
	b.addDocuments(catalog)
}

// addDocuments adds the documents that say where programs find all this, once on a node.
func (b *builder) addDocuments(catalog mcp.Catalog) {
	if b.documents {
		return
	}
	b.documents = true
	b.mount(surface.Documents(mcp.NewDocuments(catalog, b.cfg.Base(), b.version, b.cfg.PurgeURL != "")))
}
