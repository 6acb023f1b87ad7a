package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// auditor is palmares-audit as a release builds it.
var auditor = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaryDir, "palmares-audit")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version=v0.0.1", "-o", path, "./cmd/palmares-audit")
	build.Dir = root + "/clients/go"
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building palmares-audit: %w\n%s", err, out)
	}
	return path, nil
})

// An audit is a project with a cache of its own, and a service to ask.
type audit struct {
	t          *testing.T
	dir, cache string
	url, key   string
}

func newAudit(t *testing.T, url string) *audit {
	t.Helper()
	return &audit{t: t, dir: t.TempDir(), cache: t.TempDir(), url: url}
}

// run audits, and returns both outputs and the exit.
func (a *audit) run(args ...string) (stdout, stderr string, exit int) {
	a.t.Helper()
	path, err := auditor()
	must(a.t, err)
	cmd := exec.CommandContext(a.t.Context(), path, append([]string{"--cache", a.cache}, args...)...)
	cmd.Dir = a.dir
	cmd.Env = []string{"HOME=" + a.dir, "PALMARES_API_URL=" + a.url, "PALMARES_API_KEY=" + a.key}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() < 0 {
		a.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// wants runs an audit that must end so, with something to say.
func (a *audit) wants(exit int, says string, args ...string) {
	a.t.Helper()
	out, errs, is := a.run(args...)
	if is != exit || !strings.Contains(out+errs, says) {
		a.t.Errorf("%v: exit %d, want %d with %q:\n%s%s", args, is, exit, says, out, errs)
	}
}

func (a *audit) write(name, text string) {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	must(a.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(a.t, os.WriteFile(path, []byte(text), 0o600))
}

// audited is the example catalogue in which a price has risen and two tools share a domain, with a node that serves it.
func audited(t *testing.T) (n *server, db, dir string) {
	t.Helper()
	db, dir = pgtest.URL(t), t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(exampleCatalog)))
	for _, slug := range []string{"vignelune", "voix-de-grange"} {
		testkit.Edit(t, dir+"/tools/"+slug+".md", "domain: "+slug+".example", "domain: partage.example")
	}
	palmares(t, database(db), "migrate")
	testkit.Edit(t, dir+"/tools/requetine.md", `price: "40 €/mois"`, `price: "30 €/mois"`)
	palmares(t, database(db), "publish", dir)
	testkit.Edit(t, dir+"/tools/requetine.md", `price: "30 €/mois"`, `price: "40 €/mois"`)
	palmares(t, database(db), "publish", dir)
	n = serve(t, db)
	n.ready()
	return n, db, dir
}

// auditArgs and auditExit are what a fixture says of how it is run.
var (
	auditArgs = regexp.MustCompile(`(?m)^args: (.*)$`)
	auditExit = regexp.MustCompile(`(?m)^exit: (\d)$`)
)

// Each fixture is a project with an answer that is known. The exit is the same in every format, and each format is what
// its readers expect.
func TestAudit_Projects(t *testing.T) {
	t.Parallel()
	n, _, _ := audited(t)
	schema := sarifSchema(t)
	paths, err := filepath.Glob("testdata/audit/*.txtar")
	must(t, err)
	published := testkit.Get(t, n.public+"/api/v1/stats").Header.Get("X-Service-Updated-At")
	day, err := time.Parse(time.DateOnly, published)
	must(t, err)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			fixture, err := txtar.ParseFile(path)
			must(t, err)
			a, want, unread := newAudit(t, n.public), "", false
			for _, f := range fixture.Files {
				unread = unread || f.Name == "yarn.lock"
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				a.write(f.Name, string(f.Data))
			}
			args := strings.Fields(auditArgs.FindStringSubmatch(string(fixture.Comment))[1])
			today, form := published, "2 January 2006"
			for i, arg := range args {
				if arg == "--today" {
					today = args[i+1]
				}
			}
			if today[:4] == published[:4] {
				form = "2 January"
			}
			want = strings.NewReplacer("DAY", day.Format(form), "PUBLISHED", day.Format("2 January 2006")).Replace(want)
			out, errs, exit := a.run(append([]string{"--today", published}, args...)...)
			testkit.Equal(t, "the report", out, want)
			testkit.Equal(t, "the exit", fmt.Sprint(exit), auditExit.FindStringSubmatch(string(fixture.Comment))[1])
			testkit.Equal(t, "whether it names the lock that it does not read", strings.Contains(errs, "yarn.lock was not read"), unread)
			last := strings.TrimSpace(want[strings.LastIndexByte(strings.TrimSpace(want), '\n')+1:])
			for _, format := range []string{"json", "markdown", "github", "gitlab", "sarif"} {
				out, errs, is := a.run(append([]string{"--today", published, "--format", format}, args...)...)
				testkit.Equal(t, "the exit with --format "+format, is, exit)
				if !strings.Contains(out+errs, last) {
					t.Errorf("--format %s does not say %q:\n%s%s", format, last, out, errs)
				}
				switch format {
				case "json", "gitlab":
					testkit.Equal(t, "whether "+format+" is JSON", json.Valid([]byte(out)), true)
				case "github":
					testkit.Equal(t, "number of errors", strings.Count("\n"+out, "\n::error file="), failing(want))
				case "sarif":
					document, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
					must(t, err)
					must(t, schema.Validate(document))
				}
			}
		})
	}
}

