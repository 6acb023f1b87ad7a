package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// sampleRepository is what repositories are written with here.
var sampleRepository = repositoryOptions{
	Release: "v1.2.3", SHA256: strings.Repeat("0123456789ABCDEF", 4), OwnChecksum: true, Today: "2026-03-01",
}

// newRepositoryDir is a new repository.
func newRepositoryDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "catalog-of-ours")
	_, err := writeRepository(dir, sampleRepository)
	testkit.Must(t, err)
	return dir
}

func parseYAML(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(testkit.ReadFile(t, path)), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// The first catalog has neither a fault nor a warning.
func TestRepository_CatalogIsSound(t *testing.T) {
	t.Parallel()
	dir := newRepositoryDir(t)
	r, err := content.Load(t.Context(), filepath.Join(dir, "catalog"), content.Options{})
	testkit.Must(t, err)
	if len(r.Faults) > 0 || len(r.Contents.Tools) != 1 {
		t.Errorf("%d tools, faults: %v", len(r.Contents.Tools), r.Faults)
	}
	if !strings.Contains(testkit.ReadFile(t, filepath.Join(dir, "catalog/tools/lumen.md")), "checked: 2026-03-01}") {
		t.Error("the source of the first tool was not checked today")
	}
}

// A repository is written whole or not at all.
func TestRepository_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	impossible := []repositoryFile{{"a/b", []byte("a file")}, {"c", nil}, {"a/b/c", []byte("below a file")}}
	missing := filepath.Join(t.TempDir(), "missing")
	if err := writeFiles(missing, impossible); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(missing); !os.IsNotExist(err) {
		t.Errorf("the directory is there: %v", err)
	}
	empty := t.TempDir()
	if err := writeFiles(empty, impossible); err == nil {
		t.Error("what is impossible was written")
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A workflowJob is one of a workflow, as far as it is looked at here.
type workflowJob struct {
	If          string
	Environment string
	Permissions map[string]string
	Env         map[string]string
	Steps       []workflowStep
}

type workflowStep struct {
	Name, Uses, Run string
	Env             map[string]string
	With            map[string]any
}

type workflow struct {
	On          map[string]any
	Permissions map[string]string
	Env         map[string]string
	Concurrency map[string]any
	Jobs        map[string]workflowJob
}

// workflows are those of GitHub that are written.
var workflows = []string{"check.yml", "publish.yml", "stale.yml"}

// What outsiders propose is checked with no right but to read, by actions that nobody can exchange, and no text
// of theirs becomes part of a command. All get palmares in the same way.
func TestWorkflows_TrustNobody(t *testing.T) {
	t.Parallel()
	dir := newRepositoryDir(t)
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	read := map[string]string{"contents": "read"}
	wants := map[string]struct {
		on          []string
		permissions map[string]string
	}{
		"check.yml":   {[]string{"push", "pull_request", "merge_group"}, read},
		"publish.yml": {[]string{"push", "workflow_dispatch"}, read},
		"stale.yml":   {[]string{"schedule", "workflow_dispatch"}, map[string]string{"contents": "read", "issues": "write"}},
	}
	entries, err := os.ReadDir(filepath.Join(dir, ".github/workflows"))
	testkit.Must(t, err)
	testkit.Equal(t, "number of workflows", len(entries), len(workflows))
	for _, name := range workflows {
		want := wants[name]
		var w workflow
		parseYAML(t, filepath.Join(dir, ".github/workflows", name), &w)
		testkit.Equal(t, name+": permissions", w.Permissions, want.permissions)
		testkit.Equal(t, name+": number of events", len(w.On), len(want.on))
		for _, event := range want.on {
			if _, found := w.On[event]; !found {
				t.Errorf("%s does not run on %s", name, event)
			}
		}
		for _, j := range w.Jobs {
			if j.Permissions != nil || j.Env != nil || w.Env != nil {
				t.Errorf("%s: a job has permissions or variables that every step shares", name)
			}
			testkit.Equal(t, name+": how palmares is got", j.Steps[1].Run,
				"bash ci/get-palmares \"$RUNNER_TEMP/bin\"\necho \"$RUNNER_TEMP/bin\" >> \"$GITHUB_PATH\"\n")
			for _, s := range j.Steps {
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: an expression is part of a command: %s", name, s.Run)
				}
				if s.Uses != "" && (!pinned.MatchString(s.Uses) || s.With["persist-credentials"] != false) {
					t.Errorf("%s: %s can be exchanged, or leaves its token", name, s.Uses)
				}
				for variable, value := range s.Env {
					if strings.Contains(value, "secrets.PALMARES") && (name != "publish.yml" || s.Name != "Publish") {
						t.Errorf("%s: %s of %q is a secret of publications", name, variable, s.Name)
					}
				}
			}
		}
	}
	if found, err := filepath.Glob(filepath.Join(dir, ".github/workflows/*")); err != nil || strings.Contains(testkit.ReadFile(t, found[0]), sampleRepository.Release) {
		t.Errorf("the version stands in a workflow, too: %v", err)
	}
	testkit.Equal(t, "the version", testkit.ReadFile(t, filepath.Join(dir, ".palmares-version")),
		"# The palmares that every check and publication runs. To take another release, change all three: README.md says where they come from.\n"+
			"PALMARES_VERSION=v1.2.3\nPALMARES_URL="+releaseURL("v1.2.3")+"\nPALMARES_SHA256="+strings.ToLower(sampleRepository.SHA256)+"\n")
}

// The workflow that publishes runs for main alone, in a protected environment, one at a time and with the whole history. What the
// guards refuse is allowed by a run that somebody started, and by no other.
func TestWorkflows_PublishFromMainAlone(t *testing.T) {
	t.Parallel()
	dir := newRepositoryDir(t)
	var w workflow
	parseYAML(t, filepath.Join(dir, ".github/workflows/publish.yml"), &w)
	testkit.Equal(t, "branches", w.On["push"], any(map[string]any{"branches": []any{"main"}}))
	testkit.Equal(t, "concurrency", w.Concurrency, map[string]any{"group": "publish", "cancel-in-progress": false})
	j := w.Jobs["publish"]
	testkit.Equal(t, "the condition", j.If, "github.ref == 'refs/heads/main'")
	testkit.Equal(t, "the environment", j.Environment, "production")
	testkit.Equal(t, "how much history", j.Steps[0].With["fetch-depth"], any(uint64(0)))
	inputs := w.On["workflow_dispatch"].(map[string]any)["inputs"].(map[string]any)
	testkit.Equal(t, "number of inputs", len(inputs), 5)
	env := j.Steps[len(j.Steps)-1].Env
	for name := range inputs {
		variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		testkit.Equal(t, variable, env[variable], "${{ inputs."+name+" }}")
		if !strings.Contains(testkit.ReadFile(t, filepath.Join(dir, "ci/publish")), "--"+name) {
			t.Errorf("ci/publish does not know --%s", name)
		}
	}
	testkit.Equal(t, "who may allow it", env["BY_HAND"], "${{ github.event_name == 'workflow_dispatch' }}")

	var lab map[string]any
	parseYAML(t, filepath.Join(dir, ".gitlab-ci.yml"), &lab)
	publish := lab["publish"].(map[string]any)
	testkit.Equal(t, "the environment", publish["environment"], any(map[string]any{"name": "production"}))
	testkit.Equal(t, "one at a time", publish["resource_group"], any("production"))
	testkit.Equal(t, "how much history", publish["variables"], any(map[string]any{"GIT_DEPTH": "0"}))
	testkit.Equal(t, "when", publish["rules"], any([]any{map[string]any{
		"if": `$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && ($CI_PIPELINE_SOURCE == "push" || $CI_PIPELINE_SOURCE == "web")`,
	}}))
	testkit.Equal(t, "number of variables", len(lab["variables"].(map[string]any)), len(inputs))
}

// Dependabot's file is one that GitHub takes.
func TestDependabot(t *testing.T) {
	t.Parallel()
	var file struct {
		Version int
		Updates []struct {
			Ecosystem string `yaml:"package-ecosystem"` //nolint:tagliatelle // as GitHub names it
			Directory string
			Schedule  struct{ Interval string }
			Groups    map[string]struct{ Patterns []string }
		}
	}
	text := testkit.ReadFile(t, filepath.Join(newRepositoryDir(t), ".github/dependabot.yml"))
	testkit.Must(t, yaml.UnmarshalWithOptions([]byte(text), &file, yaml.Strict()))
	if u := file.Updates; file.Version != 2 || len(u) != 1 || u[0].Ecosystem != "github-actions" || u[0].Directory != "/" || u[0].Schedule.Interval != "weekly" {
		t.Errorf("it is %+v", file)
	}
}

// lint is what actionlint says of a workflow.
func actionlint(t *testing.T, path string) (said string, ok bool) {
	t.Helper()
	// Neither of the two is on every machine: what is found must not depend on it.
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../tools/go.mod", "actionlint", "-shellcheck=", "-pyflakes=", path)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestWorkflows_PassActionlint(t *testing.T) {
	t.Parallel()
	if said, ok := actionlint(t, "-version"); !ok {
		pgtest.SkipOrFail(t, "actionlint cannot be built: %s", said)
	}
	dir := filepath.Join(newRepositoryDir(t), ".github/workflows")
	for _, name := range workflows {
		if said, ok := actionlint(t, filepath.Join(dir, name)); !ok {
			t.Errorf("%s:\n%s", name, said)
		}
	}
	for _, broken := range []struct{ what, before, after, want string }{
		{"an unknown key", "    timeout-minutes: 10", "    timeout-minuets: 10", `unexpected key "timeout-minuets"`},
		{"a bad expression", "${{ github.ref }}", "${{ github.reff }}", `property "reff" is not defined`},
		{"a title in a command", "run: palmares check", "run: echo ${{ github.event.pull_request.title }} && palmares check", "potentially untrusted"},
	} {
		path := filepath.Join(t.TempDir(), "check.yml")
		testkit.Must(t, os.WriteFile(path, []byte(testkit.ReadFile(t, filepath.Join(dir, "check.yml"))), 0o600))
		testkit.Edit(t, path, broken.before, broken.after)
		if said, ok := actionlint(t, path); ok || !regexp.MustCompile(broken.want).MatchString(said) {
			t.Errorf("%s: %s", broken.what, said)
		}
	}
}

// An issueForm is one for an issue, as GitHub's documentation describes it.
type issueForm struct {
	Name, Description, Title string
	Body                     []struct {
		Type, ID   string
		Attributes struct {
			Label, Description, Placeholder string
			Options                         []any
		}
		Validations struct{ Required bool }
	}
}

func TestForms_AreWhatGitHubTakes(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(newRepositoryDir(t), ".github/ISSUE_TEMPLATE/*.yml"))
	testkit.Must(t, err)
	testkit.Equal(t, "number of forms", len(paths), 2)
	for _, path := range paths {
		var f issueForm
		if err := yaml.UnmarshalWithOptions([]byte(testkit.ReadFile(t, path)), &f, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if f.Name == "" || f.Description == "" || len(f.Body) == 0 {
			t.Errorf("%s lacks what every form has", path)
		}
		seen := make(map[string]bool)
		for _, field := range f.Body {
			switch field.Type {
			case "input", "textarea":
			case "dropdown", "checkboxes":
				if len(field.Attributes.Options) == 0 {
					t.Errorf("%s: %s has nothing to choose from", path, field.ID)
				}
			default:
				t.Errorf("%s: there is no field of the type %q", path, field.Type)
			}
			if field.Attributes.Label == "" || field.ID == "" || seen[field.ID] || seen[field.Attributes.Label] {
				t.Errorf("%s: %q has no label or no id of its own", path, field.ID)
			}
			seen[field.ID], seen[field.Attributes.Label] = true, true
		}
	}
}
