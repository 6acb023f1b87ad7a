package pull_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/gittest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/pull"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A pressroom is a repository of editors, its server, a database, and a publisher between them.
type pressroom struct {
	*testing.T
	dir    string // the editors' files
	repo   *gittest.Repository
	git    *gittest.Server
	toDB   *testkit.Proxy
	db     *postgres.DB // past the proxy
	cfg    config.Publisher
	log    *testkit.Log
	admin  string
	tip    string // the last commit
	cancel context.CancelFunc
	ended  chan error
}

func newPressroom(t *testing.T, settings ...string) *pressroom {
	t.Helper()
	p := &pressroom{T: t, dir: testkit.CopyOf(t, "../testdata/catalog"), repo: gittest.New(t)}
	p.git = p.repo.Serve()
	direct := pgtest.Migrated(t)
	at, err := url.Parse(direct)
	testkit.Must(t, err)
	p.toDB = testkit.NewProxy(t, at.Host)
	at.Host = p.toDB.Addr
	p.db, err = postgres.Open(t.Context(), direct, postgres.Options{})
	testkit.Must(t, err)
	t.Cleanup(p.db.Close)
	p.cfg, err = config.ReadPublisher(append([]string{
		"PALMARES_DATABASE_URL=" + at.String(), "PALMARES_PUBLISH_URL=" + p.git.URL, "PALMARES_PUBLISH_CA_FILE=" + p.git.CAFile,
		"PALMARES_PUBLISH_PATH=site/catalog", "PALMARES_PUBLISH_DIR=" + filepath.Join(t.TempDir(), "mirror"), "PALMARES_PUBLISH_LISTEN=127.0.0.1:0",
	}, settings...))
	testkit.Must(t, err)
	p.cfg.PublishEvery = 20 * time.Millisecond
	p.commit()
	return p
}

// start runs the publisher, until the test ends or stop is called.
func (p *pressroom) start() {
	p.Helper()
	p.log = &testkit.Log{}
	publisher, err := pull.New(p.Context(), pull.Options{Config: p.cfg, Log: p.log, Version: "v1.2.3", Environ: []string{"PALMARES_SECRET=x"}})
	testkit.Must(p, err)
	p.admin = "http://" + publisher.AdminAddr.String()
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(context.WithoutCancel(p.Context()))
	p.ended = make(chan error, 1)
	go func() { p.ended <- publisher.Run(ctx) }()
	p.Cleanup(p.stop)
}

func (p *pressroom) stop() {
	p.Helper()
	if p.cancel != nil {
		p.cancel()
		testkit.Must(p, <-p.ended)
		p.cancel = nil
	}
}

// commit has the branch at the files as they are.
func (p *pressroom) commit() {
	p.Helper()
	var parents []string
	if p.tip != "" {
		parents = []string{p.tip}
	}
	p.tip = p.repo.CommitDir(p.dir, "site/catalog", parents...)
}

// says waits for what /readyz says.
func (p *pressroom) says(status int, text string) {
	p.Helper()
	testkit.EventuallyGet(p, p.admin+"/readyz", func(r testkit.Response) bool {
		return r.Status == status && strings.Contains(r.Body, text)
	})
}

func (p *pressroom) state(want string) {
	p.Helper()
	for _, state := range []string{"starting", "current", "refused", "rewritten", "failing"} {
		is := testkit.Metric(p, p.admin, `palmares_publisher_state{state="`+state+`"}`)
		if (is == 1) != (state == want) {
			p.Errorf("it is %s: %v, want %s", state, is, want)
		}
	}
}

func (p *pressroom) looks(outcome string) float64 {
	p.Helper()
	return testkit.Metric(p, p.admin, `palmares_publisher_looks_total{outcome="`+outcome+`"}`)
}

func (p *pressroom) editions() []catalog.EditionRecord {
	p.Helper()
	list, err := p.db.Catalog.Editions(p.Context(), 0)
	testkit.Must(p, err)
	return list
}

