package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const rotationGuide = "../../docs/operations/rotation.md"

// A rotation is two nodes behind nginx, under load, whose secrets are changed.
type rotation struct {
	*installation
	pg       *pgtest.Server
	shell    *operatorShell
	now      build
	at       [2]string // where the nodes listen
	url      string    // of nginx, which is in front of them
	nodes    [2]*server
	settings map[string]string // what is rotated
	verifier *standardwebhooks.Webhook
	seen     int // deliveries that were verified
	sent     atomic.Int64
	counted  atomic.Int64 // of those, requests that a quota counts
}

func newRotation(t *testing.T) *rotation {
	t.Helper()
	pg, redis := pgtest.NewServer(t), redistest.NewServer(t)
	r := &rotation{
		installation: install(t, fixtureCatalog), pg: pg, now: thisBuild(t), settings: map[string]string{},
		at: [2]string{testkit.FreeAddress(t), testkit.FreeAddress(t)},
	}
	r.sql(`CREATE ROLE palmares LOGIN PASSWORD 'first'`, `CREATE DATABASE palmares OWNER palmares`)
	hba := filepath.Join(pg.Data(), "pg_hba.conf")
	must(t, os.WriteFile(hba, []byte("host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"), 0o600))
	r.sql(`SELECT pg_reload_conf()`)
	r.role("palmares", "first")
	r.set("PALMARES_REDIS_URL", fmt.Sprintf("redis://:first@%s", redis.Addr()))
	r.set("PALMARES_SECRET", secret)
	r.environ = append(r.environ, "PALMARES_DRAIN_DELAY=500ms", "PALMARES_QUOTA_WAIT=500ms")
	r.shell = newOperatorShell(t, pg, rotationGuide, nil)
	_, port, _ := strings.Cut(redis.Addr(), ":")
	client, err := exec.LookPath("redis-cli")
	must(t, err)
	wrapper := fmt.Sprintf("#!/bin/sh\nexec %s -e -p %s \"$@\"\n", client, port)
	must(t, os.WriteFile(filepath.Join(r.shell.dir, "redis-cli"), []byte(wrapper), 0o755))
	must(t, exec.Command(client, "-e", "-p", port, "ACL", "SETUSER", "default", "resetpass", ">first").Run())
	testkit.EventuallyTrue(t, "PostgreSQL asks for passwords", func() bool { return !r.enters("palmares", "wrong") })
	r.run(r.now, "migrate")
	r.run(r.now, "publish", r.content)
	return r
}

// sql runs statements as the superuser.
func (r *rotation) sql(statements ...string) {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.pg.URL())
	must(r.t, err)
	defer conn.Close(context.Background())
	for _, s := range statements {
		_, err := conn.Exec(r.t.Context(), s)
		must(r.t, err)
	}
}

func (r *rotation) databaseURL(role, password string) string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/palmares?sslmode=disable", role, password, r.pg.Port())
}

// enters reports whether a role gets in with a password.
func (r *rotation) enters(role, password string) bool {
	conn, err := pgx.Connect(r.t.Context(), r.databaseURL(role, password))
	if err != nil {
		return false
	}
	conn.Close(context.Background())
	return true
}

