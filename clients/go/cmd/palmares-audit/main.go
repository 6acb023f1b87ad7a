// Palmares-audit says which dependencies of a project are tools that are retired, will end or have become dearer.
//
// It reads manifests and locks, downloads the catalogue's file of identifiers, and compares the two on this machine: no
// list of dependencies leaves it. README.md beside it says more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// version is that of the release; the linker sets it.
var version = "devel"

// The exits.
const (
	clean = iota
	found
	fault
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	url, folder, format, failOn, settings, baseline string
	today                                           string
	all, accept, offline                            bool
	files                                           []string
	named                                           bool // --settings is given
}

func parse(args []string, help io.Writer) (o options, err error) {
	f := flag.NewFlagSet("palmares-audit", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.url, "url", os.Getenv("PALMARES_API_URL"), "the `address` of the service (PALMARES_API_URL)")
	f.StringVar(&o.failOn, "fail-on", "retired,ending:180d", "the `rules` by which a dependency fails, such as retired,ending:180d,dearer:20%,low_score:5; with none, nothing fails")
	f.StringVar(&o.format, "format", "text", "text, json, markdown, github, gitlab or sarif")
	f.StringVar(&o.settings, "settings", "palmares-audit.json", "the `file` of what is ignored")
	f.StringVar(&o.baseline, "baseline", "", "report what has changed since this `file` was written")
	f.BoolVar(&o.accept, "accept", false, "write what is found to the baseline, and fail for nothing")
	f.BoolVar(&o.all, "all", false, "fail for transitive dependencies, too")
	f.BoolVar(&o.offline, "offline", false, "use the catalogue of the cache, and ask nobody")
	f.StringVar(&o.folder, "cache", "", "the `folder` of the cache")
	f.StringVar(&o.today, "today", time.Now().UTC().Format(time.DateOnly), "the `day` to count from, in UTC")
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				fmt.Fprintf(help, "palmares-audit [option…] [file…]\n\nWithout files it reads those of %s that are there; - is a plain list on the standard input.\n"+
					"A key in PALMARES_API_KEY is used. The exit is 0, 1 if there are findings, 2 after a fault.\n\n", strings.Join(usual, ", "))
				f.SetOutput(help)
				f.PrintDefaults()
			}
			return o, err
		}
		if args = f.Args(); len(args) > 0 { // options may follow files
			o.files, args = append(o.files, args[0]), args[1:]
		}
	}
	f.Visit(func(g *flag.Flag) { o.named = o.named || g.Name == "settings" })
	_, known := formats[o.format]
	switch {
	case !known:
		return o, fmt.Errorf("--format: %q is none of text, json, markdown, github, gitlab and sarif", o.format)
	case !day(o.today).valid():
		return o, errors.New("--today: write a day such as 2026-11-16")
	case o.accept && o.baseline == "":
		return o, errors.New("--accept: say into which file by --baseline=FILE")
	}
	return o, nil
}

// run audits, and returns the exit.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	exit, err := do(ctx, args, out, errs)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return clean
	case err != nil:
		fmt.Fprintln(errs, "palmares-audit:", printable(strings.TrimPrefix(err.Error(), "palmares: ")))
		return fault
	}
	return exit
}

func do(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	say := func(note string) { fmt.Fprintln(errs, "palmares-audit:", printable(note)) }
	o, err := parse(args, out)
	if err != nil {
		return fault, err
	}
	a := audit{today: day(o.today), all: o.all}
	if a.rules, err = parseRules(o.failOn); err != nil {
		return fault, err
	}
	if a.ignores, err = readIgnores(o.settings, o.named); err != nil {
		return fault, err
	}
	if o.baseline != "" && !o.accept {
		if a.baseline, err = readBaseline(o.baseline); err != nil {
			return fault, err
		}
	}
	p, err := readProject(o.files)
	if err != nil {
		return fault, err
	}
	for _, note := range p.notes {
		say(note)
	}
	list := p.distinct()
	v := verdict{today: a.today}
	if len(list) > 0 {
		s, err := newSource(o.url, os.Getenv("PALMARES_API_KEY"), o.folder, o.offline)
		if err != nil {
			return fault, err
		}
		c, note, err := s.load(ctx)
		if err != nil {
			return fault, err
		}
		if note != "" {
			say(note)
		}
		if v, err = a.judge(p, list, c); err != nil {
			return fault, err
		}
	}
	for _, i := range a.ignores {
		switch {
		case i.used && i.Until < a.today:
			say(fmt.Sprintf("%s was ignored until %s: %s", i.ID, i.Until.words(), i.Reason))
		case !i.used:
			say(fmt.Sprintf("nothing is found of %s, which is ignored: remove it from %s", i.ID, o.settings))
		}
	}
	format := formats[o.format]
	if err := format.write(out, v, colours(out)); err != nil {
		return fault, err
	}
	last := "there is nothing to check: no dependency is named"
	if len(list) > 0 {
		last = v.last()
	}
	if format.program {
		out = errs
	}
	fmt.Fprintln(out, last)
	switch {
	case o.accept:
		return clean, v.baseline.write(o.baseline)
	case v.direct.failing > 0:
		return found, nil
	}
	return clean, nil
}

// colours reports whether a report goes to a terminal of somebody who has nothing against colours.
func colours(out io.Writer) bool {
	f, is := out.(*os.File)
	if !is || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
