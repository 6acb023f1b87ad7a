package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// A machine describes the machine and the software of a measurement.
type machine struct {
	Cores                         int
	CPU, Kernel, Go, Date         string
	PostgreSQL, Redis, Nginx, Wrk string
}

func machineOf(ctx context.Context) machine {
	return machine{
		Cores: runtime.NumCPU(), CPU: cpuModel(), Kernel: firstLine("/proc/sys/kernel/osrelease"),
		Go: strings.TrimPrefix(runtime.Version(), "go"), Date: time.Now().UTC().Format(time.DateOnly),
		PostgreSQL: postgresVersion(ctx), Redis: versionOf(ctx, "redis-server", "--version"),
		Nginx: versionOf(ctx, "nginx", "-v"), Wrk: versionOf(ctx, "wrk", "-v"),
	}
}

func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}

var version = regexp.MustCompile(`\d+(\.\d+)+`)

// versionOf returns the first version number in a program's output; "unknown" if there is none.
func versionOf(ctx context.Context, program, flag string) string {
	// wrk prints its version with exit status 1.
	out, _ := exec.CommandContext(ctx, program, flag).CombinedOutput() //nolint:gosec // programs named here
	if v := version.Find(out); v != nil {
		return string(v)
	}
	return "unknown"
}
