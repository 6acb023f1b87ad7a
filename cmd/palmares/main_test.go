package main

import (
	"errors"
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
	testscript.Main(withBinaryDir{m}, map[string]func(){"palmares": scripted})
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
		},
	}
}
