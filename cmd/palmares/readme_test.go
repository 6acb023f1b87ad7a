package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const root = "../.."

// steps are the commands of README.md after the given words.
func steps(t *testing.T, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(testkit.ReadFile(t, root+"/README.md"), after)
	_, block, fenced := strings.Cut(rest, "```sh\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !fenced || !closed {
		t.Fatalf("README.md has no commands after %q", after)
	}
	return block
}

// developed is a database that a newcomer's commands make; it goes with the test.
func developed(t *testing.T) (name string) {
	t.Helper()
	for _, address := range composeEngines(t) {
		conn, err := net.DialTimeout("tcp", address, 5*time.Second)
		if err != nil {
			pgtest.SkipOrFail(t, "no engine of compose.yaml at %s: start it with docker compose up -d postgres redis", address)
		}
		conn.Close()
	}
	name = fmt.Sprintf("palmares_dev_%d", rand.Uint64())
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		conn, err := pgx.Connect(ctx, "postgres://postgres@127.0.0.1:5432/postgres")
		if err == nil {
			defer conn.Close(ctx)
			_, err = conn.Exec(ctx, `DROP DATABASE IF EXISTS "`+name+`" WITH (FORCE)`)
		}
		if err != nil {
			t.Errorf("the database %s is left behind: %v", name, err)
		}
	})
	return name
}

// shell runs commands as a newcomer does, in the root of the repository, with nothing of ours in
// the environment but what is given. What they build is built as the release is: the flags of the tests
// would have all of it compiled once more.
func shell(t *testing.T, script string, settings ...string) *process {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = root
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "PALMARES_") }),
		append(settings, "CGO_ENABLED=0", "GOFLAGS=-trimpath")...)
	return startCommand(t, cmd)
}

// What README.md has a newcomer type works, on the ports of compose.yaml.
func TestReadme(t *testing.T) {
	t.Parallel()
	_, err := binary() // which copies what they build anew
	must(t, err)
	t.Run("step by step", stepByStep) // one after the other: both build into build/
	t.Run("make dev", makeDev)
}

func stepByStep(t *testing.T) {
	name := developed(t)
	public, admin := testkit.FreeAddress(t), testkit.FreeAddress(t) // others test on this machine, too
	smtp, shown := testkit.FreeAddress(t), testkit.FreeAddress(t)
	own := func(commands string) string {
		return strings.NewReplacer("palmares_dev", name, "127.0.0.1:8080", public, "127.0.0.1:1025", smtp, "127.0.0.1:8025", shown).
			Replace(commands)
	}
	serving := steps(t, "The same, step by step:")
	for _, address := range composeEngines(t) {
		if !strings.Contains(serving, address) {
			t.Errorf("README.md does not name %s, where compose.yaml has an engine", address)
		}
	}
	p := shell(t, own(serving), "PALMARES_ADMIN_LISTEN="+admin)
	p.await(0, "edition 1 published")
	testkit.EventuallyGet(t, "http://"+admin+"/readyz", testkit.Response.OK)

	// Whoever opens the site gets a key, with what the steps have set; make journey does so in a browser.
	signUp(t, "http://"+public, "http://"+shown)

	variables := strings.Join(regexp.MustCompile(`(?m)^export PALMARES_(DATABASE|REDIS)_URL=.*$`).FindAllString(serving, -1), "\n")
	key := shell(t, own(variables+"\n"+steps(t, "With the engines, and with the variables above:")))
	key.wait()
	key.await(0, `"chunks"`)
}

