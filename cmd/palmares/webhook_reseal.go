package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

type webhookReseal struct {
	Force bool `help:"PALMARES_SECRET is the secret from now on, although it opens nothing: the one before is lost."`
}

// Help is shown by palmares webhook reseal --help.
func (webhookReseal) Help() string {
	return `The secrets of endpoints are sealed with PALMARES_SECRET. To change it: give all nodes the new one, and the one before as
PALMARES_SECRET_PREVIOUS; run this with both; then take PALMARES_SECRET_PREVIOUS away. Nodes may run all the time.

An old secret of a rotation that cannot be opened is dropped. An endpoint whose secret cannot be opened is left as it is: nothing is
delivered to it, and nothing is missed, until palmares webhook rotate gives it another. If there is one the exit status is 1.`
}

func (c *webhookReseal) Run(ctx context.Context, con *console) error {
	cfg, err := config.ReadWebhooks(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	box, err := newBox(cfg)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return withDatabase(ctx, func(db *postgres.DB) error {
		done, err := webhook.Reseal(ctx, db, box, time.Now(), c.Force)
		if err != nil {
			if done.Changed > 0 {
				err = fmt.Errorf("%d endpoints are resealed, others are not: run it again (%w)", done.Changed, err)
			}
			return err
		}
		sealed := done.Endpoints - len(done.Unreadable)
		fmt.Fprintf(con.err, "%d of %d endpoints are sealed with PALMARES_SECRET, %d of them anew\n", sealed, done.Endpoints, done.Changed)
		if len(done.Dropped) > 0 {
			fmt.Fprintf(con.err, "the old secrets of these could not be opened, and sign no more: %s\n", strings.Join(done.Dropped, " "))
		}
		if len(done.Unreadable) == 0 {
			fmt.Fprintln(con.err, "PALMARES_SECRET_PREVIOUS is not needed any more")
			return nil
		}
		fmt.Fprintf(con.err, "the secrets of these cannot be opened: palmares webhook rotate, or set the PALMARES_SECRET_PREVIOUS that sealed them: %s\n",
			strings.Join(done.Unreadable, " "))
		return errReported
	})
}
