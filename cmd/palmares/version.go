package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// version is set by the linker for releases; a build from a checkout tells its commit.
var version string

type versionCommand struct{}

func (versionCommand) Run(con *console) error { //nolint:unparam // what kong calls
	fmt.Fprintln(con.out, versionLine())
	return nil
}

func versionLine() string {
	return fmt.Sprintf("palmares %s %s %s/%s", currentVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func currentVersion() string {
	if version != "" {
		return version
	}
	if revision := commit(); revision != "" {
		return revision[:min(len(revision), 12)]
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(unknown)"
}

// commit is the one that the program was built from; "" where that is not known.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

// registerBuild shows which build runs.
func registerBuild(registry prometheus.Registerer) {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "palmares_build_info", Help: "1, with the version, the commit and the Go release of this build.",
		ConstLabels: prometheus.Labels{"version": currentVersion(), "commit": commit(), "go": runtime.Version()},
	})
	build.Set(1)
	registry.MustRegister(build)
}
