package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker for releases; a build from a checkout tells its commit.
var version string

type versionCommand struct{}

func (versionCommand) Run(con *console) error { //nolint:unparam // what kong calls
	fmt.Fprintf(con.out, "palmares %s %s %s/%s\n", currentVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

func currentVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), 12)]
		}
	}
	return info.Main.Version
}
