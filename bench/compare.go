package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A comparison is what the command line asks for.
type comparison struct {
	pairs         int
	only, older   string
	short, growth bool
}

func compareCommand(flags *flag.FlagSet) func(context.Context) {
	var o comparison
	flags.IntVar(&o.pairs, "pairs", 0, "pairs of slices per class; 8 by default, 14 beside an older build")
	flags.StringVar(&o.only, "only", "", "measure only the classes whose name, such as one tool, Pro key / PocketBase, matches this regular expression; write nothing")
	flags.BoolVar(&o.short, "short", false, "for CI: some classes, briefly, to see that all of this works; write nothing")
	flags.BoolVar(&o.growth, "growth", true, "follow the costs over catalogs of 1,000 to 100,000 tools, and write docs/performance.md")
	flags.StringVar(&o.older, "older", "", "a palmares of before: compare with it instead of with others; write nothing")
	return func(ctx context.Context) {
		switch {
		case o.short:
			o.pairs = 2
		case o.pairs == 0 && o.older != "":
			o.pairs = 14
		case o.pairs == 0:
			o.pairs = 8
		}
		withStand(ctx, func(s *stand) { s.compare(ctx, o) })
	}
}

// compare fails if something could not be measured. What was measured is still written.
func (s *stand) compare(ctx context.Context, o comparison) {
	classes, repeated, failed := s.measureClasses(ctx, o)
	if o.growth && !o.short && o.older == "" {
		growth, incomplete := s.measureGrowth(ctx)
		failed = errors.Join(failed, incomplete)
		if o.only == "" {
			pairs := fmt.Sprintf("%d pairs of slices for each class, of which %d were measured again.", o.pairs, repeated)
			writeParts("docs/performance.md", map[string]string{
				"machine": measuredOn(ctx) + "\n" + pairs, "classes": classes, "growth": growth,
			})
		}
	}
	check(failed)
}

// classes are all the classes. A Goal of 0 means none.
var classes = []class{
	{Name: "one tool, anonymous, exact quota", Goal: 0.95, Subject: palmares, Base: bareIncr, what: one, caller: anonymous},
	{Name: "one tool, Developer key, exact quota", Goal: 0.95, Subject: palmares, Base: bareIncr, what: one, caller: developer},
	{Name: "list raw, anonymous, exact quota", Goal: 0.95, Subject: palmares, Base: bareIncr, what: list, caller: anonymous, Short: true},
	{Name: "list gzip, anonymous, exact quota", Goal: 0.75, Subject: palmares, Base: bare, what: list, caller: anonymous, gzip: true},
	{Name: "one tool, Pro key", Goal: 0.90, Subject: palmares, Base: bare, what: one, caller: pro, Short: true},
	{Name: "list raw, Pro key", Goal: 0.92, Subject: palmares, Base: bare, what: list, caller: pro},
	{Name: "list gzip, Pro key", Goal: 1.30, Subject: palmares, Base: bare, what: list, caller: pro, gzip: true, Short: true},
	{Name: "304 of a list, Pro key", Goal: 1.35, Subject: palmares, Base: bare, what: list, caller: pro, conditional: true},
	{Name: "429 of an exhausted address", Goal: 1.00, Subject: palmares, Base: bare, what: one, caller: exhausted},
	{Name: "one tool, Pro key", Goal: 2, Subject: palmares, Base: goPgx, what: one, caller: pro},
	{Name: "list raw, Pro key", Goal: 15, Subject: palmares, Base: goPgx, what: list, caller: pro},
	{Name: "one tool, Pro key", Goal: 5, Subject: palmares, Base: pocketBase, what: one, caller: pro},
	{Name: "list raw, Pro key", Goal: 50, Subject: palmares, Base: pocketBase, what: list, caller: pro},
	{Name: "one tool, Pro key", Subject: palmares, Base: nginx, what: one, caller: pro},
	{Name: "list raw, Pro key", Subject: palmares, Base: nginx, what: list, caller: pro},
	{Name: "one tool, Pro key", Subject: palmares, Base: layerOff, what: one, caller: pro, Short: true},
	{Name: "list raw, Pro key", Subject: palmares, Base: layerOff, what: list, caller: pro},
	{Name: "304 of a list, Pro key", Subject: palmares, Base: layerOff, what: list, caller: pro, conditional: true},
	{Name: "one tool, bare + INCR", Subject: bareIncr, Base: bare, what: one, caller: anonymous},
}

// chosen returns the classes that the command line asks for. Beside an older build these are each kind of request
// once, and a page.
func (o comparison) chosen() (list []class) {
	all := classes
	if o.older != "" {
		all = []class{{Name: "a cached page", Subject: palmares, Base: older, what: toolPage, caller: pro}}
		for _, c := range classes {
			c.Base, c.Goal = older, 0
			if c.Subject == palmares && !slices.ContainsFunc(all, func(o class) bool { return o.Name == c.Name }) {
				all = append(all, c)
			}
		}
	}
	only := must(regexp.Compile(o.only))
	for _, c := range all {
		if only.MatchString(c.Name+" / "+c.Base) && (c.Short || !o.short) {
			list = append(list, c)
		}
	}
	return list
}

// A result is what was measured of a class.
type result struct {
	class

	ours, base []slice
	repeated   int   // pairs that were measured again because Redis did not answer all charges in time
	err        error // why it could not be measured
}

