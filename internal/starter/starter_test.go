package starter

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

var options = Options{
	Release: "v1.2.3", SHA256: strings.Repeat("0123456789ABCDEF", 4), OwnChecksum: true, Today: "2026-03-01",
}

// written is a new repository.
func written(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "catalog-of-ours")
	_, err := Write(dir, options)
	testkit.Must(t, err)
	return dir
}

func parsed(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(testkit.ReadFile(t, path)), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// The first catalog has neither a fault nor a warning.
func TestWrite_TheCatalogIsSound(t *testing.T) {
	t.Parallel()
	dir := written(t)
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
func TestWrite_LeavesNothingBehind(t *testing.T) {
	t.Parallel()
	impossible := []file{{"a/b", []byte("a file")}, {"c", nil}, {"a/b/c", []byte("below a file")}}
	missing := filepath.Join(t.TempDir(), "missing")
	if err := writeAll(missing, impossible); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(missing); !os.IsNotExist(err) {
		t.Errorf("the directory is there: %v", err)
	}
	empty := t.TempDir()
	if err := writeAll(empty, impossible); err == nil {
		t.Error("what is impossible was written")
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A job is one of a workflow, as far as it is looked at here.
type job struct {
	Permissions map[string]string
	Steps       []step
}

type step struct{ Name, Uses, Run string }

type workflow struct {
	On          map[string]any
	Permissions map[string]string
	Env         map[string]string
	Jobs        map[string]job
}

// What outsiders propose is checked with no right but to read, by actions that nobody can exchange, and no text
// of theirs becomes part of a command.
func TestWorkflows_TrustNobody(t *testing.T) {
	t.Parallel()
	dir := written(t)
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	var fetch []string
	for name, want := range map[string]struct {
		on          []string
		permissions map[string]string
	}{
		"catalog.yml": {[]string{"pull_request"}, map[string]string{"contents": "read"}},
		"stale.yml":   {[]string{"schedule", "workflow_dispatch"}, map[string]string{"contents": "read", "issues": "write"}},
	} {
		path := filepath.Join(dir, ".github/workflows", name)
		var w workflow
		parsed(t, path, &w)
		testkit.Equal(t, name+": permissions", w.Permissions, want.permissions)
		testkit.Equal(t, name+": number of events", len(w.On), len(want.on))
		for _, event := range want.on {
			if _, found := w.On[event]; !found {
				t.Errorf("%s does not run on %s", name, event)
			}
		}
		testkit.Equal(t, name+": the checksum", w.Env["PALMARES_SHA256"], strings.ToLower(options.SHA256))
		for _, j := range w.Jobs {
			if j.Permissions != nil {
				t.Errorf("%s: a job has permissions of its own", name)
			}
			for _, s := range j.Steps {
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: an expression is part of a command: %s", name, s.Run)
				}
				if s.Uses != "" && !pinned.MatchString(s.Uses) {
					t.Errorf("%s: %s can be exchanged", name, s.Uses)
				}
				if s.Name == "Get palmares" {
					fetch = append(fetch, s.Run)
				}
			}
		}
	}
	if len(fetch) != 2 || fetch[0] != fetch[1] {
		t.Errorf("the workflows do not get palmares in the same way: %q", fetch)
	}
}

// lint is what actionlint says of a workflow.
func lint(t *testing.T, path string) (said string, ok bool) {
	t.Helper()
	// Neither of the two is on every machine: what is found must not depend on it.
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../tools/go.mod", "actionlint", "-shellcheck=", "-pyflakes=", path)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestWorkflows_PassActionlint(t *testing.T) {
	t.Parallel()
	if said, ok := lint(t, "-version"); !ok {
		pgtest.Missing(t, "actionlint cannot be built: %s", said)
	}
	dir := filepath.Join(written(t), ".github/workflows")
	for _, name := range []string{"catalog.yml", "stale.yml"} {
		if said, ok := lint(t, filepath.Join(dir, name)); !ok {
			t.Errorf("%s:\n%s", name, said)
		}
	}
	for _, broken := range []struct{ what, before, after, want string }{
		{"an unknown key", "    timeout-minutes: 10", "    timeout-minuets: 10", `unexpected key "timeout-minuets"`},
		{"a bad expression", "${{ github.ref }}", "${{ github.reff }}", `property "reff" is not defined`},
		{"a title in a command", "run: palmares check", "run: echo ${{ github.event.pull_request.title }} && palmares check", "potentially untrusted"},
	} {
		path := filepath.Join(t.TempDir(), "catalog.yml")
		testkit.Must(t, os.WriteFile(path, []byte(testkit.ReadFile(t, filepath.Join(dir, "catalog.yml"))), 0o600))
		testkit.Edit(t, path, broken.before, broken.after)
		if said, ok := lint(t, path); ok || !regexp.MustCompile(broken.want).MatchString(said) {
			t.Errorf("%s: %s", broken.what, said)
		}
	}
}

// A form is one for an issue, as GitHub's documentation describes it.
type form struct {
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
	paths, err := filepath.Glob(filepath.Join(written(t), ".github/ISSUE_TEMPLATE/*.yml"))
	testkit.Must(t, err)
	testkit.Equal(t, "number of forms", len(paths), 2)
	for _, path := range paths {
		var f form
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
