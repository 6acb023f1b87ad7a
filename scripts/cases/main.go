// Command cases runs the cases of clients/cases.json against clients of the API: cases RUNNER...
//
// It starts a real palmares serve on a database of its own, puts a proxy in front that makes the faults, and runs each
// runner, an executable that reads the cases, calls its client and reports the outcomes. clients/README.md describes
// cases and runners. The exit status is 1 if a case of a runner failed or was not reported, 2 if it could not be tried.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

func main() {
	binary := flag.String("binary", "build/palmares", "the program to serve with")
	file := flag.String("cases", "clients/cases.json", "the cases")
	only := flag.String("only", "", "a regular expression: the names of the cases to run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	failed, err := run(ctx, *binary, *file, *only, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cases:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// run returns how many cases failed, of all runners together.
func run(ctx context.Context, binary, file, only string, runners []string) (failed int, err error) {
	if len(runners) == 0 {
		return 0, errors.New("no runner was given")
	}
	pattern, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "palmares-cases-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	service, err := serve(ctx, binary, dir)
	if err != nil {
		return 0, err
	}
	defer service.close()
	for i, runner := range runners {
		started := time.Now()
		n, total, err := try(ctx, service, file, pattern, filepath.Join(dir, fmt.Sprint("runner", i)), runner, i)
		if err != nil {
			return failed, fmt.Errorf("%s: %w", runner, err)
		}
		fmt.Printf("   %s: %d of %d cases, %.0f s\n", runner, total-n, total, time.Since(started).Seconds())
		failed += n
	}
	return failed, nil
}

// try runs one runner, and returns how many of its cases failed.
func try(
	ctx context.Context, s *service, file string, only *regexp.Regexp, dir, runner string, n int,
) (failed, total int, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, 0, err
	}
	p, err := startProxy(ctx, s, n)
	if err != nil {
		return 0, 0, err
	}
	defer p.close()
	cases, err := p.expand(file, only, dir)
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, runner)
	cmd.Env = append(os.Environ(), "PALMARES_CASES="+cases)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	ended := cmd.Run()
	if exit := (*exec.ExitError)(nil); ended != nil && !errors.As(ended, &exit) {
		return 0, 0, ended
	}
	for _, c := range p.cases {
		if c.reported && len(c.faults) == 0 {
			continue
		}
		failed++
		if !c.reported {
			fmt.Printf("   %s: no outcome was reported\n", c.Name)
		}
	}
	if ended != nil && failed == 0 {
		return 0, 0, ended
	}
	return failed, len(p.cases), nil
}
