package main

import (
	"errors"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The catalogs that tests work on copies of.
const (
	exampleCatalog = "../../examples/catalog"
	fixtureCatalog = "../../internal/testdata/catalog"
)

// secret is long enough for a node.
const secret = "never-shown-0123456789abcdef0123456789"

func TestMain(m *testing.M) {
	testscript.Main(withBinaryDir{m}, map[string]func(){"palmares": scripted})
}

// measures begins a test that holds times to bounds in the long form, where it has the machine for itself. The short form, at night,
// counts what is answered, which is the same beside other tests.
func measures(t *testing.T) {
	t.Helper()
	testkit.Night(t)
	if !testkit.Long() {
		t.Parallel()
	}
}

// timeLimit is how long a request of such a test may take.
func timeLimit(long time.Duration) time.Duration {
	if testkit.Long() {
		return long
	}
	return testkit.Patience
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
		return startTill(env)
	}))
}

func scripts(dir string, setup func(*testscript.Env) error) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SECRET", secret)
			startReceiver(env)
			// Under the race detector a program sleeps for a second before it ends.
			env.Setenv("GORACE", "atexit_sleep_ms=10")
			return setup(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"catalog":   copyCatalog,
			"edit":      editFile,
			"editors":   startEditors,
			"hostile":   addHostileFiles,
			"status":    expectStatus,
			"set":       setVariable,
			"sql":       runSQL,
			"until":     runUntil,
			"receiver":  setReceiver,
			"untouched": wantUntouched,
			"signed":    wantSigned,
			"till":      runTill,
			"setup":     setUp,
			"wrong":     wantWrong,
			"right":     wantRight,
		},
	}
}
