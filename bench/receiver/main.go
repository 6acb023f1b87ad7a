// Command receiver is the other end of webhooks under load: it receives deliveries on many loopback addresses,
// misbehaves as told, and reports when they arrived. It also creates the endpoints that deliver to it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "receiver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do: serve, or endpoints")
	}
	flags := flag.NewFlagSet(args[0], flag.ExitOnError)
	var at addresses
	flags.IntVar(&at.hosts, "hosts", 1000, "how many addresses: endpoints are at different servers, as a rule")
	flags.IntVar(&at.port, "port", 18090, "the port")
	secrets := flags.String("secrets", "", "the file of lines with a path and the secret of its endpoint")
	switch args[0] {
	case "serve":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return serve(ctx, at, *secrets)
	case "endpoints":
		e := endpoints{at: at}
		flags.IntVar(&e.n, "n", 10_000, "how many endpoints")
		flags.StringVar(&e.kind, "kind", "ok", "how the receiver treats them: ok, fail-30, reset-30 (percent), hang")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		e.at = at
		return e.create(ctx, *secrets)
	}
	return fmt.Errorf("%q is not something to do: serve, or endpoints", args[0])
}

// addresses are those of the receiver, from 127.1.0.1 on.
type addresses struct{ hosts, port int }

// of returns the address of an endpoint.
func (a addresses) of(endpoint int) string {
	i := endpoint % a.hosts
	return fmt.Sprintf("127.1.%d.%d:%d", i/250, 1+i%250, a.port)
}

// serve receives until ctx is done.
func serve(ctx context.Context, at addresses, secrets string) error {
	r := newReceiver()
	if secrets != "" {
		if err := r.readSecrets(secrets); err != nil {
			return err
		}
	}
	server := &http.Server{
		Handler: r, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    log.New(os.Stderr, "", 0),
	}
	failed := make(chan error, at.hosts)
	for i := range at.hosts {
		var lc net.ListenConfig
		l, err := lc.Listen(ctx, "tcp", at.of(i))
		if err != nil {
			return errors.Join(err, server.Close())
		}
		go func() { failed <- server.Serve(l) }()
	}
	select {
	case err := <-failed:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
		return server.Close()
	}
}
