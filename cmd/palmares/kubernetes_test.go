package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A podSpec is what a test looks at of a pod. encoding/json finds fields by their names, whatever the case.
type podSpec struct {
	TerminationGracePeriodSeconds int
	Containers                    []struct {
		Args                          []string
		Env                           []struct{ Name, Value string }
		Resources                     struct{ Limits map[string]string }
		SecurityContext               struct{ ReadOnlyRootFilesystem bool }
		ReadinessProbe, LivenessProbe struct{ HTTPGet struct{ Path string } }
	}
}

// A manifest is an object of Kubernetes as a cluster would read it.
type manifest struct {
	Kind             string
	Data, StringData map[string]string
	Spec             struct{ Template struct{ Spec podSpec } }
}

// manifests are those of the guide, decoded strictly by Kubernetes' own types.
func manifests(t *testing.T) (all []manifest) {
	t.Helper()
	guide := testkit.ReadFile(t, root+"/docs/operations/kubernetes.md")
	var text strings.Builder
	for _, m := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		text.WriteString("---\n" + m[1])
	}
	decode := func(text string) (string, error) {
		cmd := exec.Command("go", "run", ".")
		cmd.Dir, cmd.Stdin = root+"/tools/kubernetes", strings.NewReader(text)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
		var said strings.Builder // what go downloads, too
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, said.String())
		}
		return string(out), err
	}
	out, err := decode(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(strings.Replace(text.String(), "readinessProbe:", "readynessProbe:", 1)); err == nil {
		t.Error("a field that nothing knows passes")
	}
	for line := range strings.Lines(out) {
		var m manifest
		must(t, json.Unmarshal([]byte(line), &m))
		all = append(all, m)
	}
	return all
}

// A cluster would take every manifest of the guide, and each container would start with its settings.
func TestKubernetes(t *testing.T) {
	testkit.Night(t) // the types of Kubernetes take a minute to compile
	t.Parallel()
	count := make(map[string]int)
	var settings, secrets map[string]string
	var pods []podSpec
	for _, m := range manifests(t) {
		count[m.Kind]++
		switch m.Kind {
		case "ConfigMap":
			settings = m.Data
		case "Secret":
			secrets = m.StringData
		case "Job", "Deployment":
			pods = append(pods, m.Spec.Template.Spec)
		}
	}
	testkit.Equal(t, "the manifests", count, map[string]int{
		"Secret": 1, "ConfigMap": 1, "Job": 1, "Deployment": 2, "Service": 1, "PodDisruptionBudget": 1, "NetworkPolicy": 1, "Ingress": 1,
	})
	dir := t.TempDir()
	for name, value := range secrets {
		if name == "secret" {
			value = strings.Repeat("5", 64)
		}
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(value+"\n"), 0o600))
	}
	for _, pod := range pods {
		c := pod.Containers[0]
		environ := []string{}
		for name, value := range settings {
			environ = append(environ, name+"="+strings.NewReplacer("/run/secrets/palmares", dir, "/var/lib/palmares", dir).Replace(value))
		}
		for _, e := range c.Env {
			if e.Value != "" {
				environ = append(environ, e.Name+"="+strings.ReplaceAll(e.Value, "$(POD_IP)", "10.1.2.3"))
			}
		}
		_, warned := palmares(t, environ, "config")
		testkit.Equal(t, "what palmares config has to say", warned, "")
		palmares(t, nil, append(c.Args, "--help")...)
		if !c.SecurityContext.ReadOnlyRootFilesystem || c.Resources.Limits["memory"] == "" {
			t.Errorf("%v: its files can be written, or its memory has no limit", c.Args)
		}
		if c.Args[0] == "serve" && (c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/livez" || pod.TerminationGracePeriodSeconds < 30) {
			t.Errorf("%v: probes, or the time to end: %+v", c.Args, c)
		}
	}
	testkit.Equal(t, "settings that nothing reads", len(config.UnknownVariables(strings.Split(strings.Join(keysOf(settings), "=x\n")+"=x", "\n"))), 0)
}

func keysOf(values map[string]string) (keys []string) {
	for k := range values {
		keys = append(keys, k)
	}
	return keys
}