// edition waits for an edition of the last commit.
func (p *pressroom) edition(number int) {
	p.Helper()
	testkit.EventuallyTrue(p, fmt.Sprintf("edition %d", number), func() bool { return len(p.editions()) == number })
	if e := p.editions()[0]; e.Commit != p.tip || e.Author != "Ada Lovelace" || e.Modified {
		p.Errorf("edition %d: %+v, want commit %s", number, e.Provenance, p.tip)
	}
	p.says(http.StatusOK, "ready")
	p.state("current")
	if age := testkit.Metric(p, p.admin, "palmares_publisher_unpublished_age_seconds"); age != 0 {
		p.Errorf("it is %v s behind", age)
	}
}

// looksOn waits until the publisher has looked so often again, with that outcome.
func (p *pressroom) looksOn(outcome string, times float64) {
	p.Helper()
	before := p.looks(outcome)
	testkit.EventuallyTrue(p, "it looks again", func() bool { return p.looks(outcome) >= before+times })
}

func (p *pressroom) edit(file, before, after string) {
	p.Helper()
	testkit.Edit(p, filepath.Join(p.dir, file), before, after)
}

// From a commit to an edition, and every reason why one is not published.
func TestPublisher(t *testing.T) {
	t.Parallel()
	p := newPressroom(t)
	p.start()
	p.edition(1)

	p.edit("catalog.yaml", "name: ", "name: Nouveau ")
	p.commit()
	p.edition(2)

	// A commit about something else is no edition.
	p.tip = p.repo.Commit(p.repo.Tree(p.repo.Folder("autre", p.repo.File("a", "b")),
		gittest.Entry{Mode: "40000", Name: "site", ID: treeOf(p, "site")}), p.tip)
	p.repo.Set("main", p.tip)
	testkit.EventuallyTrue(t, "the tip that changes nothing", func() bool { return strings.Contains(p.log.String(), "the tip changes nothing") })
	p.looksOn("unchanged", 2)
	testkit.Equal(t, "editions", len(p.editions()), 2)
	p.state("current")

	// Faults: the edition stays, it is said where they are, and the tip is not tried again.
	p.edit("catalog.yaml", "name: Nouveau ", "nom: Nouveau ")
	p.commit()
	p.says(http.StatusOK, "ready, but the tip "+p.tip[:12]+" is not published: the content has")
	p.says(http.StatusOK, "catalog.yaml:")
	p.state("refused")
	p.looksOn("refused", 3)
	testkit.Equal(t, "how often it was tried", strings.Count(p.log.String(), `"msg":"a tip is not published`), 1)
	if age := testkit.Metric(t, p.admin, "palmares_publisher_unpublished_age_seconds"); age <= 0 {
		t.Errorf("it is %v s behind", age)
	}
	// Somebody begins it anew, which forgets nothing that counts.
	old := time.Now().Add(-time.Hour)
	testkit.Must(t, os.Chtimes(filepath.Join(p.cfg.PublishDir, "waiting"), old, old))
	p.stop()
	p.start()
	p.says(http.StatusOK, "is not published: the content has")
	if age := testkit.Metric(t, p.admin, "palmares_publisher_unpublished_age_seconds"); age < 3600 {
		t.Errorf("after a restart it is %v s behind", age)
	}
	testkit.Equal(t, "editions", len(p.editions()), 2)
	p.edit("catalog.yaml", "nom: Nouveau ", "name: Nouveau ")
	p.edit("catalog.yaml", "name: Nouveau ", "name: Encore ")
	p.commit()
	p.edition(3)

	// What looks like an accident.
	testkit.Must(t, os.Remove(filepath.Join(p.dir, "tools/sans-avis.md")))
	p.commit()
	p.says(http.StatusOK, "tools/sans-avis.md")
	p.state("refused")
	testkit.Equal(t, "editions", len(p.editions()), 3)

	// A hostile commit.
	good := p.tip
	site := p.repo.Folder("site", p.repo.Folder("catalog", gittest.Entry{Mode: "120000", Name: "catalog.yaml", ID: p.repo.Blob([]byte("/etc/passwd"))}))
	p.tip = p.repo.Commit(p.repo.Tree(site), good)
	p.repo.Set("main", p.tip)
	p.says(http.StatusOK, "site/catalog/catalog.yaml: it is a symbolic link")

	// History is rewritten: it stops, and goes on when an operator has looked.
	was := p.editions()[0].Commit
	p.tip = ""
	testkit.Must(t, os.WriteFile(filepath.Join(p.dir, "tools/sans-avis.md"), []byte(testkit.ReadFile(t, "../testdata/catalog/tools/sans-avis.md")), 0o600))
	p.commit()
	p.says(http.StatusServiceUnavailable, "stopped: the tip "+p.tip[:12]+" does not contain "+was[:12]+", the commit of edition 3 by Ada Lovelace")
	p.state("rewritten")
	p.looksOn("rewritten", 2)
	testkit.Equal(t, "editions", len(p.editions()), 3)
	source, err := pull.Open(p.cfg)
	testkit.Must(t, err)
	fetched, err := source.Fetch(t.Context(), p.tip)
	testkit.Must(t, err)
	now, err := pull.ReadPublished(t.Context(), p.db.Catalog)
	testkit.Must(t, err)
	testkit.Must(t, source.Accept(fetched, now))
	testkit.Must(t, fetched.Close())
	p.says(http.StatusOK, "ready")
	p.state("current") // the same content: no edition remembers the new history
	testkit.Equal(t, "editions", len(p.editions()), 3)
	p.edit("catalog.yaml", "name: Encore ", "name: Enfin ")
	p.commit()
	p.edition(4)
	if strings.Contains(p.log.String(), "[redacted]") || !strings.Contains(p.log.String(), "PALMARES_SECRET is set, which a publisher does not need") {
		t.Error("the log does not warn of a secret that nobody needs")
	}
	found, err := os.ReadDir(p.cfg.PublishDir)
	testkit.Must(t, err)
	for _, f := range found {
		if !regexp.MustCompile(`^(accepted|lock|repository\.git|export)$`).MatchString(f.Name()) {
			t.Errorf("%s is left", f.Name())
		}
	}
}

