package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// A stand is what every comparison needs on this machine: a palmares, Redis, a trace collector, databases, and
// what to clean up.
type stand struct {
	dir       string // of all temporary files
	palmares  string // the program under test
	redis     *process
	redisURL  string
	collector string // URL
	addresses int    // used so far
	queries   int    // of floods, sent so far
	closers   []func()
}

// withStand sets up a stand for a measurement.
func withStand(ctx context.Context, measure func(*stand)) {
	s := &stand{dir: must(os.MkdirTemp("", "palmares-bench-"))}
	defer os.RemoveAll(s.dir) //nolint:errcheck // nothing to be done about it
	defer s.rewind(0)
	s.palmares = s.goBuild(ctx, "palmares", ".", "./cmd/palmares")
	s.startRedis(ctx)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck,gosec // traces are thrown away
	}))
	s.onClose(collector.Close)
	s.collector = collector.URL
	measure(s)
}

// onClose registers a clean-up function. They run in reverse order.
func (s *stand) onClose(f func()) { s.closers = append(s.closers, f) }

// rewind cleans up all but the first n.
func (s *stand) rewind(n int) {
	for _, f := range slices.Backward(s.closers[n:]) {
		f()
	}
	s.closers = s.closers[:n]
}

// goBuild builds pkg of the module in a directory, and returns the program's path.
func (s *stand) goBuild(ctx context.Context, name, module, pkg string, flags ...string) string {
	progress("building %s", name)
	path := filepath.Join(s.dir, name)
	args := append([]string{"build", "-C", module, "-trimpath", "-o", path}, flags...)
	command(ctx, append(os.Environ(), "CGO_ENABLED=0"), "go", append(args, pkg)...)
	return path
}

// startRedis runs a Redis of our own, set up as the documentation asks.
func (s *stand) startRedis(ctx context.Context) {
	address := freeAddress(ctx)
	_, port, _ := strings.Cut(address, ":")
	s.redis = start(s.dir, os.Environ(), "redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", s.dir,
		"--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
		"--auto-aof-rewrite-percentage", "0") // a rewrite would burden one slice and not the other
	s.onClose(s.redis.stop)
	s.redisURL = "redis://" + address
	s.redis.await(ctx, 10*time.Second, listening(address))
}

// makeDatabase creates an empty database and returns its URL.
func (s *stand) makeDatabase(ctx context.Context) string {
	name := "palmares_bench_" + strings.ToLower(rand.Text()[:12])
	u := must(url.Parse(databaseServer))
	check(onServer(ctx, "CREATE DATABASE "+name))
	s.onClose(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		if err := onServer(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			progress("the database %s is left behind: %v", name, err)
		}
	})
	u.Path = "/" + name
	return u.String()
}

// databaseServer is the PostgreSQL server on which databases are created.
var databaseServer = cmp.Or(os.Getenv("PALMARES_TEST_DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable")

func onServer(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, databaseServer)
	if err != nil {
		return fmt.Errorf("%w (PALMARES_TEST_DATABASE_URL names the server)", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing depends on it
	_, err = conn.Exec(ctx, statement)
	return err
}

// makeKeys creates n accounts with one key each, and returns the keys.
func makeKeys(ctx context.Context, database string, plan account.Plan, n int) []string {
	u := must(url.Parse(database))
	q := u.Query()
	q.Set("synchronous_commit", "off") // these accounts need not survive a crash
	u.RawQuery = q.Encode()
	db := must(postgres.Open(ctx, u.String(), postgres.Options{}))
	defer db.Close()
	accounts := account.NewService(db.Accounts, db.Keys, nil)
	keys := make([]string, n)
	check(fourAtATime(ctx, n, func(ctx context.Context, i int) error {
		a, err := accounts.Create(ctx, account.Operator(), fmt.Sprintf("%s-%d@example.org", plan, i), plan)
		if err != nil {
			return fmt.Errorf("creating an account: %w", err)
		}
		key, _, err := accounts.CreateKey(ctx, account.Operator(), a.ID, "bench")
		keys[i] = key.Reveal()
		return err
	}))
	return keys
}

// fourAtATime calls do for each number below n, or until an error.
func fourAtATime(ctx context.Context, n int, do func(context.Context, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		g.Go(func() error { return do(ctx, i) })
	}
	return g.Wait()
}

// measuredOn describes the machine and the software of a measurement.
func measuredOn(ctx context.Context) string {
	output := func(program string, args ...string) string {
		out, _ := exec.CommandContext(ctx, program, args...).CombinedOutput() //nolint:gosec // programs named here
		return string(out)                                                    // wrk prints its version with exit status 1
	}
	version := func(program, flag string) string { return first(`\d+(?:\.\d+)+`, output(program, flag)) }
	cpu := must(os.ReadFile("/proc/cpuinfo"))
	conn := must(pgx.Connect(ctx, databaseServer))
	defer conn.Close(ctx) //nolint:errcheck // nothing depends on it
	return fmt.Sprintf("Measured on %s: %d cores (%s), Linux %s, Go %s, PostgreSQL %s, Redis %s, nginx %s, wrk %s.",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), first(`(?m)^model name\s*:\s*(.*)$`, string(cpu)),
		first(`\S+`, output("uname", "-r")), strings.TrimPrefix(runtime.Version(), "go"),
		first(`\S+`, conn.PgConn().ParameterStatus("server_version")),
		version("redis-server", "--version"), version("nginx", "-v"), version("wrk", "-v"))
}

// first returns the first match in a text, or the group in it, or unknown.
func first(pattern, text string) string {
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		return "unknown"
	}
	return m[len(m)-1]
}