// measureClasses measures classes and returns their table. If one fails, it still measures the others.
func (s *stand) measureClasses(ctx context.Context, o comparison) (text string, repeated int, failed error) {
	defer s.rewind(len(s.closers)) // the growth is measured alone
	f := s.newField(ctx, o.developers(), o.older)
	t := newTable("requests", "compared with", "goal", "rate", "CPU ratio", "CPU per request, ours / theirs", "goal met")
	for _, c := range o.chosen() {
		progress("%s / %s", c.Name, c.Base)
		r := f.measure(ctx, c, o.pairs)
		check(ctx.Err())
		t.add(r.row()...)
		repeated += r.repeated
		// A missed goal is no error. With -short, neither is a Redis that was too slow: CI machines are busy.
		if r.err != nil && (!o.short || !errors.Is(r.err, errUncharged)) {
			failed = errors.Join(failed, fmt.Errorf("%s / %s: not measured: %w", c.Name, c.Base, r.err))
		}
	}
	if f.beside != nil {
		f.heaps(ctx)
	}
	return t.String(), repeated, failed
}

// developers returns how many Developer accounts a class needs, at 1,000 requests a day each, and 60,000 requests a
// second at most.
func (o comparison) developers() int {
	n := max(200, (o.pairs+1)*sliceSeconds*60)
	if o.older != "" {
		n *= 2 // both builds charge the same accounts
	}
	return n
}

// measure compares the two servers of a class in pairs of slices, one slice for each server.
func (f *field) measure(ctx context.Context, c class, pairs int) result {
	r := result{class: c}
	for pair := 0; pair <= pairs && r.err == nil; pair++ {
		var sent []slice
		r.err = attempt(func() {
			l := f.load(c)
			sent = inTurn(pair,
				func() slice { return f.slice(ctx, c, f.server(ctx, c.Subject), l) },
				func() slice { return f.slice(ctx, c, f.server(ctx, c.Base), l) })
		})
		switch {
		case errors.Is(r.err, errUncharged) && r.repeated < pairs:
			progress("  again: %v", r.err)
			r.err = nil
			r.repeated++
			pair--
			time.Sleep(time.Second) // until the node uses Redis again
		case r.err == nil && pair > 0: // the first pair is a warm-up
			a, b := sent[0], sent[1]
			r.ours, r.base = append(r.ours, a), append(r.base, b)
			progress("  %d: %6.0f /s and %6.0f /s: %.2f; CPU %.1f µs and %.1f µs: %.2f",
				pair, a.rate, b.rate, a.rate/b.rate, a.cpu, b.cpu, b.cpu/a.cpu)
		}
	}
	return r
}

// load returns the requests of a class. If every request comes from another client, it uses addresses that no
// other pair has used.
func (f *field) load(c class) load {
	l := load{headers: []string{"Accept-Encoding: identity"}}
	if c.gzip {
		l.headers[0] = "Accept-Encoding: gzip"
	}
	if c.conditional {
		l.headers = append(l.headers, "If-None-Match: "+f.etag)
	}
	each := func(header string, values []string) {
		path := filepath.Join(f.dir, "clients")
		check(os.WriteFile(path, []byte(strings.Join(values, "\n")), 0o600))
		l.script, l.args = clientsLua, []string{header, path, strconv.Itoa(wrkThreads)}
	}
	switch c.caller {
	case anonymous:
		addresses := make([]string, 4000*sliceSeconds) // with 100 requests each, ten times what a slice can use
		for i := range addresses {
			f.addresses++
			addresses[i] = fmt.Sprintf("10.%d.%d.%d", f.addresses>>16&255, f.addresses>>8&255, f.addresses&255)
		}
		each("X-Forwarded-For", addresses)
	case developer:
		each("Authorization", f.bearers)
	case pro:
		l.headers = append(l.headers, "Authorization: Bearer "+f.node.pro)
	case exhausted:
		l.headers = append(l.headers, "X-Forwarded-For: 192.0.2.1")
	}
	return l
}

// row returns the result's row of the table.
func (r result) row() []string {
	goal, verdict := "", ""
	if r.Goal != 0 {
		goal, verdict = fmt.Sprintf("≥ %g", r.Goal), "no"
	}
	if r.err != nil {
		return []string{r.Name, r.Base, goal, "not measured: " + r.err.Error(), "", "", verdict}
	}
	var rates, cpus []float64
	for i, a := range r.ours {
		rates, cpus = append(rates, a.rate/r.base[i].rate), append(cpus, r.base[i].cpu/a.cpu)
	}
	rate, cpu := spreadOf(rates), spreadOf(cpus)
	if r.Goal != 0 && rate.Median >= r.Goal {
		verdict = "yes"
	}
	if r.Goal != 0 && math.Abs(rate.Median-r.Goal) < 0.08 { // a smaller difference proves nothing
		verdict += ", within the noise"
	}
	return []string{
		r.Name, r.Base, goal, fmt.Sprintf("**%s** (%s)", ratio(rate.Median), rate), fmt.Sprintf("%s (%s)", ratio(cpu.Median), cpu),
		micro(cpuOf(r.ours).Median) + " / " + micro(cpuOf(r.base).Median) + " µs", verdict,
	}
}

// heaps prints the live heaps of this build and the older one, in turn.
func (f *field) heaps(ctx context.Context) {
	var ours, theirs []float64
	for range 5 {
		ours, theirs = append(ours, f.node.liveHeap(ctx)), append(theirs, f.beside.liveHeap(ctx))
	}
	newTable("", "this build", older).add("live heap",
		fmt.Sprintf("%.1f MB (%s)", spreadOf(ours).Median, spreadOf(ours)), fmt.Sprintf("%.1f MB (%s)", spreadOf(theirs).Median, spreadOf(theirs)))
}