// failing counts the findings of a report in text.
func failing(report string) int {
	return len(regexp.MustCompile(`(?m)^(retired|ending|dearer|low_score) [^(\n]*$`).FindAllString(report, -1))
}

// sarifSchema is the schema of SARIF 2.1.0 that gosec has for its own tests.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "mod", "download", "-modfile=tools/go.mod", "-json", "github.com/securego/gosec/v2")
	list.Dir = root
	out, err := list.Output()
	var module struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &module)
	}
	if err != nil {
		pgtest.SkipOrFail(t, "gosec, which has the schema of SARIF, cannot be had: %v", err)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(module.Dir, "report/sarif/testdata/sarif-schema-2.1.0.json"))
	must(t, err)
	return schema
}

const (
	oneRetired = "dictafolle==1\nleft-pad\n"
)

// What is ignored fails again after its day, what was accepted does not fail until it changes, and faults are told from
// findings.
func TestAudit_Exceptions(t *testing.T) {
	t.Parallel()
	n, db, dir := audited(t)
	a := newAudit(t, n.public)
	a.write("requirements.txt", oneRetired+"requetine\n")
	a.wants(1, "retired on 15 January 2026")
	entry := `{"ignores": [{"id": "pkg:pypi/Dictafolle", "reason": "wird ersetzt", "until": "2027-01-31"}%s]}`
	a.write("palmares-audit.json", fmt.Sprintf(entry, ""))
	a.wants(0, "ignored until 31 January 2027: wird ersetzt", "--today", "2027-01-31")
	a.wants(1, "was ignored until 31 January 2027", "--today", "2027-02-01")
	sarif, _, _ := a.run("--today", "2027-01-31", "--format", "sarif")
	testkit.Equal(t, "number of suppressed results", strings.Count(sarif, `"suppressions"`), 1)
	a.write("palmares-audit.json", fmt.Sprintf(entry, `, {"id": "left-pad", "reason": "none", "until": "2027-01-31"}`))
	a.wants(0, "left-pad, which is ignored: remove it", "--today", "2027-01-31")
	for _, wrong := range []string{`{"id": "pkg:pypi/dictafolle", "until": "2027-01-31"}`, `{"id": "x", "reason": "y", "until": "soon"}`, `{"id": "x", "reason": "y"}`, `{"idd": ""}`} {
		a.write("palmares-audit.json", `{"ignores": [`+wrong+`]}`)
		a.wants(2, "palmares-audit.json")
	}
	must(t, os.Remove(filepath.Join(a.dir, "palmares-audit.json")))

	a.wants(2, "--accept writes it", "--baseline", "audit.json")
	a.wants(0, "", "--baseline", "audit.json", "--accept", "--fail-on", "retired,low_score:9")
	a.wants(0, "2 findings are in the baseline", "--baseline", "audit.json", "--fail-on", "retired,ending,dearer,low_score:9")
	testkit.Edit(t, dir+"/tools/requetine.md", "\nscore: 8.3\n", "\nscore: 8.2\n")
	testkit.Edit(t, dir+"/tools/requetine.md", `price: "40 €/mois"`, `price: "44 €/mois"`)
	palmares(t, database(db), "publish", dir)
	testkit.EventuallyTrue(t, "the price rises", func() bool {
		out, _, exit := a.run("--baseline", "audit.json", "--fail-on", "dearer:10%")
		return exit == 1 && strings.Contains(out, "€44/month, it was €40/month in the baseline")
	})
	a.wants(0, "", "--baseline", "audit.json", "--fail-on", "dearer:10.1%")
	a.wants(1, "its score is 8.2, below 9", "--baseline", "audit.json", "--fail-on", "low_score:9")

	for fault, args := range map[string][]string{
		"no such file":             {"missing.json"},
		"--fail-on":                {"--fail-on", "retired:5d"},
		"--format":                 {"--format", "xml"},
		"--today":                  {"--today", "tomorrow"},
		"what is this?":            {"audit.json"},
		"which service?":           {"--url="},
		"not one of http or https": {"--url", "ftp://example.org"},
		"no whole response":        {"--url", "http://127.0.0.1:1"},
		"which file":               {"--accept"},
		"not defined: -nothing":    {"--nothing"},
	} {
		if fault == "which file" {
			fault = "say into which file"
		}
		a.wants(2, fault, args...)
	}
}

