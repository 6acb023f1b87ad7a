package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const billingGuide = root + "/docs/operations/billing.md"

// newSeller gives a test an account in live mode at which nothing is set up.
func newSeller(t *testing.T) *stripefake.Server {
	t.Helper()
	fake := stripetest.New(t, stripefake.Options{Bare: true, Key: "rk_live_never_shown", Secret: "whsec_never_shown"})
	fake.SetLive(true)
	return fake
}

// The command line of the set-up: where the key comes from, where the secret goes, what is printed, and what is refused
// before anything is made.
func TestBillingSetup(t *testing.T) {
	t.Parallel()
	fake, dir := newSeller(t), t.TempDir()
	key, secret := filepath.Join(dir, "key"), filepath.Join(dir, "secret")
	must(t, os.WriteFile(key, []byte(fake.Key+"\n"), 0o600))
	public := []string{"PALMARES_STRIPE_URL=" + fake.URL, "PALMARES_BASE_URL=https://palmares.example"}
	run := func(environ []string, stdin string, args ...string) (status int, out, errs string) {
		t.Helper()
		cmd := command(t, environ, append([]string{"billing", "setup", "--secret-file", secret}, args...)...)
		var stdout, stderr strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
		_ = cmd.Run() // its status says it
		for _, hidden := range []string{fake.Key, fake.Secret} {
			if strings.Contains(stdout.String()+stderr.String(), hidden) {
				t.Errorf("%q prints %s", args, hidden)
			}
		}
		return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	}
	wants := func(what string, status, want int, errs, says string) {
		t.Helper()
		if status != want || !regexp.MustCompile(says).MatchString(errs) {
			t.Errorf("%s: status %d, want %d and %q:\n%s", what, status, want, says, errs)
		}
	}
	for what, x := range map[string]struct {
		key     string
		environ []string
		says    string
	}{
		"a test key":    {"sk_test_1", public, `a test key, and PALMARES_BASE_URL is public`},
		"a private one": {fake.Key, []string{"PALMARES_STRIPE_URL=" + fake.URL, "PALMARES_BASE_URL=http://localhost:8080"}, `a live key, and nobody else`},
		"no address":    {fake.Key, public[:1], `PALMARES_BASE_URL is not set`},
		"no key":        {"", public, `no key of Stripe's`},
		"another key":   {"rk_live_other", public, `the payment provider refuses`},
	} {
		status, out, errs := run(x.environ, x.key)
		wants(what, status, 1, errs, x.says)
		testkit.Equal(t, what+": printed", out, "")
	}

	status, out, errs := run(public, fake.Key, "--dry-run")
	wants("a dry run", status, 0, errs, `(?s)product +would be made +.*endpoint +would be made +.*One-Stop Shop.*own mails.*nothing was changed \(live mode\)`)
	testkit.Equal(t, "settings of a dry run", out, "")
	testkit.Equal(t, "files", files(t, dir), []string{"key"})

	status, out, errs = run(public, "", "--key-file", key)
	wants("a run", status, 0, errs, `(?s)PALMARES_DATABASE_URL is not set: .*product +made +prod_palmares_pro .*endpoint +made +we_.*palmares billing check`)
	if !regexp.MustCompile(`^PALMARES_STRIPE_PRICE=price_\w+\nPALMARES_STRIPE_WEBHOOK_SECRET_FILE=` + secret + `\n$`).MatchString(out) {
		t.Errorf("it prints %q", out)
	}
	info, err := os.Stat(secret)
	must(t, err)
	testkit.Equal(t, "the secret", []string{info.Mode().String(), testkit.ReadFile(t, secret)}, []string{"-rw-------", fake.Secret + "\n"})
	testkit.Equal(t, "files", files(t, dir), []string{"key", "secret"})
	made := len(fake.Requests())
	status, again, errs := run(append(public, "PALMARES_SELLER_VAT=franchise"), fake.Key)
	wants("again", status, 0, errs, `(?s)product +found.*price +found.*portal +found.*endpoint +found.*registrations for VAT: none`)
	testkit.Equal(t, "the settings", again, out)
	for _, r := range fake.Requests()[made:] {
		testkit.Equal(t, r.Path, r.Method, "GET")
	}

	must(t, os.Rename(secret, secret+"-elsewhere"))
	status, again, errs = run(public, fake.Key)
	wants("without the file", status, 1, errs, `(?m)^secret +to do +we_\w+ +the provider tells it once: roll it`)
	testkit.Equal(t, "the settings", again, out)
	fake.ChangeSetup(func(s *stripefake.Setup) { s.Endpoints = nil })
	must(t, os.WriteFile(secret, []byte("of another\n"), 0o600))
	status, _, errs = run(public, fake.Key)
	wants("over another secret", status, 1, errs, regexp.QuoteMeta(secret)+`: .*name another file`)
	testkit.Equal(t, "the other secret", testkit.ReadFile(t, secret), "of another\n")

	sandbox := stripetest.New(t, stripefake.Options{Bare: true})
	status, _, errs = run([]string{"PALMARES_STRIPE_URL=" + sandbox.URL, "PALMARES_BASE_URL=http://localhost:8080"}, sandbox.Key)
	wants("where the provider reaches nobody", status, 0, errs, `(?s)portal +made.*endpoint +to do .*stripe listen.*test mode`)

	db := pgtest.Migrated(t)
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `INSERT INTO billing_provider (account, live, since) VALUES ('acct_former', true, now())`)
	must(t, err)
	status, _, errs = run(append(public, database(db)...), fake.Key)
	wants("an account of others", status, 1, errs, `acct_former`)
}