// signUp makes an account and a key of it on the pages, with the code that the mail catcher shows.
func signUp(t *testing.T, site, mails string) {
	t.Helper()
	const email, signIn, keys = "newcomer@example.org", "/compte/connexion", "/compte/cles"
	b := testkit.NewBrowser(t, site)
	b.Get(signIn)
	b.Submit(signIn, "ask", map[string]string{"email": email})
	mail := testkit.EventuallyGet(t, mails+"/mails?to="+email, func(r testkit.Response) bool { return mailedCode.MatchString(r.Body) })
	code := strings.ReplaceAll(mailedCode.FindString(mail.Body), " ", "")
	b.Submit(signIn, "code", map[string]string{"code": code, "email": email})
	form := once.FindStringSubmatch(b.Get(keys).Body)
	if form == nil {
		t.Fatalf("no form creates a key, with the code of %v", mail)
	}
	key := wholeKey.FindString(b.Submit(keys, "create", map[string]string{"name": "first", "once": form[1]}).Body)
	a, err := testkit.Fetch(site+"/api/embeddings/tournevis", testkit.Bearer(key))
	if err != nil || !a.OK() {
		t.Errorf("with the key of the page: %v %v", a, err)
	}
}

// hears makes an endpoint on this machine and wants the node of make dev to deliver a change to it.
func hears(t *testing.T, database string) {
	t.Helper()
	r := testkit.NewReceiver()
	defer r.Close()
	environ := []string{
		"PALMARES_DATABASE_URL=" + database, "PALMARES_SECRET=for-development-only-not-a-real-secret",
		"PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8",
	}
	palmares(t, environ, "webhook", "create", "pro@example.org", r.URL, "--vouch", "--type", "price.changed")
	dir := testkit.CopyOf(t, exampleCatalog)
	testkit.Edit(t, dir+"/tools/tournevis.md", `price: "24 €/mois"`, `price: "25 €/mois"`)
	palmares(t, environ, "publish", dir)
	testkit.EventuallyTrue(t, "the change is delivered", func() bool { return len(r.Requests()) == 1 })
}

// makeDev prints addresses and keys that work, new keys each time.
func makeDev(t *testing.T) {
	name := developed(t)
	keys, url := map[string]bool{}, "postgres://postgres@127.0.0.1:5432/"+name+"?sslmode=disable"
	for run := range 2 {
		public, admin := testkit.FreeAddress(t), testkit.FreeAddress(t)
		p := shell(t, "make --no-print-directory dev", "PALMARES_LISTEN="+public, "PALMARES_ADMIN_LISTEN="+admin,
			"PALMARES_SNAPSHOT_FILE="+t.TempDir()+"/copy",
			"DEV_DATABASE_URL="+url, "DEV_SMTP="+testkit.FreeAddress(t), "DEV_MAILBOX="+testkit.FreeAddress(t))
		printed := p.await(0, "pro key: plm_")
		if replayed := strings.Contains(printed, "edition 20 published"); replayed != (run == 0) {
			t.Errorf("run %d publishes the history: %t\n%s", run, replayed, printed)
		}
		if !strings.Contains(printed, "admin on http://"+admin+"/readyz") {
			t.Errorf("it does not tell its admin address, %s:\n%s", admin, printed)
		}
		testkit.EventuallyGet(t, "http://"+admin+"/readyz", testkit.Response.OK)
		for _, key := range regexp.MustCompile(`(?m)^  (developer|pro) key: (\S+)$`).FindAllStringSubmatch(p.log.String(), -1) {
			tier := map[string]string{"developer": "free", "pro": "pro"}[key[1]]
			a, err := testkit.Fetch("http://"+public+"/api/embeddings/tournevis", testkit.Bearer(key[2]))
			if err != nil || !a.OK() || a.Header.Get("X-Ratelimit-Tier") != tier || keys[key[2]] {
				t.Errorf("the %s key: %v %v", key[1], a, err)
			}
			keys[key[2]] = true
		}
		if run == 1 { // the first publishes the example, which the second would take back
			hears(t, url)
		}
		must(t, syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM))
		testkit.Await(t, "the end of make dev", p.exited)
	}
	if len(keys) != 4 {
		t.Errorf("%d keys in two runs, want 4", len(keys))
	}
}
