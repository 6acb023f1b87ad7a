package main

import (
	"cmp"
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
	wrkThreads   = 2
	sliceSeconds = 1
)

var (
	//go:embed clients.lua
	clientsLua []byte
	//go:embed floods.lua
	floodsLua []byte
)

// A load is what wrk is told to send.
type load struct {
	url         string
	headers     []string // "Name: value"
	script      []byte   // makes the requests, if it is there
	args        []string // of the script
	connections int      // 64 if 0
}

// A slice is what a short load on one server was answered with, and what it cost.
type slice struct {
	requests int
	rate     float64 // requests per second
	refused  int     // neither 2xx nor 3xx
	broken   int     // socket errors of all kinds
	longest  time.Duration
	bytes    float64 // read
	cpu      float64 // CPU of the server per request, in µs
}

// cpuOf returns the spread of the CPU per request.
func cpuOf(slices []slice) spread {
	var figures []float64
	for _, s := range slices {
		figures = append(figures, s.cpu)
	}
	return spreadOf(figures)
}

// check fails unless all requests were refused, or none.
func (s slice) check(refused bool) {
	want := 0
	if refused {
		want = s.requests
	}
	if s.broken > 0 || s.refused != want {
		check(fmt.Errorf("of %d answers %d are neither 2xx nor 3xx and %d sockets broke", s.requests, s.refused, s.broken))
	}
}

var (
	wrkSent    = regexp.MustCompile(`(?m)^\s*(\d+) requests in \S+, ([0-9.]+)([KMG]?)B read$`)
	wrkLongest = regexp.MustCompile(`(?m)^\s*Latency\s+\S+\s+\S+\s+([0-9.]+(?:us|ms|s|m))\s`)
	wrkRate    = regexp.MustCompile(`(?m)^Requests/sec:\s+([0-9.]+)$`)
	wrkRefused = regexp.MustCompile(`(?m)^\s*Non-2xx or 3xx responses: (\d+)$`)
	wrkBroken  = regexp.MustCompile(`(?m)^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)$`)
)

func parseWrk(out string) (s slice) {
	sent, rate, longest := wrkSent.FindStringSubmatch(out), wrkRate.FindStringSubmatch(out), wrkLongest.FindStringSubmatch(out)
	if sent == nil || rate == nil || longest == nil || sent[1] == "0" {
		check(fmt.Errorf("wrk sent nothing, or tells no rate:\n%s", out))
	}
	s.requests, s.rate = must(strconv.Atoi(sent[1])), must(strconv.ParseFloat(rate[1], 64))
	s.longest = must(time.ParseDuration(longest[1]))
	s.bytes = must(strconv.ParseFloat(sent[2], 64)) * map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[sent[3]]
	if m := wrkRefused.FindStringSubmatch(out); m != nil {
		s.refused = must(strconv.Atoi(m[1]))
	}
	if m := wrkBroken.FindStringSubmatch(out); m != nil {
		for _, text := range m[1:] {
			s.broken += must(strconv.Atoi(text))
		}
	}
	return s
}

// runWrk sends a load for so many seconds: wrk knows whole ones only.
func runWrk(ctx context.Context, dir string, l load, seconds int) slice {
	args := []string{
		"-t" + strconv.Itoa(wrkThreads), "-c" + strconv.Itoa(cmp.Or(l.connections, 64)), fmt.Sprintf("-d%ds", seconds),
		"--timeout", "60s", // a delay on a busy machine is not an error
	}
	for _, h := range l.headers {
		args = append(args, "-H", h)
	}
	if l.script != nil {
		script := filepath.Join(dir, "requests.lua")
		check(os.WriteFile(script, l.script, 0o644))
		args = append(args, "-s", script)
	}
	args = append(append(args, l.url, "--"), l.args...)
	cmd := exec.CommandContext(ctx, "wrk", args...)       //nolint:gosec // our own arguments
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for us to handle
	out, err := cmd.CombinedOutput()
	if err != nil {
		check(fmt.Errorf("wrk (apt-get install wrk): %w\n%s", errors.Join(ctx.Err(), err), out))
	}
	return parseWrk(string(out))
}

// timed sends a load to a server and measures the CPU time that it takes.
func timed(ctx context.Context, dir string, server *process, l load) slice {
	before := cpuTime(server.Process.Pid)
	s := runWrk(ctx, dir, l, sliceSeconds)
	s.cpu = float64(cpuTime(server.Process.Pid)-before) / 1e3 / float64(s.requests)
	return s
}

// inTurn measures each side once, in reverse order if the round is odd.
func inTurn(round int, sides ...func() slice) []slice {
	list := make([]slice, len(sides))
	for i := range sides {
		if round%2 == 1 {
			i = len(sides) - 1 - i
		}
		list[i] = sides[i]()
	}
	return list
}