// files are the names in a folder.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	must(t, err)
	for _, f := range all {
		names = append(names, f.Name())
	}
	return names
}

// Whoever follows the guide comes from nothing to a node that sells: its commands work as they stand there. systemctl and
// chown are stand-ins. It is short enough to be read before one begins.
func TestBillingGuide_FromNothingToLive(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(testkit.ReadFile(t, billingGuide), "\n## From nothing to live\n")
	text, _, _ = strings.Cut(text, "\n## ")
	if words := len(strings.Fields(text)); words < 500 || words > 1500 {
		t.Errorf("the section has %d words", words)
	}
	fake, db, dir := newSeller(t), pgtest.Migrated(t), t.TempDir()
	palmares(t, database(db), "publish", exampleCatalog)
	path, err := binary()
	must(t, err)
	for _, name := range []string{"bin", "root", "etc/palmares/secrets"} {
		must(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	for _, name := range []string{"systemctl", "chown"} {
		must(t, os.WriteFile(filepath.Join(dir, "bin", name), []byte("#!/bin/sh\necho \"$0 $*\" >>\""+dir+"/asked\"\n"), 0o700))
	}
	env := filepath.Join(dir, "etc/palmares/palmares.env")
	must(t, os.WriteFile(env, []byte("PALMARES_DATABASE_URL='"+db+"'\nPALMARES_SECRET="+secret+"\nPALMARES_BASE_URL=https://catalogue.example.org\n"), 0o600))
	for _, name := range []string{"root/stripe-setup.key", "etc/palmares/secrets/stripe-key"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(fake.Key+"\n"), 0o600))
	}
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(text, -1)
	testkit.Equal(t, "blocks", len(blocks), 5)
	var script strings.Builder
	for _, block := range blocks {
		script.WriteString(block[1])
	}
	moved := strings.NewReplacer("/etc/palmares", dir+"/etc/palmares", "/root/", dir+"/root/").Replace(script.String())
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", moved)
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":" + filepath.Dir(path) + ":" + os.Getenv("PATH"), "HOME=" + dir, "PALMARES_STRIPE_URL=" + fake.URL}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), " 0 wrong, ") || !strings.Contains(string(out), "nothing differs") {
		t.Fatalf("%v\n%s", err, out)
	}
	testkit.Equal(t, "asked of the machine", strings.ReplaceAll(testkit.ReadFile(t, filepath.Join(dir, "asked")), dir, ""),
		"/bin/chown palmares /etc/palmares/secrets/stripe-events\n/bin/chown palmares /etc/palmares/secrets/stripe-key\n"+
			"/bin/systemctl restart palmares\n")
	testkit.Equal(t, "the key of the set-up", files(t, filepath.Join(dir, "root")), []string(nil))

	settings := strings.Split(strings.TrimSpace(testkit.ReadFile(t, env)), "\n")[1:] // serve has the database
	n := serve(t, db, append(settings, "PALMARES_STRIPE_URL="+fake.URL)...)
	n.await(0, `"msg":"the price is that of the plan"`)
}