// An address that has used up its quota still audits, twelve times an hour without a cache. Then a cache answers, and
// without one the audit says why not. Offline the cache is enough, and one that was damaged is replaced.
func TestAudit_QuotaAndCache(t *testing.T) {
	t.Parallel()
	n, db, dir := audited(t)
	used := func() bool { return testkit.Get(t, n.public+"/api/v1/tools").Status == http.StatusTooManyRequests }
	for !used() {
	}
	a := newAudit(t, n.public)
	a.write("requirements.txt", oneRetired)
	a.wants(2, "run once without --offline", "--offline")
	fresh := a.cache
	for i := range 12 {
		a.cache = t.TempDir()
		a.wants(1, "Dictafolle")
		if i == 0 {
			fresh = a.cache
		}
	}
	a.cache = t.TempDir()
	a.wants(2, "429 daily quota")
	a.cache = fresh
	a.wants(1, "Dictafolle") // a 304
	files, err := filepath.Glob(a.cache + "/*")
	must(t, err)
	testkit.Equal(t, "number of files in the cache", len(files), 1)
	info, err := os.Stat(files[0])
	must(t, err)
	testkit.Equal(t, "who may read it", info.Mode().Perm(), os.FileMode(0o600))
	whole, err := os.ReadFile(files[0])
	must(t, err)
	for name, damage := range map[string][]byte{
		"cut": whole[:len(whole)-10], "empty": {}, "another byte": append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1),
	} {
		must(t, os.WriteFile(files[0], damage, 0o600))
		a.wants(2, "run once without --offline", "--offline")
		a.wants(2, "429 daily quota") // it asks, rather than use that
		t.Log(name)
	}
	must(t, os.WriteFile(files[0], whole, 0o600))
	testkit.Edit(t, dir+"/tools/requetine.md", "\nscore: 8.3\n", "\nscore: 8.2\n")
	palmares(t, database(db), "publish", dir)
	another := newAudit(t, n.public)
	another.key = newKey(t, db, "runner@example.org", "pro")
	another.write("requirements.txt", oneRetired)
	testkit.EventuallyTrue(t, "the next edition is refused, and that of before used", func() bool {
		another.run() // for those who have used up their quota no file is made
		out, errs, exit := a.run()
		return exit == 1 && strings.Contains(out, "Dictafolle") && strings.Contains(errs, "429 daily quota") && strings.Contains(errs, "which was kept")
	})
	n.stop()
	a.wants(1, "Dictafolle", "--offline")
	a.wants(1, "which was kept") // nobody answers
}

// A key is sent and never printed, and one that is wrong is a fault although the cache could answer.
func TestAudit_Key(t *testing.T) {
	t.Parallel()
	n, db, _ := audited(t)
	a := newAudit(t, n.public)
	a.write("requirements.txt", oneRetired)
	key := newKey(t, db, "runner@example.org", "pro")
	a.key = key
	testkit.EventuallyTrue(t, "the key is known", func() bool { _, _, exit := a.run(); return exit == 1 })
	a.key = key[:len(key)-1] + "x"
	out, errs, exit := a.run()
	testkit.Equal(t, "the exit with a wrong key", exit, 2)
	if strings.Contains(out+errs, key[10:len(key)-1]) {
		t.Error("the key is printed")
	}
}

