package node

import (
	"errors"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// refuses says whether nobody listens on the public address.
func (r *running) refuses() bool {
	c, err := net.Dial("tcp", r.PublicAddr.String())
	if err == nil {
		_ = c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// A service manager is a socket that is told how a node is.
type serviceManager struct {
	socket string
	mu     sync.Mutex
	told   []string
}

func newServiceManager(t *testing.T) *serviceManager {
	t.Helper()
	m := &serviceManager{socket: filepath.Join(t.TempDir(), "notify")}
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	must(t, err)
	var reading sync.WaitGroup
	reading.Go(func() {
		message := make([]byte, 4096)
		for {
			n, err := c.Read(message)
			if err != nil {
				return
			}
			m.mu.Lock()
			m.told = append(m.told, strings.Split(string(message[:n]), "\n")...)
			m.mu.Unlock()
		}
	})
	t.Cleanup(func() { _ = c.Close(); reading.Wait() })
	return m
}

func (m *serviceManager) heard(line string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.told, func(told string) bool { return strings.HasPrefix(told, line) })
}

func (m *serviceManager) hears(t *testing.T, line string) {
	t.Helper()
	testkit.EventuallyTrue(t, "the service manager hears "+line, func() bool { return m.heard(line) })
}

// While a node loads its catalog it refuses connections, however long that takes: a load balancer asks another node then. Operators see why.
func TestOpening_WaitsForTheCatalog(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	lock, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer func() { must(t, lock.Close(t.Context())) }()
	tx, err := lock.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "LOCK TABLE tools IN ACCESS EXCLUSIVE MODE") // reading an edition takes as long as this
	must(t, err)

	manager := newServiceManager(t)
	n := begin(t, []string{API, Site}, 50*time.Millisecond, db, "NOTIFY_SOCKET="+manager.socket)
	n.readyz(503, "starting: no catalog loaded yet")
	manager.hears(t, "STATUS=starting: no catalog loaded yet")
	manager.hears(t, "EXTEND_TIMEOUT_USEC=")
	for range 50 { // ten times as long as it would wait for nothing
		if !n.refuses() {
			t.Fatal("it listens before it has a catalog")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if manager.heard("READY=1") {
		t.Error("the service manager was told too soon")
	}
	must(t, tx.Rollback(t.Context()))
	testkit.EventuallyTrue(t, "the node listens", func() bool { return !n.refuses() })
	testkit.Equal(t, "the first answer", n.get("/api/v1/stats", "").Status, 200)
	testkit.Equal(t, "the first page", n.get("/", "").Status, 200)
	n.ready()
	manager.hears(t, "READY=1")
	manager.hears(t, "STATUS=serving")
	n.stop()
	manager.hears(t, "STOPPING=1")
}

// With nothing to load a node opens after a while, and says what it lacks.
func TestOpening_DoesNotWaitForNothing(t *testing.T) {
	t.Parallel()
	away := "postgres://palmares@" + testkit.FreeAddress(t) + "/palmares"
	for name, c := range map[string]struct{ db, lacks string }{
		"no edition":          {pgtest.Migrated(t), "none has been published yet"},
		"no database":         {away, "no catalog to serve"},
		"a database to be":    {pgtest.URL(t), "palmares migrate"},
		"a database that was": {strings.Replace(pgtest.URL(t), "palmares_test_", "palmares_gone_", 1), "no catalog to serve"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			manager := newServiceManager(t)
			n := begin(t, []string{API}, time.Second, c.db, "NOTIFY_SOCKET="+manager.socket)
			testkit.EventuallyTrue(t, "operators see what is missing", func() bool {
				a, err := testkit.Fetch(n.admin+"/readyz", nil)
				return err == nil && a.Status == 503 && strings.Contains(a.Body, c.lacks)
			})
			manager.hears(t, "READY=1")
			testkit.Equal(t, "the first answer", n.get("/api/v1/stats", "").Status, 503)
			n.logs("answering without being ready")
			if !strings.Contains(n.log.String(), c.lacks) {
				t.Errorf("the log does not say %s:\n%s", c.lacks, n.log.String())
			}
		})
	}
}

// A node that is asked to end before it could answer ends at once.
func TestOpening_CanBeStopped(t *testing.T) {
	t.Parallel()
	n := begin(t, []string{API}, time.Hour, pgtest.Migrated(t))
	n.readyz(503, "no catalog to serve")
	n.stop()
	if strings.Contains(n.log.String(), `"server":"public"`) {
		t.Error("it listened after all")
	}
}

// A port that is taken is said before anything else happens.
func TestOpening_FailsAtOnceWhereThePortIsTaken(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"PALMARES_LISTEN", "PALMARES_ADMIN_LISTEN"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		_, err = New(t.Context(), Options{
			Environ: environ("postgres://palmares@127.0.0.1:1/x", setting+"="+l.Addr().String()), Roles: []string{API}, Log: new(testkit.Log),
		})
		if err == nil || !strings.Contains(err.Error(), l.Addr().String()+" is taken by another program: choose another address with "+setting) {
			t.Errorf("%s: %v", setting, err)
		}
		must(t, l.Close())
	}
}

// A worker has no public address: it tells the service manager as soon as operators can look at it.
func TestOpening_OfAWorker(t *testing.T) {
	t.Parallel()
	manager := newServiceManager(t)
	begin(t, []string{Worker}, time.Hour, pgtest.Migrated(t), "NOTIFY_SOCKET="+manager.socket)
	manager.hears(t, "READY=1")
}
