package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// released is the program as a release builds it: it knows its version.
var released = sync.OnceValues(func() (string, error) {
	return buildProgram(filepath.Join(binaryDir, "palmares_linux_amd64"), "-buildvcs=false",
		"-ldflags", "-s -w -X main.version=v0.0.1 -X main.commit=0123456789abcdef")
})

// A forge is a repository that palmares new repository wrote, with the machine that runs its checks.
type forge struct {
	t       *testing.T
	program string
	dir     string // a checkout of a branch that begins at main
	home    string
	temp    string // of the machine that runs a job

	event    string            // what GitHub's workflows run for
	contexts map[string]string // what expressions of workflows are, by their text
	got      func(bin string)  // called once a job has its program
}

// newForge has a branch that changes nothing yet. Its program is downloaded from where serve gives it.
func newForge(t *testing.T, serve http.HandlerFunc) *forge {
	t.Helper()
	for _, name := range []string{"bash", "git", "curl", "sha256sum", "jq", "awk"} {
		if _, err := exec.LookPath(name); err != nil {
			pgtest.SkipOrFail(t, "%v: CONTRIBUTING.md says what to install", err)
		}
	}
	program, err := released()
	must(t, err)
	if serve == nil {
		serve = func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, program) }
	}
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	f := &forge{t: t, program: program, home: t.TempDir(), temp: t.TempDir(), event: "pull_request", contexts: map[string]string{
		"secrets.GITHUB_TOKEN": "hunter2", "github.repository": "ours/catalogue",
		"github.event.merge_group.base_sha || format('origin/{0}', github.base_ref)": "origin/main",
	}}
	first, origin := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "origin.git")
	f.dir = filepath.Join(t.TempDir(), "checkout")
	f.shell("", fmt.Sprintf(`
		git config --global user.name Camille && git config --global user.email camille@example.org
		git config --global init.defaultBranch main
		%q new repository %q --url %s/palmares
		cd %[2]q && git init --quiet && git add --all && git commit --quiet --message First
		git clone --quiet --bare %[2]q %[4]q && git clone --quiet %[4]q %[5]q
		cd %[5]q && git switch --quiet --create change`, program, first, server.URL, origin, f.dir))
	return f
}

// run runs commands as the machines of both forges do.
func (f *forge) run(dir, script string, environ ...string) (string, error) {
	cmd := exec.CommandContext(f.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir = dir
	// Nothing of the tester's own environment reaches it.
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.home, "TMPDIR=" + f.temp}, environ...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// shell runs commands that must work.
func (f *forge) shell(dir, script string) string {
	f.t.Helper()
	out, err := f.run(dir, script)
	if err != nil {
		f.t.Fatalf("%s\n%v: %s", script, err, out)
	}
	return out
}

// edit changes the tool of the first catalog and commits that.
func (f *forge) edit(before, after string) {
	f.t.Helper()
	testkit.Edit(f.t, filepath.Join(f.dir, "catalog/tools/lumen.md"), before, after)
	f.shell(f.dir, "git commit --quiet --all --message Change")
}

// A githubStep is a step of a workflow.
type githubStep struct {
	Name, Run, If string
	Env           map[string]string
}

// github runs the steps of the only job of a workflow, as far as they go. It returns what they printed, and the
// name of the one that failed.
func (f *forge) github(name string, environ ...string) (log, failed string) {
	f.t.Helper()
	var workflow struct {
		Jobs map[string]struct{ Steps []githubStep }
	}
	must(f.t, yaml.Unmarshal([]byte(testkit.ReadFile(f.t, filepath.Join(f.dir, ".github/workflows", name))), &workflow))
	testkit.Equal(f.t, "number of jobs", len(workflow.Jobs), 1)
	paths := filepath.Join(f.temp, "paths")
	environ = append([]string{
		"GITHUB_ACTIONS=true", "CI=true", "RUNNER_TEMP=" + f.temp, "GITHUB_PATH=" + paths,
		"GITHUB_STEP_SUMMARY=" + f.summary(),
	}, environ...)
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if step.Run == "" || !f.wanted(step) {
				continue // the checkout, which is here
			}
			added, _ := os.ReadFile(paths) // by the steps before
			out, err := f.run(f.dir, step.Run, slices.Concat(environ, f.pairs(step.Env), []string{
				"PATH=" + strings.Join(append(strings.Fields(string(added)), testPath(environ)), ":"),
			})...)
			if log += out; err != nil {
				return log, step.Name
			}
			if step.Name == "Get palmares" && f.got != nil {
				f.got(filepath.Join(f.temp, "bin"))
			}
		}
	}
	return log, ""
}

