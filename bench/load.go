package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	loadRate    = 2000 // requests per second
	loadWorkers = 16   // connections
	afterSwap   = 500 * time.Millisecond
)

// A steady sends requests to a node at a steady rate and tells how long they took, separately for the moments in
// which the node swapped editions.
//
// The rate does not depend on the responses: a request is due at its time whether or not the previous one has
// been answered, and its latency counts from then, so that a stall shows in all the requests that it delayed.
type steady struct {
	url, admin, paths, samples string
	duration, every, before    time.Duration
	key                        string
}

func loadCommand(flags *flag.FlagSet) func(context.Context) {
	var l steady
	flags.StringVar(&l.url, "url", "http://127.0.0.1:8080", "the node")
	flags.StringVar(&l.admin, "admin", "http://127.0.0.1:9090", "its admin address")
	flags.StringVar(&l.paths, "paths", "/api/v1/tools", "what to ask for, in turn")
	flags.DurationVar(&l.duration, "for", 30*time.Second, "how long")
	flags.DurationVar(&l.every, "watch", 25*time.Millisecond, "how often to look for a swap; looking costs the node a millisecond")
	flags.DurationVar(&l.before, "before", 500*time.Millisecond, "what counts as the swap: from so long before it is seen, to 0.5 s after")
	flags.StringVar(&l.samples, "samples", "", "a file to add each latency to, in microseconds after quiet or swapping")
	l.key = os.Getenv("LOAD_KEY") // must be a key without a quota, or most requests are refused
	return l.run
}

// A sample is a request that was sent.
type sample struct {
	due     time.Time
	latency time.Duration
	failed  error
}

func (l *steady) run(ctx context.Context) {
	for _, raw := range []string{l.url, l.admin} {
		if ip := net.ParseIP(must(url.Parse(raw)).Hostname()); ip == nil || !ip.IsLoopback() {
			check(fmt.Errorf("%s is not a loopback address: this sends load to this machine only", raw))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, l.duration)
	defer cancel()
	client := &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: loadWorkers, DisableCompression: true},
	}
	var wg sync.WaitGroup
	results := make([][]sample, loadWorkers)
	for i := range loadWorkers {
		wg.Go(func() { results[i] = l.work(ctx, client, i) })
	}
	swaps := l.watch(ctx)
	wg.Wait()
	l.report(slices.Concat(results...), swaps)
}

// work sends this connection's share of the requests.
func (l *steady) work(ctx context.Context, client *http.Client, worker int) (samples []sample) {
	paths := strings.Split(l.paths, ",")
	every := time.Second * loadWorkers / loadRate
	due := time.Now().Add(every * time.Duration(worker) / loadWorkers)
	for i := worker; ; i++ {
		select {
		case <-ctx.Done():
			return samples
		case <-time.After(time.Until(due)):
		}
		failed := l.get(client, l.url+paths[i%len(paths)])
		samples = append(samples, sample{due, time.Since(due), failed})
		due = due.Add(every)
	}
}

func (l *steady) get(client *http.Client, target string) error {
	req, err := http.NewRequest(http.MethodGet, target, http.NoBody) //nolint:noctx // the client has a time limit
	if err != nil {
		return err
	}
	if l.key != "" {
		req.Header.Set("Authorization", "Bearer "+l.key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	_, broken := io.Copy(io.Discard, resp.Body)
	return errors.Join(err, broken)
}

// watch returns the times at which the node's edition changed.
func (l *steady) watch(ctx context.Context) (swaps []time.Time) {
	n := node{admin: l.admin}
	last := 0.0
	for ctx.Err() == nil {
		m, err := n.metrics(ctx)
		if e := m["palmares_edition"]; err == nil && e != 0 && e != last {
			if last != 0 {
				swaps = append(swaps, time.Now())
			}
			last = e
		}
		time.Sleep(l.every)
	}
	return swaps
}

// report prints percentiles and adds all latencies to the file of samples, so that several runs can be evaluated
// together. It fails if a request did.
func (l *steady) report(samples []sample, swaps []time.Time) {
	parts, failures, failed := make(map[string][]time.Duration), make(map[string]int), 0
	for _, s := range samples {
		part := "quiet"
		if slices.ContainsFunc(swaps, func(t time.Time) bool {
			return s.due.After(t.Add(-l.before)) && s.due.Before(t.Add(afterSwap))
		}) {
			part = "swapping"
		}
		if s.failed != nil {
			failures[s.failed.Error()]++
			failed++
		} else {
			parts[part] = append(parts[part], s.latency)
		}
	}
	fmt.Printf("requests %d, failed %d, swaps %d, rate %d/s\n", len(samples), failed, len(swaps), loadRate)
	at := func(part string, percent int) time.Duration {
		return percentile(parts[part], percent).Round(time.Microsecond)
	}
	var lines strings.Builder
	for part, all := range parts {
		fmt.Printf("%-9s n %6d  p50 %8v  p90 %8v  p99 %8v  max %8v\n", part, len(all), at(part, 50), at(part, 90), at(part, 99), at(part, 100))
		for _, d := range all {
			fmt.Fprintln(&lines, part, d.Microseconds())
		}
	}
	if len(parts) == 2 {
		fmt.Printf("p99 swapping / quiet: %.2f\n", float64(at("swapping", 99))/float64(at("quiet", 99)))
	}
	appendTo(l.samples, lines.String())
	if failed > 0 {
		check(fmt.Errorf("%d of %d requests failed: %v", failed, len(samples), failures))
	}
}

// appendTo adds text to a file, unless its name is "".
func appendTo(path, text string) {
	if path != "" {
		f := must(os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
		_, err := f.WriteString(text)
		check(errors.Join(err, f.Close()))
	}
}
