package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	addressesPerSecond = 4000 // with 100 requests each, ten times what a slice can use
	requestsPerSecond  = 60_000
	exhaustedAddress   = "192.0.2.1"
)

// A result is what was measured of a class.
type result struct {
	class
	Err     error  // why it could not be measured
	Rate    spread // requests/s of the subject divided by those of the base
	CPU     spread // CPU per request of the base divided by that of the subject
	OurCPU  float64
	BaseCPU float64 // µs per request, medians
	OurRate float64 // requests/s, medians
	RefRate float64
	// Repeated is how many pairs were measured again because Redis did not answer all charges in time.
	Repeated int
}

// Met reports whether the class reached its goal.
func (r result) Met() bool { return r.Err == nil && r.Rate.Median >= r.Goal }

// Closeness returns a remark if the result is too close to the goal for the measurement to decide.
func (r result) Closeness() string {
	if d := r.Rate.Median - r.Goal; d > -noise && d < noise {
		return ", within the noise"
	}
	return ""
}

// noise is the difference of ratios below which nothing is proven.
const noise = 0.08

// A slice is a short load on one server.
type slice struct {
	rate float64
	cpu  float64 // CPU of the server per request, in µs
}

// plan says how long to measure.
type plan struct {
	pairs int
	slice time.Duration
}

// developers returns how many Developer accounts a run needs, at 1,000 requests a day each.
func (p plan) developers() int {
	seconds := float64(p.pairs+1) * p.slice.Seconds()
	return max(200, int(seconds*requestsPerSecond/1000))
}

func (p plan) addresses() int { return int(max(p.slice, time.Second).Seconds() * addressesPerSecond) }

// measure compares the two servers of a class in pairs of slices, one slice for each server.
func (f *field) measure(ctx context.Context, c class, p plan) result {
	r := result{class: c}
	subject, err := f.server(ctx, c.Subject)
	if err != nil {
		return result{class: c, Err: err}
	}
	base, err := f.server(ctx, c.Base)
	if err != nil {
		return result{class: c, Err: err}
	}
	var rates, cpus, ours, bases, ourRates, baseRates []float64
	for pair := 0; pair <= p.pairs; pair++ {
		a, b, err := f.pair(ctx, c, subject, base, pair%2 == 1, p)
		if errors.Is(err, errUncharged) && r.Repeated < p.pairs {
			fmt.Println("  again:", err)
			r.Repeated++
			pair--
			time.Sleep(time.Second) // until the node uses Redis again
			continue
		}
		if err != nil {
			r.Err = err
			return r
		}
		if pair == 0 { // the first pair is a warm-up
			continue
		}
		rates, cpus = append(rates, a.rate/b.rate), append(cpus, b.cpu/a.cpu)
		ours, bases = append(ours, a.cpu), append(bases, b.cpu)
		ourRates, baseRates = append(ourRates, a.rate), append(baseRates, b.rate)
		fmt.Printf("  %d: %6.0f /s and %6.0f /s: %.2f; CPU %.1f µs and %.1f µs: %.2f\n",
			pair, a.rate, b.rate, a.rate/b.rate, a.cpu, b.cpu, b.cpu/a.cpu)
	}
	r.Rate, r.CPU = spreadOf(rates), spreadOf(cpus)
	r.OurCPU, r.BaseCPU, r.OurRate, r.RefRate = median(ours), median(bases), median(ourRates), median(baseRates)
	return r
}

// pair measures both servers with the same requests, the base first if baseFirst is set.
func (f *field) pair(ctx context.Context, c class, subject, base *server, baseFirst bool, p plan) (a, b slice, err error) {
	l, err := f.load(c, p)
	if err != nil {
		return a, b, err
	}
	if l.values != "" {
		defer os.Remove(l.values) //nolint:errcheck // it goes with the directory at the latest
	}
	ours := func() {
		if a, err = f.slice(ctx, c, subject, l, f.expected(c), p.slice); err != nil {
			err = fmt.Errorf("%s: %w", subject.name, err)
		}
	}
	theirs := func() {
		want := http.StatusOK
		if base.name == layerOff || base.name == older {
			want = f.expected(c)
		}
		if b, err = f.slice(ctx, c, base, l, want, p.slice); err != nil {
			err = fmt.Errorf("%s: %w", base.name, err)
		}
	}
	order := []func(){ours, theirs}
	if baseFirst {
		order = []func(){theirs, ours}
	}
	for _, f := range order {
		if f(); err != nil {
			return a, b, err
		}
	}
	return a, b, nil
}

