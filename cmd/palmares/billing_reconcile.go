package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/services"
)

type billingReconcile struct {
	DryRun      bool `help:"Print what differs and fix nothing."`
	AllowLosses int  `placeholder:"N" help:"Take Pro from up to N accounts that pay for it. Unasked it is 3, or 5 % of them."`
	JSON        bool `help:"Print the report as JSON."`
}

// Help is shown by palmares billing reconcile --help.
func (billingReconcile) Help() string {
	return `A worker does this every day by itself. Plans that you assigned are never changed. A run
that would take Pro from more than 3, or 5 %, of those who pay for it changes nothing: such a
difference is more likely a wrong key or price. --allow-losses says that it is right.

Exit status 1 when the provider does not answer, the key is one of another account than the
customers are of, too many would lose Pro, or something could not be fixed.`
}

func (c *billingReconcile) Run(ctx context.Context, con *console) error {
	return withBilling(ctx, func(s *services.Services) error {
		report, err := s.Reconcile(ctx, billing.Run{DryRun: c.DryRun, AllowLosses: c.AllowLosses})
		return tellReport(con, report, err, c.JSON)
	})
}

// tellReport prints the report of a run that was completed or stopped for too many losses, and the repairs that
// failed. It returns any other error unchanged.
func tellReport(con *console, report billing.Report, failed error, asJSON bool) error {
	unrepaired := slices.ContainsFunc(report.Findings, func(f billing.Finding) bool { return f.Err != nil })
	tooMany := errors.Is(failed, billing.ErrLosses)
	if failed != nil && !unrepaired && !tooMany {
		return failed
	}
	show := printReport
	if asJSON {
		show = func(con *console, r billing.Report) error { return con.json(shownReport(r)) }
	}
	if err := show(con, report); err != nil {
		return err
	}
	for _, f := range report.Findings {
		if f.Err != nil {
			fmt.Fprintf(con.err, "palmares: %s %s: %v\n", f.Kind, orNone(f.Account), f.Err)
		}
	}
	switch {
	case tooMany:
		return failed
	case unrepaired:
		return errReported
	}
	return nil
}

// printReport prints the findings as a table, after a summary.
func printReport(con *console, r billing.Report) error {
	mended := 0
	rows := [][]string{{"WHAT", "ACCOUNT", "SUBSCRIPTION", "WAS", "IS", "MENDED"}}
	for _, f := range r.Findings {
		answer := "no"
		if f.Repaired {
			answer = "yes"
			mended++
		}
		rows = append(rows, []string{string(f.Kind), orNone(f.Account), orNone(f.Subscription), f.Was, f.Is, answer})
	}
	fmt.Fprintf(con.err, "%d %s at the provider, %d %s here: ",
		r.Subscriptions, plural(r.Subscriptions, "subscription", "subscriptions"), r.Customers, plural(r.Customers, "customer", "customers"))
	switch {
	case len(r.Findings) == 0:
		fmt.Fprintln(con.err, "nothing differs")
		return nil
	case r.DryRun:
		fmt.Fprintf(con.err, "%d %s; nothing was fixed\n", len(r.Findings), plural(len(r.Findings), "finding", "findings"))
	default:
		fmt.Fprintf(con.err, "%d %s, %d fixed\n", len(r.Findings), plural(len(r.Findings), "finding", "findings"), mended)
	}
	return con.table(rows)
}

// reportJSON is how --json shows a reconciliation.
type reportJSON struct {
	DryRun        bool          `json:"dry_run"`
	Subscriptions int           `json:"subscriptions"`
	Customers     int           `json:"customers"`
	Findings      []findingJSON `json:"findings"`
}

type findingJSON struct {
	Kind         string `json:"kind"`
	Account      string `json:"account"`
	Subscription string `json:"subscription"`
	Was          string `json:"was"`
	Is           string `json:"is"`
	Repaired     bool   `json:"mended"`
	Error        string `json:"error,omitempty"`
}

func shownReport(r billing.Report) reportJSON {
	shown := reportJSON{
		DryRun: r.DryRun, Subscriptions: r.Subscriptions, Customers: r.Customers, Findings: []findingJSON{},
	}
	for _, f := range r.Findings {
		one := findingJSON{
			Kind: string(f.Kind), Account: f.Account, Subscription: f.Subscription, Was: f.Was, Is: f.Is, Repaired: f.Repaired,
		}
		if f.Err != nil {
			one.Error = f.Err.Error()
		}
		shown.Findings = append(shown.Findings, one)
	}
	return shown
}
