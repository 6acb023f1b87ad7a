package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// commands are what the program does. Each declares its flags, and returns what to do once they are parsed.
var commands = []struct {
	name, does string
	flags      func(*flag.FlagSet) func(context.Context)
}{
	{"compare", "measure requests beside other servers, and over catalogs that grow (docs/performance.md)", compareCommand},
	{"floods", "measure what floods cost, beside an older build (docs/floods.md)", floodsCommand},
	{"search", "measure the search index (docs/search.md)", searchCommand},
	{"load", "send requests to a node at a steady rate, and tell how it felt swaps of editions", loadCommand},
	{"receiver", "receive webhooks on many loopback addresses, and tell when they arrived", receiverCommand},
	{"endpoints", "create the endpoints that deliver to the receiver", endpointsCommand},
	{"bare", "the bare server that compare measures against", bareCommand},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // the signals matter no more
	}
}

func run(ctx context.Context, args []string) error {
	for _, c := range commands {
		if len(args) == 0 || args[0] != c.name {
			continue
		}
		flags := flag.NewFlagSet("bench "+c.name, flag.ExitOnError)
		do := c.flags(flags)
		flags.Parse(args[1:]) //nolint:errcheck,gosec // it exits
		if flags.NArg() > 0 {
			return fmt.Errorf("%s takes flags only, not %q", c.name, flags.Args())
		}
		return attempt(func() { do(ctx) })
	}
	for _, c := range commands {
		progress("  %-10s %s", c.name, c.does)
	}
	return errors.New("which of these?")
}
