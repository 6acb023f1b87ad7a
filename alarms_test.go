package palmares_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const runbooks = "docs/operations/runbooks.md"

// A ruleFile is what Prometheus reads of deploy/prometheus/rules.yaml.
type ruleFile struct {
	Groups []struct {
		Rules []rule
	}
}

type rule struct {
	Alert, Record, Expr string
	Labels, Annotations map[string]string
}

// A ruleTests is a file of tests for promtool.
type ruleTests struct {
	Tests []struct {
		Name   string
		Alerts []struct {
			Name string     `yaml:"alertname"`
			Want []struct{} `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	}
}

func alarms(t *testing.T) (alarms []rule) {
	t.Helper()
	var file ruleFile
	parse(t, "deploy/prometheus/rules.yaml", &file)
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Alert != "" {
				alarms = append(alarms, r)
			}
		}
	}
	if len(alarms) < 20 {
		t.Fatalf("rules.yaml has %d alarms", len(alarms))
	}
	return alarms
}

func parse(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, path)), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// An alarm that was never seen to fire may never do; one that was never seen to be silent may never end.
func TestAlarms_AreTestedBothWays(t *testing.T) {
	t.Parallel()
	fires, silent := make(map[string]bool), make(map[string]bool)
	for _, path := range []string{"deploy/prometheus/rules_test.yaml", "deploy/prometheus/rules_slow_test.yaml"} {
		var file ruleTests
		parse(t, path, &file)
		for _, test := range file.Tests {
			for _, a := range test.Alerts {
				if len(a.Want) > 0 {
					fires[a.Name] = true
				} else {
					silent[a.Name] = true
				}
			}
		}
	}
	for _, a := range alarms(t) {
		if !fires[a.Alert] || !silent[a.Alert] {
			t.Errorf("%s: a test in which it fires: %v; one in which it must not: %v", a.Alert, fires[a.Alert], silent[a.Alert])
		}
	}
}

// Whoever is woken by an alarm finds what to do under its name.
func TestAlarms_HaveARunbook(t *testing.T) {
	t.Parallel()
	sections := make(map[string]string)
	for _, text := range strings.Split(read(t, runbooks), "\n## ")[1:] {
		name, body, _ := strings.Cut(text, "\n")
		sections[name] = body
	}
	for _, a := range alarms(t) {
		if severity := a.Labels["severity"]; severity != "page" && severity != "ticket" {
			t.Errorf("%s has the severity %q", a.Alert, severity)
		}
		if url := a.Annotations["runbook_url"]; a.Annotations["summary"] == "" || !strings.HasSuffix(url, " }}#"+strings.ToLower(a.Alert)) ||
			!strings.Contains(url, "https://") || !strings.Contains(url, runbooks) {
			t.Errorf("%s says %v", a.Alert, a.Annotations)
		}
		body := sections[a.Alert]
		for _, want := range []string{"- **Users see** ", "- **Look at** ", "```sh\n", "- **It ends** "} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %s has no %q", runbooks, a.Alert, want)
			}
		}
		if word := strings.ToUpper(a.Labels["severity"][:1]) + a.Labels["severity"][1:]; !regexp.MustCompile(`\b` + word + `\b`).MatchString(body) {
			t.Errorf("%s: %s does not say that it is a %s", runbooks, a.Alert, a.Labels["severity"])
		}
		delete(sections, a.Alert)
	}
	for name := range sections {
		t.Errorf("%s has a section %s, and there is no such alarm", runbooks, name)
	}
}

var metricName = regexp.MustCompile(`\b(palmares[_:]|process_)[a-z0-9_:]+`)

// What an alarm or a recorded series adds up is of one installation.
func TestAlarms_AreOfOneInstallation(t *testing.T) {
	t.Parallel()
	var file ruleFile
	parse(t, "deploy/prometheus/rules.yaml", &file)
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			for _, m := range regexp.MustCompile(`\b(?:sum|max|min|count|avg|topk|group)\b ?(by \(\w+\))?`).FindAllStringSubmatch(r.Expr, -1) {
				if m[1] != "by (job)" {
					t.Errorf("%s%s: %q", r.Alert, r.Record, m[0])
				}
			}
		}
	}
}

// Prometheus understands every query of the dashboards.
func TestDashboards_AskWhatCanBeAsked(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("no promtool: apt-get install prometheus")
	} else if err != nil {
		t.Skip("no promtool: apt-get install prometheus")
	}
	paths, err := filepath.Glob("deploy/grafana/*.json")
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	var rules []rule
	for _, path := range paths {
		text := read(t, path)
		if len(text) > 200<<10 {
			t.Errorf("%s has %d bytes", path, len(text))
		}
		var d struct {
			Panels []struct {
				ID      int
				Title   string
				Type    string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var ids []int
		for _, p := range d.Panels {
			if slices.Contains(ids, p.ID) || p.Title == "" || p.Type != "row" && len(p.Targets) == 0 {
				t.Errorf("%s: panel %d (%s) has no number of its own, no title or no query", path, p.ID, p.Title)
			}
			ids = append(ids, p.ID)
			for _, q := range p.Targets {
				if n := strings.Count(q.Expr, `{job="$job"`); n == 0 || n != len(metricName.FindAllString(q.Expr, -1)) {
					t.Errorf("%s: %s is about all installations that Prometheus knows: %s", path, p.Title, q.Expr)
				}
				rules = append(rules, rule{Record: fmt.Sprintf("query:%d", len(rules)), Expr: q.Expr})
			}
		}
	}
	var file strings.Builder
	file.WriteString("groups:\n- name: queries\n  rules:\n")
	for _, r := range rules {
		fmt.Fprintf(&file, "  - {record: %q, expr: %q}\n", r.Record, r.Expr)
	}
	queries := filepath.Join(t.TempDir(), "queries.yaml")
	if err := os.WriteFile(queries, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", queries).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if len(rules) < 50 {
		t.Errorf("the dashboards have %d queries", len(rules))
	}
}