// slice sends load to a server and measures it. It returns an error if a response is not what was expected.
func (f *field) slice(ctx context.Context, c class, s *server, l load, want int, d time.Duration) (slice, error) {
	path := f.paths[c.what]
	if s.paths[c.what] != "" {
		path = s.paths[c.what]
	}
	l.url = s.url + path
	if s.keyless {
		l.headers = without(l.headers, "Authorization: ")
	}
	if err := f.probe(ctx, c, s, l, want); err != nil {
		return slice{}, err
	}
	before, err := f.charges(ctx)
	if err != nil {
		return slice{}, err
	}
	sl, n, err := f.timed(ctx, s, l, d)
	if err != nil {
		return slice{}, err
	}
	after, err := f.charges(ctx)
	if err != nil {
		return slice{}, err
	}
	if counted := c.caller == anonymous || c.caller == developer; counted && s.process == f.node.process {
		// The node counts by itself, at no cost, what Redis does not answer in time.
		if shared := int(after - before); shared < n.requests-n.requests/1000 {
			return slice{}, fmt.Errorf("%w: %d of %d", errUncharged, shared, n.requests)
		}
	}
	refused := 0
	if want >= http.StatusBadRequest {
		refused = n.requests
	}
	if n.broken > 0 || n.refused != refused {
		return slice{}, fmt.Errorf("of %d answers %d are neither 2xx nor 3xx and %d sockets broke", n.requests, n.refused, n.broken)
	}
	return sl, f.probe(ctx, c, s, l, want)
}

// errUncharged means that a slice was not fully charged to the shared quota.
var errUncharged = errors.New("not all requests were charged in Redis")

// charges returns how many requests the node has charged in Redis.
func (f *field) charges(ctx context.Context) (float64, error) {
	m, err := f.node.metrics(ctx)
	return m[`palmares_quota_charges_total{source="shared"}`], err
}

// timed sends load to a server and measures its CPU time per request.
func (s *stand) timed(ctx context.Context, on *server, l load, d time.Duration) (slice, count, error) {
	before, err := cpuOf(on.pids())
	if err != nil {
		return slice{}, count{}, err
	}
	n, err := runWrk(ctx, s.dir, l, d)
	if err != nil {
		return slice{}, count{}, err
	}
	after, err := cpuOf(on.pids())
	if err != nil {
		return slice{}, count{}, err
	}
	return slice{rate: n.rate, cpu: float64(after-before) / 1e3 / float64(n.requests)}, n, nil
}

// load returns the requests of a class. If every request comes from another client, it uses addresses that no
// other pair has used.
func (f *field) load(c class, p plan) (l load, err error) {
	encoding := "identity"
	if c.gzip {
		encoding = "gzip"
	}
	l.headers = append(l.headers, "Accept-Encoding: "+encoding)
	if c.conditional {
		l.headers = append(l.headers, "If-None-Match: "+f.etag)
	}
	switch c.caller {
	case anonymous:
		l.header = "X-Forwarded-For"
		l.values, err = f.addresses(p.addresses())
	case developer:
		l.header = "Authorization"
		l.values = filepath.Join(f.dir, "keys")
		err = os.WriteFile(l.values, []byte("Bearer "+strings.Join(f.keys, "\nBearer ")+"\n"), 0o600)
	case pro:
		l.headers = append(l.headers, "Authorization: Bearer "+f.node.pro)
	case exhausted:
		l.headers = append(l.headers, "X-Forwarded-For: "+exhaustedAddress)
	}
	return l, err
}

// expected returns the status with which Palmarès answers a class.
func (f *field) expected(c class) int {
	switch {
	case c.conditional:
		return http.StatusNotModified
	case c.caller == exhausted:
		return http.StatusTooManyRequests
	}
	return http.StatusOK
}

// probe sends one of the requests that wrk sends, and checks the response, which wrk does not.
func (f *field) probe(ctx context.Context, c class, s *server, l load, want int) error {
	header := make(http.Header)
	for _, h := range l.headers {
		name, value, _ := strings.Cut(h, ": ")
		header.Set(name, value)
	}
	switch c.caller {
	case anonymous:
		header.Set("X-Forwarded-For", "198.51.100.1")
		header.Set("Authorization", "Bearer "+f.node.pro) // so that the probe uses up no quota
	case developer:
		header.Set("Authorization", "Bearer "+f.node.pro)
	case pro:
	case exhausted:
		if s.name == palmares || s.name == older {
			if err := exhaust(ctx, l.url, header); err != nil {
				return err
			}
		}
	}
	a, err := get(ctx, l.url, header)
	if err != nil {
		return err
	}
	if a.status != want {
		return fmt.Errorf("%s answers %d: %.200s", l.url, a.status, a.body)
	}
	packed := a.header.Get("Content-Encoding") == "gzip"
	switch {
	case c.gzip && c.Subject == s.name && !packed:
		return errors.New("the answer is not compressed")
	case want != http.StatusOK || packed || s.paths[c.what] != "" || s.name == goPgx || s.name == older:
		return nil // other bytes are expected
	}
	stored, err := os.ReadFile(filepath.Join(f.answers, escaped(f.paths[c.what])))
	if err == nil && !bytes.Equal(stored, a.body) {
		return fmt.Errorf("%s sends other bytes than Palmarès", s.name)
	}
	return err
}

// exhaust uses up the quota of the caller in header.
func exhaust(ctx context.Context, address string, header http.Header) error {
	for range 1000 {
		a, err := get(ctx, address, header)
		if err != nil {
			return err
		}
		if a.status == http.StatusTooManyRequests {
			return nil
		}
	}
	return errors.New("the quota does not end")
}