// wanted reports whether a step runs for the event.
func (f *forge) wanted(step githubStep) bool {
	f.t.Helper()
	switch step.If {
	case "":
		return true
	case "github.event_name != 'push'":
		return f.event != "push"
	}
	f.t.Fatalf("%s: nobody knows whether %s", step.Name, step.If)
	return false
}

// testPath is the PATH that was set last.
func testPath(environ []string) string {
	path := os.Getenv("PATH")
	for _, s := range environ {
		if value, ok := strings.CutPrefix(s, "PATH="); ok {
			path = value
		}
	}
	return path
}

var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

// pairs are the variables of a step.
func (f *forge) pairs(values map[string]string) []string {
	f.t.Helper()
	f.contexts["github.event_name == 'workflow_dispatch'"] = fmt.Sprint(f.event == "workflow_dispatch")
	var list []string
	for name, value := range values {
		list = append(list, name+"="+expression.ReplaceAllStringFunc(value, func(found string) string {
			text := expression.FindStringSubmatch(found)[1]
			is, known := f.contexts[text]
			if !known && !strings.HasPrefix(text, "inputs.") && !strings.HasPrefix(text, "vars.") { // these are empty
				f.t.Fatalf("nobody knows what %s is", text)
			}
			return is
		}))
	}
	return list
}

func (f *forge) summary() string { return filepath.Join(f.temp, "summary.md") }

// plan is what the program says of the branch.
func (f *forge) plan(flags string) string {
	f.t.Helper()
	base := filepath.Join(f.t.TempDir(), "base")
	return f.shell(f.dir, fmt.Sprintf("git worktree add --quiet --detach %q origin/main && %q plan %[1]q/catalog catalog %[3]s 2>/dev/null", base, f.program, flags))
}

// A proposal is checked, and the summary is the plan.
func TestRepository_GitHubShowsThePlan(t *testing.T) {
	t.Parallel()
	f := newForge(t, nil)
	f.edit("20 €/mois", "31 €/mois")
	log, failed := f.github("check.yml")
	if failed != "" || !strings.Contains(log, "No fault: 1 tool") || strings.Contains(log, "warning") {
		t.Fatalf("%q failed:\n%s", failed, log)
	}
	got := testkit.ReadFile(t, f.summary())
	testkit.Equal(t, "the summary", got, "## What publishing this changes\n\n"+f.plan("--format markdown"))
	if !strings.Contains(got, "`20 €/mois → 31 €/mois`") {
		t.Errorf("the price is not in the summary:\n%s", got)
	}
}

// What main has got since the branch began is not part of the plan.
func TestRepository_GitHubComparesWithWhereTheBranchBegan(t *testing.T) {
	t.Parallel()
	f := newForge(t, nil)
	f.shell(f.dir, `git switch --quiet main && sed -i 's/score: 7.5/score: 9/' catalog/tools/lumen.md &&
		git commit --quiet --all --message Later && git push --quiet origin main && git switch --quiet change`)
	f.edit("20 €/mois", "31 €/mois")
	if log, failed := f.github("check.yml"); failed != "" {
		t.Fatalf("%q failed:\n%s", failed, log)
	}
	if got := testkit.ReadFile(t, f.summary()); !strings.Contains(got, "31 €/mois") || strings.Contains(got, "score") {
		t.Errorf("the summary is\n%s", got)
	}
}

