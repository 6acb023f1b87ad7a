package main

import (
	"context"
	"fmt"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/services"
)

type billingAdopt struct {
	DryRun      bool `help:"Print what would change and change nothing."`
	AllowLosses int  `placeholder:"N" help:"Take Pro from up to N accounts that pay for it. Unasked it is 3, or 5 % of them."`
	JSON        bool `help:"Print the report as JSON."`
}

// Help is shown by palmares billing adopt --help.
func (billingAdopt) Help() string {
	return `Nodes and commands refuse a key of another account at the provider, or of the other mode,
than the customers are of. This moves the customers to the account of the key, on purpose: after a
move to another account, or from test mode to live mode. Stop the workers that have the former key
first, and start nodes with the new one after.

Whoever has a subscription at the new account, or is known there, stays a customer. Of all others
what the former account said is forgotten: they are on Developer. Nothing is changed at either
account: end at the former one what still runs there.

It ends as palmares billing reconcile does when too many would lose Pro.`
}

func (c *billingAdopt) Run(ctx context.Context, con *console) error {
	return withBilling(ctx, func(s *services.Services) error {
		a, err := s.Adopt(ctx, billing.Run{DryRun: c.DryRun, AllowLosses: c.AllowLosses})
		from := "no account"
		if !a.From.Since.IsZero() {
			from = a.From.Account.String()
		}
		if err == nil && !a.From.Since.IsZero() && a.From.Account == a.To {
			fmt.Fprintf(con.err, "the customers are of %s already\n", a.To)
			return nil
		}
		if a.To.ID != "" {
			fmt.Fprintf(con.err, "from %s to %s\n", from, a.To)
		}
		return tellReport(con, a.Report, err, c.JSON)
	})
}
