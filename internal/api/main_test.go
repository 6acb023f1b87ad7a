package api_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The long form has the full numbers everywhere; PALMARES_LONG=1 does the same.
var (
	update = flag.Bool("update", false, "rewrite the golden files")
	long   = flag.Bool("long", os.Getenv("PALMARES_LONG") == "1", "run the long form of the tests")
)

func TestMain(m *testing.M) {
	// The client of a cluster closes the connections it replaced 5 s later.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/redis/rueidis.(*clusterClient)._refresh.func2"))
}
