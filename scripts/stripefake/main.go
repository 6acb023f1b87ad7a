// Command stripefake stands in for Stripe on this machine, for browser tests and for trying checkout by hand.
// Nothing is paid, and nothing is stored. Like the service, it reads PALMARES_STRIPE_KEY,
// PALMARES_STRIPE_WEBHOOK_SECRET and PALMARES_STRIPE_PRICE. It makes up those that are not set, and prints them
// all.
//
// A script triggers events with POST /_control/{verb}?customer=ID or ?email=ADDRESS, for the newest
// subscription: period-end, which leaves a draft for an hour; charge for the end of that hour; renew for both;
// expire-card, fail-payment, authenticate, pay, give-up, end, portal-end; refuse-vat for a VAT number that the
// register does not know; and settle or bounce for a delayed payment. After POST /_control/away?on=true, no
// request is answered any more. GET /_control/state returns everything that is known.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:12111", "where calls and browsers are answered")
	events := flag.String("events", "", "where events are sent, such as http://127.0.0.1:8080/stripe/events")
	parent := flag.Bool("with-parent", false, "end when the process that started this one has ended")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *parent {
		go func() { waitForParent(ctx); stop() }()
	}
	options := stripefake.Options{
		Key:      os.Getenv("PALMARES_STRIPE_KEY"),
		Secret:   os.Getenv("PALMARES_STRIPE_WEBHOOK_SECRET"),
		Price:    os.Getenv("PALMARES_STRIPE_PRICE"),
		Endpoint: *events,
	}
	if err := run(ctx, *listen, options, tell); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "stripefake:", err)
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

// tell prints the settings that the service needs. The secrets are worth nothing elsewhere.
func tell(s *stripefake.Server) {
	fmt.Printf("PALMARES_STRIPE_URL=%s\nPALMARES_STRIPE_KEY=%s\nPALMARES_STRIPE_WEBHOOK_SECRET=%s\nPALMARES_STRIPE_PRICE=%s\n",
		s.URL, s.Key, s.Secret, s.Price)
}

// run serves until ctx ends. It calls ready once it listens.
func run(ctx context.Context, listen string, o stripefake.Options, ready func(*stripefake.Server)) error {
	s, err := stripefake.Start(ctx, listen, o)
	if err != nil {
		return err
	}
	ready(s)
	<-ctx.Done()
	return s.Close()
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
