package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// The catalogs that tests work on copies of.
const (
	exampleCatalog = "../../examples/catalog"
	fixtureCatalog = "../../internal/testdata/catalog"
)

// secret is long enough for a node.
const secret = "never-shown-0123456789abcdef0123456789"

func TestMain(m *testing.M) {
	testscript.Main(withBinaryDir{m}, map[string]func(){"palmares": main})
}

// TestScripts runs what needs no engine.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scripts("testdata/script", func(*testscript.Env) error { return nil }))
}

// TestScriptsWithPostgres gives each script a database of its own, without a schema.
func TestScriptsWithPostgres(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scripts("testdata/script/postgres", func(env *testscript.Env) error {
		tb, ok := env.T().(testing.TB)
		if !ok {
			return errors.New("testscript hides the testing.TB that pgtest needs")
		}
		env.Setenv("PALMARES_DATABASE_URL", pgtest.URL(tb))
		return nil
	}))
}

func scripts(dir string, setup func(*testscript.Env) error) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SECRET", secret)
			// Under the race detector a program sleeps for a second before it ends.
			env.Setenv("GORACE", "atexit_sleep_ms=10")
			return setup(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"catalog": copyCatalog,
			"edit":    editFile,
			"status":  expectStatus,
		},
	}
}

// copyCatalog is the script command "catalog example|fixture DIR".
func copyCatalog(ts *testscript.TestScript, neg bool, args []string) {
	from, known := map[string]string{"example": exampleCatalog, "fixture": fixtureCatalog}[first(args)]
	if neg || len(args) != 2 || !known {
		ts.Fatalf("usage: catalog example|fixture dir")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(from)))
}

// editFile is the script command "edit FILE OLD NEW"; OLD stands there once.
func editFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit file old new")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%s holds %q %d times", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o600))
}

// expectStatus is the script command "status N command…": exec that wants that
// exit status.
func expectStatus(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(first(args))
	if neg || len(args) < 2 || err != nil {
		ts.Fatalf("usage: status n command args...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Check(err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// copyOf gives the test a catalog to change.
func copyOf(t *testing.T, catalog string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "catalog")
	if err := os.CopyFS(dir, os.DirFS(catalog)); err != nil {
		t.Fatal(err)
	}
	return dir
}