// set sets what nodes and commands get from now on.
func (r *rotation) set(name, value string) {
	r.settings[name] = value
	r.environ = slices.DeleteFunc(r.environ, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	if value != "" {
		r.environ = append(r.environ, name+"="+value)
	}
}

func (r *rotation) role(role, password string) {
	r.db = r.databaseURL(role, password)
	r.set("PALMARES_DATABASE_URL", r.db)
}

// command runs a block of the page with the environment of a node.
func (r *rotation) command(name string, environ ...string) string {
	r.t.Helper()
	return r.shell.run(name, append(slices.Clone(r.environ), environ...)...)
}

func (r *rotation) launch(i int) {
	r.t.Helper()
	r.set("PALMARES_LISTEN", r.at[i])
	r.nodes[i] = r.serve(r.now)
	r.nodes[i].ready()
	r.nodes[i].counts(1)
}

// carries waits until the node has answered that many requests more.
func (r *rotation) carries(i int, requests float64) {
	r.t.Helper()
	const answers = `palmares_http_answers_total{class="2xx",surface="api"}`
	from, _ := testkit.FindMetric(r.t, r.nodes[i].admin, answers)
	testkit.EventuallyTrue(r.t, "a node is asked", func() bool { return r.nodes[i].metric(answers) > from+requests })
}

// replace replaces the nodes one by one.
func (r *rotation) replace() {
	r.t.Helper()
	for i, n := range r.nodes {
		n.stop()
		r.carries(1-i, 50)
		r.launch(i)
		r.carries(i, 50)
	}
	r.delivers()
}

// delivers publishes something, and wants both nodes to have it, the receiver to get it, and every signature to be right.
func (r *rotation) delivers() {
	r.t.Helper()
	price := r.publish(r.now, r.nodes[0], r.nodes[1])
	testkit.EventuallyTrue(r.t, "the publication is delivered", func() bool {
		got := r.receiver.Requests()
		found := false
		for _, q := range got[r.seen:] {
			must(r.t, r.verifier.Verify(q.Body, q.Header))
			found = found || strings.Contains(string(q.Body), price)
		}
		r.seen = len(got)
		return found
	})
}

// load asks for things until the function that it returns is called. No request may fail.
func (r *rotation) load(pro, developer string) (end func()) {
	const clients = 8
	transport := &http.Transport{MaxIdleConnsPerHost: clients + 1}
	client := &http.Client{Transport: transport, Timeout: 10 * time.Minute}
	done := make(chan struct{})
	var running sync.WaitGroup
	every := func(pause time.Duration, do func(n int)) {
		running.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				case <-time.After(pause):
					do(n)
				}
			}
		})
	}
	ask := func(path, key string) {
		r.sent.Add(1)
		if a, err := visit(client, r.url+path, key, ""); err != nil || !a.OK() || a.Body == "" {
			r.t.Errorf("%s failed: %v %v", path, a, err)
		}
	}
	paths := []string{"/api/v1/tools", "/api/v1/tools/ame", "/api/v1/stats", "/outils/ame"}
	for range clients {
		every(20*time.Millisecond, func(n int) { ask(paths[n%len(paths)], pro) })
	}
	every(200*time.Millisecond, func(int) { ask("/api/v1/stats", developer); r.counted.Add(1) })
	return func() {
		close(done)
		running.Wait()
		transport.CloseIdleConnections()
	}
}

// in wants a browser to be signed in on each node, or to be sent to sign in by each.
func (r *rotation) in(what string, b *testkit.Browser, status int) {
	r.t.Helper()
	for _, n := range r.nodes {
		b.Base = n.public
		testkit.Equal(r.t, what, b.Get("/compte/cles").Status, status)
	}
}

// All secrets that nodes hold are changed under load, as the page says, and nobody notices before it says so.
func TestRotation_FailsNoRequest(t *testing.T) {
	testkit.Night(t)
	t.Parallel()
	r := newRotation(t)
	r.run(r.now, "account", "create", "pro@example.org", "--plan", "pro")
	r.run(r.now, "account", "create", "developer@example.org")
	pro, developer := r.run(r.now, "key", "create", "pro@example.org"), r.run(r.now, "key", "create", "developer@example.org")
	hook := r.run(r.now, "webhook", "create", "pro@example.org", r.receiver.URL, "--vouch")
	var err error
	r.verifier, err = standardwebhooks.NewWebhook(hook)
	must(t, err)
	r.launch(0)
	r.launch(1)
	r.url = behindNginx(t, r.at)
	end := r.load(pro, developer)
	r.delivers()
	before := r.signIn(r.nodes[0], "pro@example.org")

	r.rotateSecret(before)
	r.rotateDatabase()
	r.rotateRedis()
	end()

	a, err := visit(http.DefaultClient, r.url+"/api/v1/stats", developer, "")
	must(t, err)
	left, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining"))
	must(t, err)
	used, want := account.Developer.Limits().Daily-left, int(r.counted.Load())+1
	if used < want*99/100 || used > want*101/100 { // nginx sends some again whose node went away
		t.Errorf("%d requests are counted, %d were made", used, want)
	}
	r.rotateOwners(pro, hook)
	testkit.Equal(t, "blocks of the page that no test runs", r.shell.left, map[string]bool{})
	t.Logf("%d requests, %d deliveries", r.sent.Load(), r.seen)
}

