// Command load sends requests to a node at a steady rate and prints how long they took, separately for the
// moments in which the node swapped editions.
//
// The rate does not depend on the responses: a request is due at its time whether or not the previous one has
// been answered, and its latency counts from then, so that a stall shows in all the requests that it delayed.
// It talks to loopback addresses only.
package main

import (
	"bufio"
	"cmp"
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

func main() {
	var l load
	flag.StringVar(&l.base, "url", "http://127.0.0.1:8080", "the node")
	flag.StringVar(&l.admin, "admin", "http://127.0.0.1:9090", "its admin address")
	flag.StringVar(&l.paths, "paths", "/api/v1/tools,/api/v1/tools?sort=name_asc&page=7,/api/v1/stats,/api/v1/comparatifs", "what to ask for, in turn")
	flag.IntVar(&l.rate, "rate", 2000, "requests per second")
	flag.IntVar(&l.workers, "connections", 16, "connections")
	flag.DurationVar(&l.duration, "for", 30*time.Second, "how long")
	flag.DurationVar(&l.every, "watch", 25*time.Millisecond, "how often to look for a swap; looking costs the node a millisecond")
	flag.DurationVar(&l.before, "before", 500*time.Millisecond, "what counts as the swap: from so long before it is seen")
	flag.DurationVar(&l.after, "after", 500*time.Millisecond, "to so long after")
	flag.StringVar(&l.samples, "samples", "", "a file to add each latency to, in microseconds after quiet or swapping")
	flag.Parse()
	l.key = os.Getenv("LOAD_KEY") // must be a key without a quota, or most requests are refused
	if err := l.run(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

type load struct {
	base, admin, paths string
	key                string
	rate, workers      int
	duration           time.Duration
	every              time.Duration
	before, after      time.Duration
	samples            string
}

type sample struct {
	due     time.Time
	latency time.Duration
	failed  string // why; "" for a 200
}

func (l load) run() error {
	for _, raw := range []string{l.base, l.admin} {
		u, err := url.Parse(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", raw, err)
		}
		if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
			return fmt.Errorf("%s is not a loopback address: this sends load to this machine only", raw)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.duration)
	defer cancel()
	client := &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: l.workers, DisableCompression: true},
	}
	var wg sync.WaitGroup
	results := make([][]sample, l.workers)
	for i := range l.workers {
		wg.Go(func() { results[i] = l.work(ctx, client, i) })
	}
	swaps := l.watch(ctx)
	wg.Wait()
	return l.report(slices.Concat(results...), swaps)
}

// work sends this connection's share of the requests.
func (l load) work(ctx context.Context, client *http.Client, worker int) []sample {
	paths := strings.Split(l.paths, ",")
	every := time.Second * time.Duration(l.workers) / time.Duration(l.rate)
	due := time.Now().Add(every * time.Duration(worker) / time.Duration(l.workers))
	var samples []sample
	for i := worker; ; i++ {
		select {
		case <-ctx.Done():
			return samples
		case <-time.After(time.Until(due)):
		}
		failed := l.get(client, l.base+paths[i%len(paths)])
		samples = append(samples, sample{due, time.Since(due), failed})
		due = due.Add(every)
	}
}

func (l load) get(client *http.Client, target string) (failed string) {
	req, err := http.NewRequest(http.MethodGet, target, http.NoBody) //nolint:noctx // the client has a time limit
	if err != nil {
		return err.Error()
	}
	if l.key != "" {
		req.Header.Set("Authorization", "Bearer "+l.key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err.Error()
	}
	if resp.StatusCode != http.StatusOK {
		return resp.Status
	}
	return ""
}

// watch returns the times at which the node's edition changed.
func (l load) watch(ctx context.Context) (swaps []time.Time) {
	last := ""
	for ctx.Err() == nil {
		if e := l.edition(); e != "" && e != last {
			if last != "" {
				swaps = append(swaps, time.Now())
			}
			last = e
		}
		time.Sleep(l.every)
	}
	return swaps
}

func (l load) edition() string {
	resp, err := http.Get(l.admin + "/metrics") //nolint:noctx // loopback
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "palmares_edition "); ok {
			return value
		}
	}
	return ""
}

func (l load) report(samples []sample, swaps []time.Time) error {
	var quiet, swapping []time.Duration
	failures := make(map[string]int)
	for _, s := range samples {
		if s.failed != "" {
			failures[s.failed]++
			continue
		}
		near := slices.ContainsFunc(swaps, func(t time.Time) bool {
			return s.due.After(t.Add(-l.before)) && s.due.Before(t.Add(l.after))
		})
		if near {
			swapping = append(swapping, s.latency)
		} else {
			quiet = append(quiet, s.latency)
		}
	}
	failed := len(samples) - len(quiet) - len(swapping)
	fmt.Printf("requests %d, failed %d, swaps %d, rate %d/s\n", len(samples), failed, len(swaps), l.rate)
	line := func(name string, d []time.Duration) {
		fmt.Printf("%-9s n %6d  p50 %8v  p90 %8v  p99 %8v  max %8v\n", name, len(d), at(d, 50), at(d, 90), at(d, 99), at(d, 100))
	}
	line("quiet", quiet)
	line("swapping", swapping)
	if len(quiet) > 0 && len(swapping) > 0 {
		fmt.Printf("p99 swapping / quiet: %.2f\n", float64(at(swapping, 99))/float64(at(quiet, 99)))
	}
	if err := l.keep(map[string][]time.Duration{"quiet": quiet, "swapping": swapping}); err != nil {
		return err
	}
	for why, n := range failures {
		fmt.Printf("failed %d: %s\n", n, why)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d requests failed", failed, len(samples))
	}
	return nil
}

// keep appends the latencies to the file, so that several runs can be evaluated together.
func (l load) keep(latencies map[string][]time.Duration) error {
	if l.samples == "" {
		return nil
	}
	f, err := os.OpenFile(l.samples, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for name, all := range latencies {
		for _, d := range all {
			fmt.Fprintln(w, name, d.Microseconds())
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

// at returns a percentile. It sorts d.
func at(d []time.Duration, percent int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.SortFunc(d, cmp.Compare[time.Duration])
	return d[min(len(d)*percent/100, len(d)-1)].Round(time.Microsecond)
}
