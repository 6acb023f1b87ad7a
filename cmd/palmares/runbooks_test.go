package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/gittest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const runbooks = root + "/docs/operations/runbooks.md"

// commandsOf are the blocks of commands of a section of the runbooks.
func commandsOf(t *testing.T) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for _, section := range strings.Split(testkit.ReadFile(t, runbooks), "\n## ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(body, -1) {
			all[name] = append(all[name], block[1])
		}
	}
	return all
}

// Whoever is woken types what the runbooks say, on the machine of a node: each command works as it stands there, and
// those that read print something.
func TestRunbooks(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "psql", "redis-cli", "ss"} {
		if _, err := exec.LookPath(program); err != nil {
			pgtest.SkipOrFail(t, "no %s: %v", program, err)
		}
	}
	db, mail, redis := pgtest.Migrated(t), testkit.NewMailbox(t), redistest.NewServer(t)
	fake := stripetest.New(t, stripefake.Options{})
	palmares(t, database(db), "publish", fixtureCatalog)
	settings := append(sells(fake), "PALMARES_SMTP_URL="+mail.URL, "PALMARES_MAIL_FROM=noreply@palmares.test",
		"PALMARES_REDIS_URL="+redis.URL(), "PALMARES_SNAPSHOT_FILE="+filepath.Join(t.TempDir(), "copy"))
	n := serve(t, db, settings...)
	n.ready()
	testkit.EventuallyTrue(t, "the disk copy", func() bool { return n.metric("palmares_snapshot_copy_edition") == 1 })
	testkit.EventuallyTrue(t, "the first look at webhooks", func() bool { return n.metric("palmares_webhook_pending") == 0 })
	repository := gittest.New(t)
	repository.CommitDir(fixtureCatalog, "catalog")
	forge, pulls := repository.Serve(), testkit.FreeAddress(t)
	start(t, append(database(db), "PALMARES_PUBLISH_CA_FILE="+forge.CAFile, "PALMARES_PUBLISH_LISTEN="+pulls, "PALMARES_PUBLISH_DIR="+t.TempDir()),
		"publish", "--from-git", forge.URL)
	// What is published came from another repository, if from any: it stops, which is what a runbook is for.
	testkit.EventuallyGet(t, "http://"+pulls+"/readyz", func(r testkit.Response) bool { return r.OK() || strings.Contains(r.Body, "stopped") })
	path, err := binary()
	must(t, err)
	plain, err := url.Parse(db) // psql knows no settings in it
	must(t, err)
	plain.RawQuery = "sslmode=disable"
	environ := append(onFreePorts(plain.String(), settings...),
		"PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"), "HOME="+t.TempDir(),
		"PALMARES_LISTEN="+strings.TrimPrefix(n.public, "http://"), "PALMARES_ADMIN_LISTEN="+strings.TrimPrefix(n.admin, "http://"), "PALMARES_PUBLISH_LISTEN="+pulls)
	for name, blocks := range commandsOf(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for line := range strings.Lines(strings.Join(blocks, "")) {
				cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", line)
				cmd.Env = environ
				out, err := cmd.CombinedOutput()
				silent := strings.Contains(line, " -o /tmp/") || strings.Contains(line, `code="5`) || strings.HasPrefix(line, "ss ")
				if err != nil || len(out) == 0 && !silent {
					t.Errorf("%s%v\n%s", line, err, out)
				}
			}
		})
	}
}