// In the merge queue the plan is what the group changes; a push is checked, and has no plan.
func TestRepository_GitHubChecksTheQueueAndPushes(t *testing.T) {
	t.Parallel()
	f := newForge(t, nil)
	f.edit("score: 7.5", "score: 9")
	f.contexts["github.event.merge_group.base_sha || format('origin/{0}', github.base_ref)"] = strings.TrimSpace(f.shell(f.dir, "git rev-parse HEAD"))
	f.edit("20 €/mois", "31 €/mois")
	f.event = "push"
	if log, failed := f.github("check.yml"); failed != "" || !strings.Contains(log, "No fault") {
		t.Fatalf("%q failed:\n%s", failed, log)
	}
	if _, err := os.Stat(f.summary()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a summary of a push: %v", err)
	}
	f.event = "merge_group"
	if log, failed := f.github("check.yml"); failed != "" {
		t.Fatalf("%q failed:\n%s", failed, log)
	}
	if got := testkit.ReadFile(t, f.summary()); !strings.Contains(got, "31 €/mois") || strings.Contains(got, "score") {
		t.Errorf("the summary is\n%s", got)
	}
}

// A fault stands beside its line.
func TestRepository_GitHubShowsFaults(t *testing.T) {
	t.Parallel()
	f := newForge(t, nil)
	f.edit("price: 20 €/mois", "price: 20 euros")
	log, failed := f.github("check.yml")
	line := regexp.MustCompile(`(?m)^::error file=catalog/tools/lumen\.md,line=8,col=8::price "20 euros" is not of the form`)
	if failed != "Check" || !line.MatchString(log) {
		t.Errorf("%q failed:\n%s", failed, log)
	}
	if _, err := os.Stat(f.summary()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a summary: %v", err)
	}
}

// Faults of the branch that a proposal is for are not the proposal's: it may be the one that mends them.
func TestRepository_GitHubMendsFaults(t *testing.T) {
	t.Parallel()
	f := newForge(t, nil)
	f.edit("price: 20 €/mois", "price: 20 euros")
	f.shell(f.dir, "git push --quiet origin change:main")
	f.edit("price: 20 euros", "price: 20 €/mois")
	if log, failed := f.github("check.yml"); failed != "" {
		t.Fatalf("%q failed:\n%s", failed, log)
	}
	if got := testkit.ReadFile(t, f.summary()); !strings.Contains(got, "There is no plan") {
		t.Errorf("the summary is\n%s", got)
	}
}

// Another program than the one with the checksum is never run.
func TestRepository_ChecksKnowTheirProgram(t *testing.T) {
	t.Parallel()
	f := newForge(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "#!/bin/sh\necho it ran\n")
	})
	for _, name := range []string{"check.yml", "publish.yml", "stale.yml"} {
		log, failed := f.github(name)
		if failed != "Get palmares" || !strings.Contains(log, "FAILED") || strings.Contains(log, "it ran") {
			t.Errorf("%s: %q failed:\n%s", name, failed, log)
		}
	}
	if log, err := f.gitlab("check"); err == nil || !strings.Contains(log, "FAILED") || strings.Contains(log, "it ran") {
		t.Errorf(".gitlab-ci.yml: %v:\n%s", err, log)
	}

	sound := newForge(t, nil)
	named := filepath.Join(sound.dir, ".palmares-version")
	right := testkit.ReadFile(t, named)
	for what, wrong := range map[string]string{
		"a wrong checksum": regexp.MustCompile(`SHA256=.*`).ReplaceAllString(right, "SHA256="+strings.Repeat("0", 64)),
		"no checksum":      regexp.MustCompile(`SHA256=.*`).ReplaceAllString(right, ""),
		"a wrong version":  strings.Replace(right, "=v0.0.1\n", "=v0.0.2\n", 1),
		"a command":        strings.Replace(right, "PALMARES_URL=", "PALMARES_URL=$(touch ran)`touch ran`;touch ran;", 1),
	} {
		must(t, os.WriteFile(named, []byte(wrong), 0o600))
		if log, failed := sound.github("check.yml"); failed != "Get palmares" {
			t.Errorf("%s: %q failed:\n%s", what, failed, log)
		}
	}
	if _, err := os.Stat(filepath.Join(sound.dir, "ran")); err == nil {
		t.Error("what the file says was run")
	}
}

