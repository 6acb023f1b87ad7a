package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A script is what a forge runs, with the variables that it is given.
type ciScript struct {
	name, shell, text string
	env               map[string]string // values name inputs
}

// githubAudit are the scripts of the GitHub Action, and the defaults of its inputs.
func githubAudit(t *testing.T) (all []ciScript, defaults map[string]string) {
	t.Helper()
	var action struct {
		Inputs map[string]struct {
			Required bool
			Default  string
		}
		Runs struct {
			Steps []struct {
				Name, Shell, Run string
				Env              map[string]string
			}
		}
	}
	must(t, yaml.Unmarshal([]byte(testkit.ReadFile(t, root+"/clients/ci/github/action.yml")), &action))
	defaults = make(map[string]string)
	for name, input := range action.Inputs {
		testkit.Equal(t, "whether "+name+" is required", input.Required, slices.Contains([]string{"version", "sha256", "url"}, name))
		defaults[name] = input.Default
	}
	for _, step := range action.Runs.Steps {
		all = append(all, ciScript{step.Name, step.Shell, step.Run, step.Env})
	}
	return all, defaults
}

// gitlabAudit is the script of the GitLab include, and the defaults of its inputs.
func gitlabAudit(t *testing.T) (one ciScript, defaults map[string]string) {
	t.Helper()
	head, body, found := strings.Cut(testkit.ReadFile(t, root+"/clients/ci/gitlab.yml"), "\n---\n")
	testkit.Equal(t, "whether it has a specification", found, true)
	var spec struct {
		Spec struct {
			Inputs map[string]map[string]string
		}
	}
	must(t, yaml.Unmarshal([]byte(head), &spec))
	defaults = make(map[string]string)
	for name, input := range spec.Spec.Inputs {
		value, optional := input["default"]
		testkit.Equal(t, "whether "+name+" is required", !optional, slices.Contains([]string{"version", "sha256", "url"}, name))
		defaults[name] = value
	}
	var jobs map[string]struct {
		Script    []string
		Variables map[string]string
	}
	must(t, yaml.Unmarshal([]byte(body), &jobs))
	job := jobs["palmares-audit"]
	return ciScript{"gitlab", "sh", strings.Join(job.Script, "\n"), job.Variables}, defaults
}

var ciInput = regexp.MustCompile(`\$(?:\{\{|\[\[) inputs\.([a-z0-9-]+) (?:\}\}|\]\])`)

// variables fills in the inputs of a script. No input stands in the script itself, where it could be a command.
func (s ciScript) variables(t *testing.T, inputs map[string]string) (list []string) {
	t.Helper()
	testkit.Equal(t, "number of inputs in the text of "+s.name, len(ciInput.FindAllString(s.text, -1)), 0)
	for name, value := range s.env {
		list = append(list, name+"="+ciInput.ReplaceAllStringFunc(value, func(m string) string { return inputs[ciInput.FindStringSubmatch(m)[1]] }))
	}
	return list
}

// The Action and the include download the release that they name, refuse another, and end as the audit does.
func TestAudit_InCI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "curl", "sha256sum"} {
		if _, err := exec.LookPath(name); err != nil {
			pgtest.SkipOrFail(t, "%v: CONTRIBUTING.md says what to install", err)
		}
	}
	n, _, _ := audited(t)
	program, err := auditor()
	must(t, err)
	text := testkit.ReadFile(t, program)
	releases := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v0.0.1/palmares-audit_linux_") {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, program)
	}))
	t.Cleanup(releases.Close)
	sum := sha256.Sum256([]byte(text))
	steps, github := githubAudit(t)
	job, gitlab := gitlabAudit(t)
	for forge, defaults := range map[string]map[string]string{"github": github, "gitlab": gitlab} {
		scripts := steps
		if forge == "gitlab" {
			scripts = []ciScript{job}
		}
		run := func(change map[string]string) (out string, exit int, dir string) {
			inputs := map[string]string{"version": "v0.0.1", "sha256": hex.EncodeToString(sum[:]), "url": n.public, "releases": releases.URL}
			for name, value := range defaults {
				if inputs[name] == "" {
					inputs[name] = value
				}
			}
			maps.Copy(inputs, change)
			dir, temp := t.TempDir(), t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "requirements.txt"), []byte(oneRetired), 0o600))
			must(t, os.WriteFile(filepath.Join(dir, "my list.txt"), []byte("left-pad\n"), 0o600))
			for _, s := range scripts {
				cmd := exec.CommandContext(t.Context(), s.shell, "-c", s.text)
				cmd.Dir = dir
				cmd.Env = append(s.variables(t, inputs), "PATH="+os.Getenv("PATH"), "HOME="+temp, "RUNNER_TEMP="+temp, "TMPDIR="+temp,
					"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary.md"))
				b, _ := cmd.CombinedOutput()
				if out += string(b); cmd.ProcessState.ExitCode() != 0 {
					return out, cmd.ProcessState.ExitCode(), dir
				}
			}
			return out, 0, dir
		}
		wants := func(exit int, says string, change map[string]string) string {
			t.Helper()
			out, is, dir := run(change)
			if is != exit || !strings.Contains(out, says) {
				t.Errorf("%s with %v: exit %d, want %d with %q:\n%s", forge, change, is, exit, says, out)
			}
			return dir
		}
		dir := wants(1, "Dictafolle", nil)
		if forge == "gitlab" {
			report := testkit.ReadFile(t, filepath.Join(dir, "gl-code-quality-report.json"))
			testkit.Equal(t, "whether the report of code quality is JSON", json.Valid([]byte(report)), true)
		} else {
			wants(0, "1 dependency: 0 known", map[string]string{"files": "my list.txt\n"})
			if summary := testkit.ReadFile(t, filepath.Join(dir, "summary.md")); !strings.Contains(summary, "| **retired** | Dictafolle |") {
				t.Errorf("the summary is\n%s", summary)
			}
		}
		wants(0, "2 dependencies: 1 known", map[string]string{"fail-on": "none"})
		wants(2, "does not have the SHA-256", map[string]string{"sha256": strings.Repeat("0", 64)})
		wants(2, "--fail-on", map[string]string{"fail-on": "$(touch here)"})
		if _, exit, _ := run(map[string]string{"version": ""}); exit == 0 {
			t.Errorf("%s runs without a version", forge)
		}
	}
}

// Debian's shellcheck finds nothing in what forges run.
func TestAudit_ScriptsAreClean(t *testing.T) {
	t.Parallel()
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		pgtest.SkipOrFail(t, "%v: CONTRIBUTING.md says what to install", err)
	}
	scripts, _ := githubAudit(t)
	job, _ := gitlabAudit(t)
	for _, s := range append(scripts, job) {
		cmd := exec.CommandContext(t.Context(), shellcheck, "--shell="+s.shell, "-")
		cmd.Stdin = strings.NewReader(s.text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s.name, err, out)
		}
	}
}
