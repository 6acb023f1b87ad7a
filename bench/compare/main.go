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
	"strings"
	"syscall"
	"time"
)

func main() {
	o, err := parseOptions()
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, o)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func parseOptions() (o options, err error) {
	flag.IntVar(&o.pairs, "pairs", 8, "pairs of slices per class")
	flag.DurationVar(&o.slice, "slice", time.Second, "length of a slice")
	only := flag.String("only", "", "measure only the classes whose name, such as one tool, Pro key / PocketBase, matches this regular expression")
	flag.BoolVar(&o.short, "short", false, "for CI: some classes, briefly, to see that all of this works; write nothing")
	flag.BoolVar(&o.growth, "growth", true, "follow the costs over catalogs of 1,000 to 100,000 tools")
	flag.StringVar(&o.out, "out", "", "directory to write the report to (docs, or nothing with -only and -short)")
	flag.StringVar(&o.palmares, "palmares", "", "a palmares that was built before; built from this tree by default")
	flag.BoolVar(&o.floods, "floods", false, "measure what floods cost, instead of all else, and write floods.md")
	flag.StringVar(&o.older, "older", "", "a palmares of before: compare with it instead of with others, and write nothing; with -floods: what floods cost it")
	flag.IntVar(&o.tools, "tools", 100_000, "with -floods: the size of the catalog")
	flag.Parse()
	if o.pairs < 1 || o.slice < 100*time.Millisecond {
		return o, errors.New("-pairs is 1 at least and -slice 100ms")
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only: %w", err)
	}
	switch {
	case o.short:
		// Use whole seconds: for anything less wrk has to be interrupted, and on a busy machine it may not
		// handle the signal yet.
		o.plan = plan{pairs: 2, slice: time.Second}
		o.growth, o.out, o.tools = false, "", 2_000
	case o.older != "" && !o.floods:
		o.growth, o.out = false, ""
	case o.out == "" && *only == "":
		o.out = "docs"
	}
	return o, nil
}

// chosen returns the classes that the options ask for.
func (o options) chosen() []class {
	all := classes
	if o.older != "" {
		all = besideOlder()
	}
	var list []class
	for _, c := range all {
		if o.only.MatchString(c.label()) && (c.Short || !o.short) {
			list = append(list, c)
		}
	}
	return list
}

func run(ctx context.Context, o options) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		return errors.New("wrk is missing: apt-get install wrk")
	}
	s, err := newStand(ctx, root, o.palmares)
	if err != nil {
		return err
	}
	defer s.close()

	if o.floods {
		return floods(ctx, s, root, o)
	}
	r := report{Pairs: o.pairs, Slice: o.slice, Tools: classTools, Machine: machineOf(ctx)}
	if r.Results, err = s.measureClasses(ctx, o); err != nil {
		return err
	}
	fmt.Printf("%d batches of traces were taken\n", s.batches.Load())
	var incomplete error // what was measured so far is still written
	if o.growth {
		r.Growth, incomplete = s.measureGrowth(ctx, o.slice)
	}
	if o.out != "" && ctx.Err() == nil {
		if err := r.write(root, o.out); err != nil {
			return err
		}
		fmt.Println("written:", filepath.Join(o.out, "performance.md"), filepath.Join(o.out, "performance.svg"))
	}
	return errors.Join(incomplete, r.verdict(o.short))
}

// measureClasses measures the chosen classes. If one fails, it still measures the others.
func (s *stand) measureClasses(ctx context.Context, o options) ([]result, error) {
	chosen := o.chosen()
	if len(chosen) == 0 {
		return nil, nil
	}
	defer s.mark()() // the growth is measured alone
	developers := 0
	for _, c := range chosen {
		if c.caller == developer {
			developers = o.developers()
			if o.older != "" {
				developers *= 2 // both builds charge the same accounts
			}
		}
	}
	f, err := s.newField(ctx, developers)
	if err != nil {
		return nil, err
	}
	f.older = o.older
	var results []result
	for _, c := range chosen {
		fmt.Println(c.label())
		r := f.measure(ctx, c, o.plan)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if r.Err != nil {
			fmt.Println("  not measured:", r.Err)
		} else {
			fmt.Printf("  rate %.2f (%.2f to %.2f), CPU %.2f (%.2f to %.2f)\n",
				r.Rate.Median, r.Rate.Q1, r.Rate.Q3, r.CPU.Median, r.CPU.Q1, r.CPU.Q3)
		}
		results = append(results, r)
	}
	return results, nil
}

// verdict returns an error if a class could not be measured. A missed goal is no error: it is in the report.
// With short, neither is a class for which Redis was too slow, because CI machines are busy.
func (r report) verdict(short bool) error {
	var errs []error
	for _, m := range r.Results {
		if m.Err != nil && (!short || !errors.Is(m.Err, errUncharged)) {
			errs = append(errs, fmt.Errorf("%s: not measured: %w", m.label(), m.Err))
		}
	}
	return errors.Join(errs...)
}

// moduleRoot returns the root of the source tree that contains the working directory.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	path := strings.TrimSpace(string(out))
	if err != nil || filepath.Base(path) != "go.mod" {
		return "", fmt.Errorf("run this within the source tree: %w", err)
	}
	return filepath.Dir(path), nil
}
