package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/services"
)

type billingCheck struct {
	JSON bool `help:"Print the lines as JSON."`
}

// Help is shown by palmares billing check --help.
func (billingCheck) Help() string {
	return `It asks for each setting of the nine steps of docs/operations/billing.md, and changes
nothing. A line is right, wrong, or unseen: some settings no key can see, and a restricted key sees what it
was given. Exit status 1 when a line is wrong or the provider does not answer.`
}

func (c *billingCheck) Run(ctx context.Context, con *console) error {
	return withAnyKey(ctx, func(s *services.Services) error {
		lines, err := s.CheckSetup(ctx, time.Now())
		if err != nil {
			return err
		}
		count := make(map[billing.Verdict]int)
		rows := [][]string{{"STEP", "WHAT", "", ""}}
		shown := make([]lineJSON, 0, len(lines))
		for _, l := range lines {
			count[l.Verdict]++
			rows = append(rows, []string{strconv.Itoa(l.Step), l.What, string(l.Verdict), l.Detail})
			shown = append(shown, lineJSON{l.Step, l.What, string(l.Verdict), l.Detail})
		}
		if c.JSON {
			err = con.json(shown)
		} else {
			err = con.table(rows)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(con.err, "%d right, %d wrong, %d unseen\n", count[billing.Right], count[billing.Wrong], count[billing.Unseen])
		if count[billing.Wrong] > 0 {
			return errReported
		}
		return nil
	})
}

// lineJSON is how --json shows a line.
type lineJSON struct {
	Step    int    `json:"step"`
	What    string `json:"what"`
	Verdict string `json:"verdict"`
	Detail  string `json:"detail"`
}
