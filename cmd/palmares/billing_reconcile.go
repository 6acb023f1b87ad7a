package main

import (
	"context"
	"fmt"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/services"
)

type billingReconcile struct {
	DryRun bool `help:"Print what differs and fix nothing."`
	JSON   bool `help:"Print the report as JSON."`
}

// Help is shown by palmares billing reconcile --help.
func (billingReconcile) Help() string {
	return `A worker does this every day by itself. Plans that you assigned are never changed. Exit
status 1 when the provider does not answer, or something could not be fixed.`
}

func (c *billingReconcile) Run(ctx context.Context, con *console) error {
	return withBilling(ctx, func(s *services.Services) error {
		report, err := s.Reconcile(ctx, c.DryRun)
		if err != nil {
			return err
		}
		if c.JSON {
			err = con.json(shownReport(report))
		} else {
			err = printReport(con, report)
		}
		if err != nil {
			return err
		}
		failed := 0
		for _, f := range report.Findings {
			if f.Err != nil {
				failed++
				fmt.Fprintf(con.err, "palmares: %s %s: %v\n", f.Kind, orNone(f.Account), f.Err)
			}
		}
		if failed > 0 {
			return errReported
		}
		return nil
	})
}

// printReport prints findings as a table, and what they amount to.
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
