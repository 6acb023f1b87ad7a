package sampletest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/palmares-hq/palmares/internal/sampletest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// go get takes the Go client of this checkout as v0.1.0, which is what it calls itself, and go install its programs.
func TestGoModules(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	env := append(append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOBIN="+bin), sampletest.GoModules(t)...)
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	const module = "github.com/palmares-hq/palmares/clients/go"
	program := "package main\n\nimport palmares \"" + module + "\"\n\nfunc main() { println(palmares.Version) }\n"
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	run("go", "mod", "init", "example")
	run("go", "get", module+"@v0.1.0")
	testkit.Equal(t, "the version", run("go", "run", "."), "0.1.0\n")
	programs, err := filepath.Glob("../../clients/go/cmd/*")
	testkit.Must(t, err)
	for _, program := range programs {
		name := filepath.Base(program)
		run("go", "install", module+"/cmd/"+name+"@v0.1.0")
		run(filepath.Join(bin, name), "--help")
	}
}