func treeOf(p *pressroom, folder string) string {
	p.Helper()
	return p.repo.ID(p.tip + ":" + folder)
}

// Whoever is away is named, and everything goes on when he is back.
func TestPublisher_Faults(t *testing.T) {
	t.Parallel()
	p := newPressroom(t, "PALMARES_PUBLISH_TOKEN=hunter2", "PALMARES_PUBLISH_TIMEOUT=2s")
	p.git.Want("git:hunter2")
	back := p.toDB.Refuse() // PostgreSQL comes late
	p.start()
	p.says(http.StatusServiceUnavailable, "PostgreSQL: ")
	p.state("failing")
	back()
	p.edition(1)

	back = p.toDB.Refuse() // and goes away
	p.says(http.StatusServiceUnavailable, "PostgreSQL: ")
	back()
	p.says(http.StatusOK, "ready")

	p.git.Want("git:changed")
	p.says(http.StatusServiceUnavailable, "PALMARES_PUBLISH_TOKEN")
	p.git.Want("")
	p.says(http.StatusOK, "ready")

	p.git.Instead(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() })) // it stalls
	p.says(http.StatusServiceUnavailable, "the server took longer than 2s")
	testkit.EventuallyTrue(t, "the age of the last answer", func() bool {
		return testkit.Metric(t, p.admin, "palmares_publisher_asked_age_seconds") > 1
	})
	p.git.Instead(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	p.says(http.StatusServiceUnavailable, "502")
	p.git.Instead(nil)
	p.edit("catalog.yaml", "name: ", "name: Nouveau ")
	p.commit()
	p.edition(2)
	if text := p.log.String(); strings.Contains(text, "hunter2") {
		t.Errorf("the token is in the log:\n%s", text)
	}
}
