package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// A held catalog keeps whoever looks at it, and counts them.
type held struct {
	edition
	looking atomic.Int64
	open    chan struct{}
}

func (h *held) Current() *catalog.Snapshot {
	h.looking.Add(1)
	<-h.open
	return h.edition.Current()
}

// Four calls per processor run at a time, and one of these places is left to another network: what agents ask for must
// not take the processors from the API.
func TestTurns_AreFourAProcessor(t *testing.T) {
	t.Parallel()
	slots := mcp.AtOnce * runtime.GOMAXPROCS(0)
	tools := &held{open: make(chan struct{})}
	tools.Store(published())
	var log testkit.Log
	admits, err := api.New(api.Options{Catalog: &tools.edition})
	testkit.Must(t, err)
	server := mcp.New(mcp.Options{Catalog: tools, Changes: changes.NewReader(&tools.edition, nil), API: admits})
	listener := httptest.NewServer(web.NewObserver(web.ObserverOptions{Logger: log.Logger(), WriteError: server.WriteError}).Wrap(server))
	defer listener.Close()
	calls := slots + 8
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{}}}`)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listener.URL+mcp.Path, body)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			response, err := listener.Client().Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			response.Body.Close()
		})
	}
	testkit.EventuallyTrue(t, "every call runs, waits or has waited in vain", func() bool {
		running, waiting, refused := server.QueueStats()
		return running+waiting+int(refused) == calls && int(tools.looking.Load()) == running
	})
	testkit.Equal(t, "calls that run", int(tools.looking.Load()), slots-1)
	close(tools.open)
	all.Wait()
}