// One issue has the list: it is made once, and edited from then on.
func TestRepository_GitHubKeepsOneIssue(t *testing.T) {
	t.Parallel()
	f := newForge(t, nil)
	testkit.Edit(t, filepath.Join(f.dir, "catalog/tools/lumen.md"), "checked: ", "checked: 2024-01-01} # ")
	calls := filepath.Join(f.temp, "calls")
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, "gh"), []byte(`#!/bin/bash
[ "$GH_TOKEN" = hunter2 ] || exit 4
for word in "$@"; do printf '<%s>' "$word"; done >> "$CALLS"; echo >> "$CALLS"
if [ "$1 $2" = 'issue list' ] && [ -n "$OPEN" ]; then echo "$OPEN"; fi
`), 0o700))
	body := filepath.Join(f.temp, "issue.md")
	for open, want := range map[string]string{
		"":  "<issue><create><--title><Sources to look at again><--label><stale-sources><--body-file><" + body + ">",
		"7": "<issue><edit><7><--body-file><" + body + ">",
	} {
		must(t, os.RemoveAll(calls))
		log, failed := f.github("stale.yml", "CALLS="+calls, "OPEN="+open, "PATH="+bin+":"+os.Getenv("PATH"))
		if failed != "" {
			t.Fatalf("%q failed:\n%s", failed, log)
		}
		if got := testkit.ReadFile(t, calls); !strings.Contains(got, "\n"+want+"\n") || strings.Count(got, "<issue><create>") > 1 {
			t.Errorf("gh was called with\n%s", got)
		}
		if got := testkit.ReadFile(t, body); !strings.Contains(got, "lumen") {
			t.Errorf("the issue says\n%s", got)
		}
	}
	testkit.Edit(t, filepath.Join(f.dir, "catalog/tools/lumen.md"), "checked: 2024-01-01} # ", "checked: ")
	for _, absent := range []bool{false, true} {
		if absent { // pages of others cannot be read here
			f.got = func(bin string) { f.instead(bin, `if [ "$1" = verify ]; then echo '| lumen | absent |'; exit; fi`) }
		}
		must(t, os.RemoveAll(calls))
		if log, failed := f.github("stale.yml", "CALLS="+calls, "OPEN=", "PATH="+bin+":"+os.Getenv("PATH")); failed != "" {
			t.Fatalf("%q failed:\n%s", failed, log)
		}
		if got := testkit.ReadFile(t, calls); strings.Contains(got, "<create>") != absent {
			t.Errorf("a page no longer says it: %t, and gh was called with\n%s", absent, got)
		}
	}
	if got := testkit.ReadFile(t, body); !strings.Contains(got, "catalogue does\n\n| lumen | absent |\n\n## Sources") {
		t.Errorf("the issue says\n%s", got)
	}
}

// instead has commands run before the program that a job got.
func (f *forge) instead(bin, commands string) {
	f.t.Helper()
	must(f.t, os.WriteFile(filepath.Join(bin, "palmares"), []byte("#!/bin/bash -e\n"+commands+"\nexec "+f.program+" \"$@\"\n"), 0o700))
}

// gitlab runs a job of .gitlab-ci.yml.
func (f *forge) gitlab(job string, environ ...string) (string, error) {
	f.t.Helper()
	var file map[string]any
	must(f.t, yaml.Unmarshal([]byte(testkit.ReadFile(f.t, filepath.Join(f.dir, ".gitlab-ci.yml"))), &file))
	lines := slices.Concat(words(file["default"], "before_script"), words(file[job], "script"))
	if len(lines) < 2 {
		f.t.Fatalf("there is no job %s", job)
	}
	values := make(map[string]string)
	for name, value := range file["variables"].(map[string]any) {
		values[name] = value.(map[string]any)["value"].(string)
	}
	// What the job installs is here.
	bin := f.t.TempDir()
	must(f.t, os.WriteFile(filepath.Join(bin, "apt-get"), []byte("#!/bin/sh\n"), 0o700))
	return f.run(f.dir, strings.Join(lines, "\n"), slices.Concat(f.pairs(values), []string{
		"CI=true", "GITLAB_CI=true", "PATH=" + bin + ":" + os.Getenv("PATH"),
		"CI_MERGE_REQUEST_DIFF_BASE_SHA=" + strings.TrimSpace(f.shell(f.dir, "git merge-base origin/main HEAD")),
	}, environ)...)
}

