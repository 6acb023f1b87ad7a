package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A build is a build of the program, with content that it understands.
type build struct {
	path    string
	catalog string
	level   int // the number of its newest migration
}

// thisBuild is the program under test.
func thisBuild(t *testing.T) build {
	t.Helper()
	path, err := binary()
	must(t, err)
	known, err := postgres.Program()
	must(t, err)
	return build{path, fixtureCatalog, int(known.Level)}
}

// lastRelease is the release that people upgrade from.
func lastRelease(t *testing.T) build {
	t.Helper()
	commit, err := lastCommit()
	must(t, err)
	if out, err := exec.Command("git", "cat-file", "-e", commit+"^{commit}").CombinedOutput(); err != nil {
		if shallow, _ := exec.Command("git", "rev-parse", "--is-shallow-repository").Output(); string(bytes.TrimSpace(shallow)) == "true" {
			t.Skipf("this checkout has no history, and so not the last release: git fetch --unshallow")
		}
		pgtest.SkipOrFail(t, "the last release, %s, is not in this repository: %s", commit, out)
	}
	b, err := buildRelease()
	must(t, err)
	return b
}

// buildRelease builds a commit of this repository, unless somebody has on this machine.
var buildRelease = sync.OnceValues(func() (build, error) {
	commit, err := lastCommit()
	if err != nil {
		return build{}, err
	}
	cache, err := cacheDir()
	if err != nil {
		return build{}, err
	}
	dir := filepath.Join(cache, "release-"+commit)
	if _, err := os.Stat(dir); err != nil {
		if err := makeRelease(commit, cache, dir); err != nil {
			return build{}, err
		}
	}
	b := build{path: filepath.Join(dir, "palmares"), catalog: filepath.Join(dir, "catalog")}
	migrations, err := filepath.Glob(filepath.Join(dir, "migrations/*.sql"))
	if err != nil || len(migrations) == 0 {
		return build{}, fmt.Errorf("%s has no migrations: remove it (%w)", dir, err)
	}
	_, err = fmt.Sscanf(filepath.Base(migrations[len(migrations)-1]), "%d_", &b.level)
	return b, err
})

// lastCommit is the commit that .ci/last-release names.
func lastCommit() (commit string, err error) {
	text, err := os.ReadFile("../../.ci/last-release")
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			commit = strings.TrimSpace(line)
		}
	}
	return commit, err
}

