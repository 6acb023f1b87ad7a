package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/webhook"
)

type webhookReplay struct {
	ID       string `arg:"" help:"The endpoint."`
	Delivery string `placeholder:"MSG" help:"Only this delivery."`
	From     *int64 `placeholder:"SEQ" help:"The first event."`
	To       *int64 `placeholder:"SEQ" help:"The last event."`
	Failed   bool   `help:"Every delivery that failed, even those that would be retried."`
	Since    period `placeholder:"2h" help:"How far back to look for failed deliveries: 90m, 2h, 3d."`
}

// Help is shown by palmares webhook replay --help.
func (webhookReplay) Help() string {
	return `Events can be replayed for 30 days, 10,000 at a time. A delivery keeps its webhook-id,
so that a receiver recognises what it has seen.`
}

// A period is a duration that can also be written in days.
type period time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *period) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 12)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a period: write it as 90m, 2h or 3d", text)
	}
	*p = period(d)
	return nil
}

// check returns an error if the options do not go together.
func (c *webhookReplay) check() error {
	asked := 0
	for _, given := range []bool{c.Delivery != "", c.From != nil || c.To != nil, c.Failed || c.Since != 0} {
		if given {
			asked++
		}
	}
	switch {
	case asked == 0:
		return errors.New("say what to replay: --delivery MSG, --from SEQ --to SEQ, or --failed --since 2h")
	case asked > 1:
		return errors.New("replay one thing at a time: --delivery MSG, --from SEQ --to SEQ, or --failed --since 2h")
	case c.Delivery != "":
		return nil
	case c.Failed != (c.Since != 0):
		return errors.New("--failed and --since go together: --failed --since 2h")
	case c.Failed:
		return nil
	case c.From == nil || c.To == nil:
		return errors.New("--from and --to go together: the first and the last event, which may be the same")
	case *c.From < 1:
		return fmt.Errorf("--from %d: the first event of the log is 1", *c.From)
	case *c.From > *c.To:
		return fmt.Errorf("--from %d is after --to %d: the first event comes first", *c.From, *c.To)
	}
	return nil
}

func (c *webhookReplay) Run(ctx context.Context, con *console) error {
	if err := c.check(); err != nil {
		return err
	}
	return withServices(ctx, func(s *services.Services) error {
		n, err := c.replay(ctx, s.Endpoints)
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "%d to be delivered again\n", n)
		return nil
	})
}

func (c *webhookReplay) replay(ctx context.Context, endpoints *webhook.Endpoints) (int, error) {
	switch {
	case c.Failed:
		return endpoints.ReplayFailed(ctx, account.Operator(), c.ID, time.Duration(c.Since))
	case c.Delivery == "":
		return endpoints.ReplayRange(ctx, account.Operator(), c.ID, *c.From, *c.To)
	}
	return 1, endpoints.ReplayDelivery(ctx, account.Operator(), c.ID, c.Delivery)
}
