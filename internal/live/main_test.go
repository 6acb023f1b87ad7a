package live_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The long form of the suite does everything as often as the figures in its
// assertions were meant for:
//
//	go test -race -run Editions -v ./internal/live -long
//
// PALMARES_LONG=1 does the same.
var (
	long   = flag.Bool("long", os.Getenv("PALMARES_LONG") == "1", "run the long form of the tests")
	tools  = flag.Int("tools", 10_000, "how many tools the large catalog of the tests has")
	update = flag.Bool("update", false, "rewrite the golden files")
)

func TestMain(m *testing.M) {
	if path := os.Getenv(copyWriterVariable); path != "" {
		writeCopiesForever(path)
	}
	flag.Parse()
	set := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if !set["test.parallel"] {
		flag.Set("test.parallel", "8")
	}
	goleak.VerifyTestMain(m)
}