// While editions follow one another, each audit is of one of them, and a damaged cache is downloaded anew: of two tools one
// ends in every edition, never both and never none.
func TestAudit_EditionsChange(t *testing.T) {
	t.Parallel()
	n, db, dir := audited(t)
	ends := func(slug, other string) {
		for name, front := range map[string]string{slug: "ends_at: 2099-01-31\n", other: ""} {
			path := dir + "/tools/" + name + ".md"
			text := regexp.MustCompile(`(?m)^ends_(at|source): .*\n`).ReplaceAllString(testkit.ReadFile(t, path), "")
			if front != "" {
				front += "ends_source: https://" + name + ".example/fin\n"
			}
			must(t, os.WriteFile(path, []byte(strings.Replace(text, "\ncategory:", "\n"+front+"category:", 1)), 0o600))
		}
		if out, err := command(t, database(db), "publish", dir, "--allow-stale").CombinedOutput(); err != nil {
			t.Errorf("publishing: %v\n%s", err, out)
		}
	}
	ends("requetine", "rabotine")
	testkit.EventuallyTrue(t, "the first edition of these", func() bool {
		a := newAudit(t, n.public)
		a.write("list.txt", "pkg:pypi/requetine\npkg:npm/rabotine\n")
		out, _, _ := a.run("list.txt", "--fail-on", "ending")
		return strings.Contains(out, "Requêtine")
	})
	ctx, cancel := context.WithCancel(t.Context())
	var editors sync.WaitGroup
	editors.Go(func() {
		for i := range 6 {
			pair := []string{"requetine", "rabotine"}
			ends(pair[(i+1)%2], pair[i%2])
		}
		cancel()
	})
	a := newAudit(t, n.public)
	a.write("list.txt", "pkg:pypi/requetine\npkg:npm/rabotine\n")
	audits, seen := 0, map[bool]int{}
	for ; ctx.Err() == nil || audits < 10; audits++ {
		if audits%10 == 0 { // damaged, and replaced
			files, _ := filepath.Glob(a.cache + "/*")
			for _, file := range files {
				must(t, os.WriteFile(file, []byte("nothing"), 0o600))
			}
		}
		out, errs, exit := a.run("list.txt", "--fail-on", "ending")
		first, second := strings.Contains(out, "Requêtine"), strings.Contains(out, "Rabotine")
		if strings.Contains(errs, "429") {
			break // the quota and the free downloads are used up
		}
		if exit != 1 || first == second {
			t.Errorf("exit %d of an audit of two editions at once:\n%s%s", exit, out, errs)
		}
		seen[first]++
	}
	editors.Wait()
	t.Logf("%d audits, %v", audits, seen)
}

// Five thousand dependencies are compared in a moment. The time is told, not bounded.
func TestAudit_Many(t *testing.T) {
	t.Parallel()
	n, _, _ := audited(t)
	a := newAudit(t, n.public)
	var direct, locked []string
	for i := range 5_000 {
		name := fmt.Sprintf("package-%d", i)
		if i == 4_321 {
			name = "compotee"
		}
		direct = append(direct, fmt.Sprintf("%q: \"^1.0.0\"", name))
		locked = append(locked, fmt.Sprintf(`"node_modules/%s": {"version": "1.0.0", "resolved": "https://registry.npmjs.org/%[1]s/-/%[1]s-1.0.0.tgz"}`, name))
	}
	a.write("package.json", `{"dependencies": {`+strings.Join(direct, ",\n")+"}}")
	a.write("package-lock.json", `{"lockfileVersion": 3, "packages": {`+strings.Join(locked, ",\n")+"}}")
	a.wants(1, "5000 dependencies: 1 known, 4999 not in the catalogue of", "--fail-on", "ending")
	began := time.Now()
	a.wants(1, "5000 dependencies: 1 known, 4999 not in the catalogue of", "--fail-on", "ending", "--offline")
	t.Logf("5000 dependencies took %v", time.Since(began))
	if path, err := auditor(); errors.Join(err) == nil {
		info, err := os.Stat(path)
		must(t, err)
		if info.Size() > 12<<20 {
			t.Errorf("the program has %d bytes", info.Size())
		}
	}
}
