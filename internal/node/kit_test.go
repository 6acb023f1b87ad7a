package node

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The catalogs that tests work on copies of.
const (
	exampleCatalog = "../../examples/catalog"
	fixtureCatalog = "../testdata/catalog"
)

// secret is long enough for a node.
const secret = "never-shown-0123456789abcdef0123456789"

func must(t *testing.T, err error) { t.Helper(); testkit.Must(t, err) }

// A running is a node that runs in this process.
type running struct {
	*Node
	t             *testing.T
	public, admin string // base URLs
	log           testkit.Log
	stop          func() // ends the node as SIGTERM does, and waits for its end
	cancel        func() // ends it, and does not wait
	ended         chan struct{}
}

// environ returns the settings of a node on free ports. Later settings win over earlier ones.
func environ(db string, settings ...string) []string {
	return append([]string{
		"PALMARES_DATABASE_URL=" + db, "PALMARES_SECRET=" + secret, "PALMARES_LISTEN=127.0.0.1:0",
		"PALMARES_ADMIN_LISTEN=127.0.0.1:0", "PALMARES_DRAIN_DELAY=0s", "PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8",
	}, settings...)
}

// start runs a node of both roles until the test ends.
func start(t *testing.T, db string, settings ...string) *running {
	t.Helper()
	return startRoles(t, []string{API, Worker}, db, settings...)
}

func startRoles(t *testing.T, roles []string, db string, settings ...string) *running {
	t.Helper()
	r := begin(t, roles, 50*time.Millisecond, db, settings...)
	testkit.EventuallyTrue(t, "the node listens", r.opened.Load)
	return r
}

// begin runs a node until the test ends, and does not wait for it to listen.
func begin(t *testing.T, roles []string, openAfter time.Duration, db string, settings ...string) *running {
	t.Helper()
	r := &running{t: t}
	n, err := New(t.Context(), Options{
		Environ: environ(db, settings...), Roles: roles, Log: &r.log, Version: "test", Commit: "c0ffee",
		WatchEvery: 200 * time.Millisecond, OpenAfter: openAfter, PurgePasses: []time.Duration{0, 200 * time.Millisecond},
		QuotaWait: quotaWait(settings),
	})
	must(t, err)
	r.run(n)
	r.admin = "http://" + n.AdminAddr.String()
	return r
}

// quotaWait is as long as tests wait: what is counted on one node alone, because Redis was late on a busy machine, is not what they count.
// Those whose Redis goes away set PALMARES_QUOTA_WAIT.
func quotaWait(settings []string) time.Duration {
	if slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, "PALMARES_QUOTA_WAIT=") }) {
		return 0
	}
	return time.Minute
}

func (r *running) run(n *Node) {
	r.Node = n
	if n.PublicAddr != nil {
		r.public = "http://" + n.PublicAddr.String()
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.t.Context()))
	r.cancel, r.ended = cancel, make(chan struct{})
	go func() {
		defer close(r.ended)
		if err := n.Run(ctx); err != nil {
			r.t.Errorf("the node ended badly: %v", err)
		}
	}()
	r.stop = func() { cancel(); <-r.ended }
	r.t.Cleanup(func() {
		r.stop()
		if log := r.log.String(); r.t.Failed() {
			r.t.Logf("the node logged, at last:\n%s", log[max(0, len(log)-5000):])
		}
	})
}

func (r *running) ready() {
	r.t.Helper()
	testkit.EventuallyGet(r.t, r.admin+"/readyz", testkit.Response.OK)
}

// readyz waits for an answer with that status whose text begins so.
func (r *running) readyz(status int, text string) {
	r.t.Helper()
	testkit.EventuallyGet(r.t, r.admin+"/readyz", func(a testkit.Response) bool {
		return a.Status == status && strings.HasPrefix(a.Body, text)
	})
}

func (r *running) metric(name string) float64 {
	r.t.Helper()
	return testkit.Metric(r.t, r.admin, name)
}

// metrics waits until metrics have those values.
func (r *running) metrics(want map[string]float64) {
	r.t.Helper()
	for name, value := range want {
		testkit.EventuallyTrue(r.t, name, func() bool {
			is, found := testkit.FindMetric(r.t, r.admin, name)
			return found && is == value
		})
	}
}

// logs waits for a text in the log.
func (r *running) logs(text string) {
	r.t.Helper()
	testkit.EventuallyTrue(r.t, "the log says "+text, func() bool { return strings.Contains(r.log.String(), text) })
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

// wantStatus asks for a tool with a key.
func (r *running) wantStatus(key string, status int) {
	r.t.Helper()
	if a := r.get("/api/v1/tools/ame", key); a.Status != status {
		r.t.Errorf("with a key: %v, want %d", a, status)
	}
}

// open opens the database as another process does.
func open(t *testing.T, url string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	must(t, err)
	t.Cleanup(db.Close)
	return db
}

func publishDir(t *testing.T, url, dir string) {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	must(t, err)
	defer db.Close()
	_, err = publish.Run(t.Context(), db.Catalog, dir, publish.Options{Now: time.Now})
	must(t, err)
}

// openServices opens what the command line does.
func openServices(t *testing.T, db string, settings ...string) *services.Services {
	t.Helper()
	s, err := services.OpenWithSecret(t.Context(), environ(db, settings...), "test")
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

// newKey makes an account and a key of it.
func newKey(t *testing.T, s *services.Services, email string, plan account.Plan) (key string, info account.KeyInfo) {
	t.Helper()
	a, err := s.Accounts.Create(t.Context(), account.Operator(), email, plan)
	must(t, err)
	k, info, err := s.Accounts.CreateKey(t.Context(), account.Operator(), a.ID, "k")
	must(t, err)
	return k.Reveal(), info
}

// newReceiver takes deliveries.
func newReceiver(t *testing.T) *testkit.Receiver {
	t.Helper()
	r := testkit.NewReceiver()
	t.Cleanup(r.Close)
	return r
}

// receives waits for that many deliveries.
func receives(t *testing.T, r *testkit.Receiver, n int) {
	t.Helper()
	testkit.EventuallyTrue(t, "deliveries arrive", func() bool { return len(r.Requests()) >= n })
}

// subscribe makes an active endpoint at the receiver, of a Pro account of its own.
func subscribe(t *testing.T, s *services.Services, r *testkit.Receiver, types ...string) (id string) {
	t.Helper()
	a, err := s.Accounts.Create(t.Context(), account.Operator(), "owner@example.org", account.Pro)
	must(t, err)
	wanted, err := webhook.ParseTypes(types)
	must(t, err)
	made, err := s.Endpoints.Create(t.Context(), account.Operator(), a.ID, webhook.Draft{URL: r.URL, Vouched: true, Types: wanted})
	must(t, err)
	return made.ID
}