// words are the lines of a script.
func words(job any, key string) []string {
	var list []string
	for _, line := range job.(map[string]any)[key].([]any) {
		list = append(list, line.(string))
	}
	return list
}

func TestRepository_GitLabShowsFaultsAndThePlan(t *testing.T) {
	t.Parallel()
	f := newForge(t, nil)
	f.edit("20 €/mois", "31 €/mois")
	if log, err := f.gitlab("check"); err != nil || strings.Contains(log, "warning") {
		t.Fatalf("check: %v\n%s", err, log)
	}
	testkit.Equal(t, "the report", testkit.ReadFile(t, filepath.Join(f.dir, "gl-code-quality-report.json")), "[]\n")
	log, err := f.gitlab("plan")
	if err != nil {
		t.Fatalf("plan: %v\n%s", err, log)
	}
	got := testkit.ReadFile(t, filepath.Join(f.dir, "plan.txt"))
	testkit.Equal(t, "the plan", got, f.plan(""))
	if !strings.Contains(got, "20 €/mois → 31 €/mois") || !strings.HasSuffix(log, got) {
		t.Errorf("the log is\n%s", log)
	}

	f.edit("price: 31 €/mois", "price: 31 euros")
	if log, err := f.gitlab("check"); err == nil || !strings.Contains(log, "catalog/tools/lumen.md:8:8: ") {
		t.Errorf("a fault: %v\n%s", err, log)
	}
	var report []codeQuality
	must(t, json.Unmarshal([]byte(testkit.ReadFile(t, filepath.Join(f.dir, "gl-code-quality-report.json"))), &report))
	if len(report) != 1 || report[0].Location.Path != "catalog/tools/lumen.md" || report[0].Location.Lines.Begin != 8 {
		t.Errorf("the report is %+v", report)
	}
}

func TestRepository_GitLabKeepsOneIssue(t *testing.T) {
	t.Parallel()
	f := newForge(t, nil)
	testkit.Edit(t, filepath.Join(f.dir, "catalog/tools/lumen.md"), "checked: ", "checked: 2024-01-01} # ")
	var mu sync.Mutex
	var calls []string
	open := "[]"
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Private-Token") != "hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		calls = append(calls, fmt.Sprintf("%s %s %s %s %t", r.Method, r.URL, r.PostFormValue("title"), r.PostFormValue("labels"),
			strings.Contains(r.PostFormValue("description"), "lumen")))
		_, _ = io.WriteString(w, open)
	}))
	t.Cleanup(api.Close)
	environ := []string{"CI_API_V4_URL=" + api.URL + "/api/v4", "CI_PROJECT_ID=42", "CATALOG_ISSUES_TOKEN=hunter2"}
	if log, err := f.gitlab("stale", environ...); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	mu.Lock()
	open = `[{"id":100,"iid":7}]`
	mu.Unlock()
	if log, err := f.gitlab("stale", environ...); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	asked := "GET /api/v4/projects/42/issues?labels=stale-sources&state=opened&per_page=1   false"
	testkit.Equal(t, "the calls", calls, []string{
		asked, "POST /api/v4/projects/42/issues Sources to look at again stale-sources true",
		asked, "PUT /api/v4/projects/42/issues/7   true",
	})
	testkit.Edit(t, filepath.Join(f.dir, "catalog/tools/lumen.md"), "checked: 2024-01-01} # ", "checked: ")
	mu.Lock()
	open, calls = "[]", nil
	mu.Unlock()
	if log, err := f.gitlab("stale", environ...); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	testkit.Equal(t, "the calls while nothing is overdue", calls, []string{asked})
	if log, err := f.gitlab("stale", environ[:2]...); err == nil || !strings.Contains(log, "CATALOG_ISSUES_TOKEN") {
		t.Errorf("without a token: %v\n%s", err, log)
	}
}
