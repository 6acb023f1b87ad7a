// Command mailbox receives the mail of make dev and shows it on a page. Nothing leaves the machine,
// and nothing is stored.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/palmares-hq/palmares/internal/mail/mailbox"
)

// keep is how many mails the page shows.
const keep = 100

func main() {
	smtp := flag.String("smtp", "127.0.0.1:1025", "where mail is received")
	listen := flag.String("listen", "127.0.0.1:8025", "where it is shown")
	parent := flag.Bool("with-parent", false, "end when the process that started this one has ended")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *parent {
		go func() { waitForParent(ctx); stop() }()
	}
	ready := func(smtp, page string) { fmt.Printf("mail to smtp://%s is shown on http://%s\n", smtp, page) }
	if err := run(ctx, *smtp, *listen, ready); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "mailbox:", err)
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

// run serves until ctx ends. It calls ready with both addresses once it listens on them.
func run(ctx context.Context, smtp, listen string, ready func(smtp, page string)) error {
	box, err := mailbox.Start(ctx, smtp, keep)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return errors.Join(fmt.Errorf("listening for browsers: %w", err), box.Close())
	}
	server := &http.Server{Handler: handler(box), ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	ready(box.Addr, listener.Addr().String())
	select {
	case err = <-served:
	case <-ctx.Done():
		err = server.Close()
		<-served // http.ErrServerClosed
	}
	return errors.Join(err, box.Close())
}

// waitForParent waits until the parent process has ended, which gives this process another parent, or until ctx
// ends.
func waitForParent(ctx context.Context) {
	parent := os.Getppid()
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}