func (r *rotation) rotateSecret(before *testkit.Browser) {
	r.t.Helper()
	next := strings.TrimSpace(r.command("secret make"))
	testkit.Equal(r.t, "characters of a secret", len(next), 64)
	r.set("PALMARES_SECRET_PREVIOUS", next)
	r.replace()
	r.in("a session, once both are known", before, http.StatusOK)

	r.set("PALMARES_SECRET", next)
	r.set("PALMARES_SECRET_PREVIOUS", secret)
	r.nodes[0].stop()
	r.carries(1, 50)
	r.launch(0) // the other one still signs with the old secret
	r.in("a session, while nodes differ", before, http.StatusOK)
	after := r.signIn(r.nodes[0], "pro@example.org")
	r.in("a session of the new secret, while nodes differ", after, http.StatusOK)
	r.in("a session of the old secret, while nodes differ", r.signIn(r.nodes[1], "pro@example.org"), http.StatusOK)
	r.delivers()
	r.nodes[1].stop()
	r.carries(0, 50)
	r.launch(1)
	r.in("a session, once the new one is used", before, http.StatusOK)

	if said := r.command("secret reseal"); !strings.Contains(said, "1 of 1 endpoint is sealed with PALMARES_SECRET, 1 of them anew") ||
		!strings.HasSuffix(said, "PALMARES_SECRET_PREVIOUS is no longer needed\n") {
		r.t.Errorf("resealing says %q", said)
	}
	r.delivers()
	r.set("PALMARES_SECRET_PREVIOUS", "")
	r.replace()
	r.in("a session from before", before, http.StatusSeeOther)
	r.in("a session since", after, http.StatusOK)
}

func (r *rotation) rotateDatabase() {
	r.t.Helper()
	r.command("database second", "NEW=second")
	r.role("palmares_b", "second")
	r.replace()
	if seen := r.command("database seen"); !strings.Contains(seen, "palmares_b|") || strings.Contains(seen, "palmares|") {
		r.t.Errorf("connected are %q", seen)
	}
	r.command("database close")
	testkit.Equal(r.t, "the first role gets in", r.enters("palmares", "first"), false)
	r.command("database back")
	testkit.Equal(r.t, "the first role gets in again", r.enters("palmares", "first"), true)
	r.command("database close")
	r.run(r.now, "migrate") // the second role may

	owner := r.signIn(r.nodes[0], "pro@example.org")
	r.command("database at once", "NEW=third")
	testkit.Equal(r.t, "the former password opens", r.enters("palmares_b", "second"), false)
	testkit.Equal(r.t, "an account page on connections that live", owner.Get("/compte/cles").Status, http.StatusOK)
	r.sql(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'palmares portal'`)
	r.in("an account page without one", owner, http.StatusServiceUnavailable)
	r.role("palmares_b", "third")
	// The nodes have the former password, and connections that live.
	r.publish(r.now, r.nodes[0], r.nodes[1])
	r.replace()
	r.in("the account page once nodes are replaced", owner, http.StatusOK)
}

func (r *rotation) rotateRedis() {
	r.t.Helper()
	r.command("redis add", "NEW=second", "REDISCLI_AUTH=first")
	r.set("PALMARES_REDIS_URL", strings.Replace(r.settings["PALMARES_REDIS_URL"], ":first@", ":second@", 1))
	r.replace()
	r.command("redis remove", "OLD=first", "NEW=second")
	refused := exec.Command(filepath.Join(r.shell.dir, "redis-cli"), "PING")
	refused.Env = append(os.Environ(), "REDISCLI_AUTH=first")
	if out, err := refused.CombinedOutput(); err == nil && !strings.Contains(string(out), "NOAUTH") {
		r.t.Errorf("the first password opens Redis: %s", out)
	}
	for i, n := range r.nodes {
		r.carries(i, 50)
		n.counts(1)
	}
	r.delivers()
}

// rotateOwners changes what belongs to owners of accounts.
func (r *rotation) rotateOwners(key, hook string) {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.db)
	must(r.t, err)
	defer conn.Close(context.Background())
	var keyID, endpoint string
	must(r.t, conn.QueryRow(r.t.Context(), `SELECT k.id FROM keys k JOIN accounts a ON a.id = k.account_id WHERE a.email = 'pro@example.org'`).Scan(&keyID))
	must(r.t, conn.QueryRow(r.t.Context(), `SELECT id FROM endpoints`).Scan(&endpoint))
	last := func(out string) string { lines := strings.Fields(out); return lines[len(lines)-1] }
	next := last(r.command("key rotate", "KEY_ID="+keyID))
	for _, k := range []string{key, next} {
		testkit.Eventually(r.t, func() error {
			a, err := visit(http.DefaultClient, r.url+"/api/v1/stats", k, "")
			if err == nil && !a.OK() {
				err = fmt.Errorf("a key in its grace, or the next one: %v", a)
			}
			return err
		})
	}
	secrets := []string{hook, last(r.command("webhook rotate", "ENDPOINT_ID="+endpoint))}
	r.delivers()
	for _, s := range secrets {
		v, err := standardwebhooks.NewWebhook(s)
		must(r.t, err)
		got := r.receiver.Requests()
		must(r.t, v.Verify(got[len(got)-1].Body, got[len(got)-1].Header))
	}
}
