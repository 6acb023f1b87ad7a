package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version and commit are set by the linker in releases. A build from a checkout gets its commit from the build
// info.
var version, commit string

type versionCommand struct{}

func (versionCommand) Run(con *console) error { //nolint:unparam // what kong calls
	fmt.Fprintln(con.out, versionLine())
	return nil
}

func versionLine() string {
	told := currentVersion()
	if version != "" && commit != "" {
		told += " commit " + commit
	}
	return fmt.Sprintf("palmares %s %s %s/%s", told, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func currentVersion() string {
	if version != "" {
		return version
	}
	if hash := currentCommit(); hash != "" {
		return hash[:min(len(hash), 12)]
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(unknown)"
}

// currentCommit returns the commit that the program was built from; "" if unknown.
func currentCommit() string {
	if commit != "" {
		return commit
	}
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