// cacheDir is where builds stay that never change, beside Go's own.
func cacheDir() (string, error) {
	dir := os.Getenv("PALMARES_CACHE")
	if dir == "" {
		out, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(filepath.Dir(string(bytes.TrimSpace(out))), "palmares")
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// makeRelease makes the directory of a release in one step: others may be doing the same.
func makeRelease(commit, cache, dir string) error {
	made, err := os.MkdirTemp(cache, "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	const steps = `mkdir "$2/tree" "$2/release" && git -C ../.. archive --format=tar "$1" | tar -x -C "$2/tree" && cd "$2/tree" &&
		go build -trimpath -o ../release/palmares ./cmd/palmares && mv internal/testdata/catalog internal/postgres/migrations ../release`
	cmd := exec.Command("sh", "-c", steps, "sh", commit, made)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the last release: %w\n%s", err, out)
	}
	if err := os.Rename(filepath.Join(made, "release"), dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return nil
		}
		return err
	}
	return nil
}

// An installation is what stays when the program is replaced.
type installation struct {
	t        *testing.T
	db       string
	environ  []string
	content  string
	mail     *testkit.Mailbox
	receiver *testkit.Receiver
	used     int // how often it was looked at
}

func install(t *testing.T, catalog string) *installation {
	t.Helper()
	i := &installation{t: t, db: pgtest.URL(t), content: testkit.CopyOf(t, catalog), mail: testkit.NewMailbox(t), receiver: testkit.NewReceiver()}
	t.Cleanup(i.receiver.Close)
	i.environ = onFreePorts(i.db, "PALMARES_REDIS_URL="+redistest.NewServer(t).URL(), "PALMARES_BASE_URL=http://localhost:8080",
		"PALMARES_SMTP_URL="+i.mail.URL, "PALMARES_MAIL_FROM=noreply@palmares.test", "PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8")
	return i
}

func (i *installation) run(b build, args ...string) string {
	i.t.Helper()
	out, _ := finish(i.t, commandOf(i.t, b.path, i.environ, args...))
	return strings.TrimSpace(out)
}

func (i *installation) serve(b build) *server {
	i.t.Helper()
	return serving(startCommand(i.t, commandOf(i.t, b.path, i.environ, "serve")))
}

// publish publishes another price, and waits for the nodes to have it.
func (i *installation) publish(b build, nodes ...*server) (price string) {
	i.t.Helper()
	i.used++
	price = fmt.Sprintf("%d €/mois", 5+i.used)
	testkit.Edit(i.t, filepath.Join(i.content, "tools/ame.md"), fmt.Sprintf("%d €/mois", 4+i.used), price)
	i.run(b, "publish", i.content)
	for _, n := range nodes {
		testkit.EventuallyGet(i.t, n.public+"/api/v1/tools/ame", says(price))
	}
	return price
}

// works wants a build to do all that an installation is for, with its commands and on a node that may be another's.
func (i *installation) works(b build, n *server) {
	i.t.Helper()
	n.ready()
	email := fmt.Sprintf("owner%d@example.org", i.used)
	i.run(b, "account", "create", email, "--plan", "pro")

	key := i.run(b, "key", "create", email)
	testkit.Eventually(i.t, func() error {
		r, err := visit(http.DefaultClient, n.public+"/api/v1/stats", key, "")
		if err == nil && (!r.OK() || r.Header.Get("X-RateLimit-Tier") != account.Pro.Limits().Tier) {
			err = fmt.Errorf("the key gets %d with %v", r.Status, r.Header)
		}
		return err
	})

	i.run(b, "webhook", "create", email, fmt.Sprintf("%s/%d", i.receiver.URL, i.used), "--vouch")
	before := len(i.receiver.Requests())
	price := i.publish(b, n)
	testkit.EventuallyTrue(i.t, "the publication is delivered", func() bool {
		for _, r := range i.receiver.Requests()[before:] {
			if strings.Contains(string(r.Body), price) {
				return true
			}
		}
		return false
	})

	i.signIn(n, email)
}

// signIn signs in by mail, and looks at the keys.
func (i *installation) signIn(n *server, email string) *testkit.Browser {
	i.t.Helper()
	g := &guest{t: i.t, n: n, mail: i.mail, secrets: map[string]string{}}
	browser := g.browser("203.0.113.77")
	g.ask(browser, email)
	path, token, _ := g.mailed(email, "jeton")
	g.want("the link", browser.Get(path+"?jeton="+token), http.StatusOK)
	g.want("signing in", browser.Submit(path, "enter", map[string]string{"link": token}), http.StatusSeeOther)
	g.want("the keys", browser.Get("/compte/cles"), http.StatusOK)
	return browser
}

// upgradeTable is the part of the documentation that the test below writes.
const upgradeTable = "../../docs/operations/upgrade.md"

// The last release works on the schema of this program, beside it, so that nodes can be replaced one by one. This program
// waits for its migration, and goes on without a restart.
func TestUpgrade_FromTheLastRelease(t *testing.T) {
	t.Parallel()
	old, now := lastRelease(t), thisBuild(t)
	table := []string{"| program | schema | |", "|---|---|---|"}
	said := func(program, schema, outcome string) {
		table = append(table, fmt.Sprintf("| %s | %s | %s |", program, schema, outcome))
	}

	i := install(t, old.catalog)
	i.run(old, "migrate")
	i.run(old, "publish", i.content)
	first := i.serve(old)
	i.works(old, first)
	said("the last release", "its own", "works")

	next := i.serve(now)
	if old.level == now.level {
		i.works(now, next)
		said("this one", "of the last release", "works: there is no migration between them")
	} else {
		want := fmt.Sprintf("the schema is at %d, this program needs %d: run palmares migrate", old.level, now.level)
		testkit.EventuallyGet(t, next.admin+"/readyz", func(r testkit.Response) bool {
			return r.Status == http.StatusServiceUnavailable && r.Body == want
		})
		refused := commandOf(t, now.path, i.environ, "publish", i.content)
		if out, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("publishing before the migration: %v\n%s", err, out)
		}
		i.publish(old, first)
		said("this one", "of the last release", "does not work, and says `the schema is at N, this program needs M: run palmares migrate`")
		i.run(now, "migrate")
		next.ready() // the same process
		said("this one, started before `palmares migrate`", "its own", "works once it has run, without a restart")
	}
	i.works(now, next)
	said("this one", "its own", "works")
	i.works(old, first)
	said("the last release, started before `palmares migrate`", "of this one", "works")

	// Both at once, as while nodes are replaced one by one.
	i.publish(old, first, next)
	i.publish(now, first, next)
	i.works(old, next)
	i.works(now, first)
	browser := i.signIn(first, "owner0@example.org")
	browser.Base = next.public
	testkit.Equal(t, "a session of the last release", browser.Get("/compte/cles").Status, http.StatusOK)
	said("both at once", "of this one", "work: editions, keys, sessions and deliveries are shared")

	first.stop()
	again := i.serve(old)
	i.works(old, again)
	said("the last release, started anew (back from this one)", "of this one", "works")
	again.stop()
	next.stop()

	if doc := testkit.ReadFile(t, upgradeTable); !strings.Contains(doc, strings.Join(table, "\n")+"\n") {
		t.Errorf("%s has another table than\n%s", upgradeTable, strings.Join(table, "\n"))
	}
}
