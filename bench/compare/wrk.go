package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

const (
	wrkThreads     = 2
	wrkConnections = 64
)

//go:embed clients.lua
var clientsLua []byte

// A load is what wrk is told to send.
type load struct {
	url     string
	headers []string // "Name: value"
	// If every request comes from another client: the header that identifies the client, and a file with its
	// values.
	header, values string
	// Or a script that makes the requests, with its arguments.
	script []byte
	args   []string
	// How many connections; 0 is wrkConnections.
	connections int
}

// A count is what wrk reports of a slice.
type count struct {
	requests int
	rate     float64 // per second
	refused  int     // neither 2xx nor 3xx
	broken   int     // socket errors of all kinds
	longest  time.Duration
	bytes    float64 // read
}

var (
	wrkRequests = regexp.MustCompile(`(?m)^\s*(\d+) requests in `)
	wrkRead     = regexp.MustCompile(`(?m), ([0-9.]+)([KMG]?)B read$`)
	wrkLongest  = regexp.MustCompile(`(?m)^\s*Latency\s+\S+\s+\S+\s+([0-9.]+(?:us|ms|s|m))\s`)
	wrkRate     = regexp.MustCompile(`(?m)^Requests/sec:\s+([0-9.]+)$`)
	wrkRefused  = regexp.MustCompile(`(?m)^\s*Non-2xx or 3xx responses: (\d+)$`)
	wrkBroken   = regexp.MustCompile(`(?m)^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)$`)
)

func parseWrk(out []byte) (count, error) {
	requests, rate := wrkRequests.FindSubmatch(out), wrkRate.FindSubmatch(out)
	if requests == nil || rate == nil {
		return count{}, fmt.Errorf("wrk tells no rate:\n%s", out)
	}
	var c count
	var errs [3]error
	c.requests, errs[0] = strconv.Atoi(string(requests[1]))
	c.rate, errs[1] = strconv.ParseFloat(string(rate[1]), 64)
	if m := wrkRefused.FindSubmatch(out); m != nil {
		c.refused, errs[2] = strconv.Atoi(string(m[1]))
	}
	if m := wrkBroken.FindSubmatch(out); m != nil {
		for _, text := range m[1:] {
			n, err := strconv.Atoi(string(text))
			errs[2] = errors.Join(errs[2], err)
			c.broken += n
		}
	}
	if m := wrkRead.FindSubmatch(out); m != nil {
		n, err := strconv.ParseFloat(string(m[1]), 64)
		errs[2] = errors.Join(errs[2], err)
		c.bytes = n * map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[string(m[2])]
	}
	if m := wrkLongest.FindSubmatch(out); m != nil {
		d, err := time.ParseDuration(string(m[1]))
		errs[2] = errors.Join(errs[2], err)
		c.longest = d
	}
	if err := errors.Join(errs[:]...); err != nil {
		return count{}, fmt.Errorf("reading what wrk tells: %w", err)
	}
	if c.requests == 0 {
		return count{}, fmt.Errorf("wrk sent nothing:\n%s", out)
	}
	return c, nil
}

// runWrk sends a load for the duration d.
func runWrk(ctx context.Context, dir string, l load, d time.Duration) (count, error) {
	// wrk accepts only whole seconds; SIGINT ends it earlier, and it still prints its figures.
	whole := d.Truncate(time.Second) == d
	seconds := int(d / time.Second)
	if !whole {
		seconds++
	}
	if l.connections == 0 {
		l.connections = wrkConnections
	}
	args := []string{
		"-t" + strconv.Itoa(wrkThreads), "-c" + strconv.Itoa(l.connections), fmt.Sprintf("-d%ds", seconds),
	}
	for _, h := range l.headers {
		args = append(args, "-H", h)
	}
	args = append(args, "--timeout", "60s") // a delay on a busy machine is not an error
	if l.values != "" {
		l.script, l.args = clientsLua, []string{l.header, l.values, strconv.Itoa(wrkThreads)}
	}
	if l.script != nil {
		script := filepath.Join(dir, "requests.lua")
		if err := os.WriteFile(script, l.script, 0o644); err != nil {
			return count{}, fmt.Errorf("writing wrk's script: %w", err)
		}
		args = append(append(args, "-s", script, l.url, "--"), l.args...)
	} else {
		args = append(args, l.url)
	}
	cmd := exec.CommandContext(ctx, "wrk", args...)       //nolint:gosec // our own arguments
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for us to handle
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return count{}, fmt.Errorf("starting wrk (apt-get install wrk): %w", err)
	}
	if !whole {
		early := time.AfterFunc(d, func() { cmd.Process.Signal(os.Interrupt) }) //nolint:errcheck,gosec // it has ended by itself
		defer early.Stop()
	}
	if err := cmd.Wait(); err != nil {
		return count{}, fmt.Errorf("wrk: %w\n%s", errors.Join(ctx.Err(), err), out.Bytes())
	}
	return parseWrk(out.Bytes())
}
