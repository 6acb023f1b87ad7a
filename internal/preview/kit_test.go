package preview

import (
	"context"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The catalogs that tests work on copies of.
const (
	exampleCatalog = "../../examples/catalog"
	fixtureCatalog = "../testdata/catalog"
)

func must(t *testing.T, err error) { t.Helper(); testkit.Must(t, err) }

// A running is a preview that runs in this process.
type running struct {
	t      *testing.T
	public string // its base URL
	log    testkit.Log
	stop   func() // ends it, and waits for its end
}

// run runs a preview until the test ends.
func (r *running) run(p *Preview) {
	r.public = "http://" + p.PublicAddr.String()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := p.Run(ctx); err != nil {
			r.t.Errorf("the preview ended badly: %v", err)
		}
	}()
	r.stop = func() { cancel(); <-ended }
	r.t.Cleanup(r.stop)
}

func (r *running) get(path, key string) testkit.Response {
	r.t.Helper()
	var header http.Header
	if key != "" {
		header = testkit.Bearer(key)
	}
	a, err := testkit.Fetch(r.public+path, header)
	must(r.t, err)
	return a
}
