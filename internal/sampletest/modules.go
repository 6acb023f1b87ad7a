package sampletest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/gomodule"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// GoModules returns variables with which go get and go install take the Go client of this checkout, as v0.1.0, and what it
// needs from where this machine has it. Its modules are stored apart: those of the machine never have a v0.1.0 that is another.
func GoModules(tb testing.TB) []string {
	tb.Helper()
	root, err := os.Getwd()
	testkit.Must(tb, err)
	for !isFile(filepath.Join(root, "clients", "go", "go.mod")) {
		if root == filepath.Dir(root) {
			tb.Fatal("clients/go is in no folder above this one")
		}
		root = filepath.Dir(root)
	}
	proxy := tb.TempDir()
	testkit.Must(tb, gomodule.Write(filepath.Join(root, "clients", "go"), proxy, "v0.1.0", time.Unix(0, 0)))
	others := os.Getenv("GOPROXY")
	if others == "" {
		others = "https://proxy.golang.org,direct"
	}
	return []string{
		"GOPROXY=file://" + proxy + "," + others, "GONOSUMDB=github.com/palmares-hq",
		"GOFLAGS=-trimpath -modcacherw", "GOMODCACHE=" + tb.TempDir(),
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
