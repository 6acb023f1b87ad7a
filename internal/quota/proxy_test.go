package quota

import (
	"context"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// A proxy stands between nodes and Redis and can do to the connection what networks do.
type proxy struct {
	tb testing.TB
	p  *toxiproxy.Proxy
}

func newProxy(tb testing.TB, upstream string) *proxy {
	tb.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	p := toxiproxy.NewProxy(server, tb.Name(), "127.0.0.1:0", upstream)
	if err := p.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.Stop)
	return &proxy{tb, p}
}

func (p *proxy) url() string { return "redis://" + p.p.Listen }

// poison does something to each connection, present and future, until the function
// that it returns is called.
func (p *proxy) poison(toxic string) (heal func()) {
	p.tb.Helper()
	added, err := p.p.Toxics.AddToxicJson(strings.NewReader(toxic))
	if err != nil {
		p.tb.Fatal(err)
	}
	return func() {
		p.tb.Helper()
		if err := p.p.Toxics.RemoveToxic(context.Background(), added.Name); err != nil {
			p.tb.Fatal(err)
		}
	}
}

// refuse closes the port until the function that it returns is called.
func (p *proxy) refuse() (heal func()) {
	p.tb.Helper()
	p.p.Stop()
	return func() {
		p.tb.Helper()
		if err := p.p.Start(); err != nil {
			p.tb.Fatal(err)
		}
	}
}

// What a toxiproxy can do. Upstream is towards Redis: nothing is counted. Downstream
// is the worse case: Redis counts, and nobody hears of it.
const (
	swallowRequests = `{"name":"t","type":"timeout","stream":"upstream","attributes":{"timeout":0}}`
	swallowAnswers  = `{"name":"t","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`
	resetOnAnswer   = `{"name":"t","type":"reset_peer","stream":"downstream","attributes":{"timeout":0}}`
	slowAnswers     = `{"name":"t","type":"latency","stream":"downstream","attributes":{"latency":400}}`
)
