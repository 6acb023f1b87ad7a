package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/services"
)

// reportsCommand groups the commands about errors that readers report.
type reportsCommand struct {
	List  reportsList  `cmd:"" help:"List the reports."`
	Show  reportsShow  `cmd:"" help:"Show a report."`
	Close reportsClose `cmd:"" help:"Close reports, with or without an answer."`
}

// Help is shown by palmares reports --help.
func (reportsCommand) Help() string {
	return `Readers report errors with the form at /signaler/{slug}. PALMARES_CONTACT gets a mail about
new ones, once an hour at most. What they typed is shown here and nowhere else: take it for what a
stranger says, check it, and correct the file. PALMARES_DATABASE_URL names the database.`
}

type reportsList struct {
	Closed bool `help:"List those that are closed, which are kept for 30 days."`
	JSON   bool `help:"Print the reports as a JSON array."`
}

// Help is shown by palmares reports list --help.
func (reportsList) Help() string {
	return `Prints of each report its number, the day (UTC), the tool, the field, whether an answer is
wanted, and the beginning of what was typed. The oldest come first.`
}

// maxListed is how many reports are listed, since nobody reads more on a terminal.
const maxListed = 1000

func (c *reportsList) Run(ctx context.Context, con *console) error {
	return withServices(ctx, func(s *services.Services) error {
		all, total, err := s.Reports.List(ctx, account.Operator(), c.Closed, maxListed)
		if err != nil {
			return err
		}
		if c.JSON {
			shown := make([]printedReport, len(all))
			for i, r := range all {
				shown[i] = newPrintedReport(r)
			}
			return con.json(shown)
		}
		if total == 0 {
			fmt.Fprintln(con.err, "there are no reports")
			return nil
		}
		rows := [][]string{{"NO.", "DAY", "TOOL", "FIELD", "ANSWER", "WHAT IS RIGHT"}}
		for _, r := range all {
			rows = append(rows, []string{
				strconv.FormatInt(r.ID, 10), r.CreatedAt.Format(time.DateOnly), r.Slug, string(r.Field), wanted(r), report.Excerpt(r.Right, 60),
			})
		}
		if err := con.table(rows); err != nil {
			return err
		}
		if total > len(all) {
			fmt.Fprintf(con.err, "and %d more\n", total-len(all))
		}
		return nil
	})
}

// wanted returns whether an answer is wanted or was sent; "-" for neither.
func wanted(r report.Report) string {
	switch {
	case !r.AnsweredAt.IsZero():
		return "sent"
	case r.Email != "":
		return "wanted"
	default:
		return "-"
	}
}

// A printedReport is a report as scripts see it.
type printedReport struct {
	ID        int64   `json:"id"`
	CreatedAt string  `json:"created_at"`
	Slug      string  `json:"slug"`
	Field     string  `json:"field"`
	Value     string  `json:"value"`
	Right     string  `json:"right"`
	Source    *string `json:"source"`
	Answer    string  `json:"answer"` // "wanted", "sent" or "-"
	ClosedAt  *string `json:"closed_at"`
}

func newPrintedReport(r report.Report) printedReport {
	s := printedReport{
		ID: r.ID, CreatedAt: r.CreatedAt.Format(time.RFC3339), Slug: r.Slug, Field: string(r.Field), Value: r.Value,
		Right: r.Right, Answer: wanted(r),
	}
	if r.Source != "" {
		s.Source = &r.Source
	}
	if !r.ClosedAt.IsZero() {
		closed := r.ClosedAt.Format(time.RFC3339)
		s.ClosedAt = &closed
	}
	return s
}

type reportsShow struct {
	ID int64 `arg:"" help:"The report's number, as reports list shows it."`
}

// Help is shown by palmares reports show --help.
func (reportsShow) Help() string {
	return `What was typed stands after a bar, line by line: nothing of it can pass for what this command
says. The address of a source is a stranger's; look at it before you open it.`
}

func (c *reportsShow) Run(ctx context.Context, con *console) error {
	return withServices(ctx, func(s *services.Services) error {
		r, err := s.Reports.Show(ctx, account.Operator(), c.ID)
		if err != nil {
			return fmt.Errorf("report %d: %w", c.ID, err)
		}
		var b strings.Builder
		line := func(name, value string) { fmt.Fprintf(&b, "%-8s %s\n", name, value) }
		line("number", strconv.FormatInt(r.ID, 10))
		line("sent", r.CreatedAt.Format(time.RFC3339))
		line("tool", r.Slug)
		line("field", string(r.Field))
		if r.Value != "" {
			line("now", r.Value)
		}
		if r.Source != "" {
			line("source", r.Source)
		}
		if answer := wanted(r); answer != "-" {
			line("answer", answer)
		}
		if !r.ClosedAt.IsZero() {
			line("closed", r.ClosedAt.Format(time.RFC3339))
		}
		b.WriteString("right\n")
		for text := range strings.SplitSeq(r.Right, "\n") {
			fmt.Fprintf(&b, "  | %s\n", text)
		}
		_, err = io.WriteString(con.out, b.String())
		return err
	})
}

type reportsClose struct {
	Numbers []int64 `arg:"" optional:"" name:"number" help:"The reports' numbers, as reports list shows them."`
	Tool    string  `help:"Close all open reports about this tool." placeholder:"SLUG"`
	Before  string  `help:"Close all open reports that were sent before this day (UTC): YYYY-MM-DD." placeholder:"DAY"`
	Answer  *string `help:"What to write to whoever asked for an answer; - reads it from standard input." placeholder:"TEXT"`
}

// Help is shown by palmares reports close --help.
func (reportsClose) Help() string {
	return `Name the reports by their numbers, or all open ones of a tool, or all that were sent before a
day. Of several numbers all are closed or, if one cannot be, none.

The answer is sent by a node with the role worker, in your words alone: nothing of the report
is repeated. The address is deleted then, and at once without an answer. An answer goes with
numbers only: whoever floods the form writes down the addresses of others.

Examples:
  palmares reports close 12 --answer "Thank you, it is corrected."
  palmares reports close 13 14 15
  palmares reports close --tool rabot
  palmares reports close --before 2026-03-05`
}

// Validate is called by kong before Run.
func (c *reportsClose) Validate() error {
	ways := 0
	for _, chosen := range []bool{len(c.Numbers) > 0, c.Tool != "", c.Before != ""} {
		if chosen {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("say which reports to close: by their numbers, with --tool SLUG, or with --before DAY")
	case c.Answer != nil && len(c.Numbers) == 0:
		return errors.New("--answer goes with the numbers of reports")
	}
	_, err := c.selection()
	return err
}

// selection returns which reports to close if they are not given by number.
func (c *reportsClose) selection() (report.Selection, error) {
	if c.Before == "" {
		return report.Selection{Slug: c.Tool}, nil
	}
	day, err := catalog.ParseDate(c.Before)
	if err != nil {
		return report.Selection{}, fmt.Errorf("--before: %w", err)
	}
	return report.Selection{Slug: c.Tool, Before: day.Time()}, nil
}

// answer returns the text of the answer; "" for none. An empty --answer is an error: closing the report would
// delete the address it should go to.
func (c *reportsClose) answer(con *console) (string, error) {
	if c.Answer == nil {
		return "", nil
	}
	answer := *c.Answer
	if answer == "-" {
		typed, err := io.ReadAll(io.LimitReader(con.in, 64<<10))
		if err != nil {
			return "", fmt.Errorf("reading the answer: %w", err)
		}
		answer = string(typed)
	}
	if strings.TrimSpace(answer) == "" {
		return "", report.ErrEmptyAnswer
	}
	return answer, nil
}

func (c *reportsClose) Run(ctx context.Context, con *console) error {
	answer, err := c.answer(con)
	if err != nil {
		return err
	}
	return withServices(ctx, func(s *services.Services) error {
		if len(c.Numbers) == 0 {
			which, err := c.selection()
			if err != nil {
				return err
			}
			n, err := s.Reports.CloseWhere(ctx, account.Operator(), which)
			if err == nil {
				fmt.Fprintf(con.err, "%d %s closed\n", n, plural(n, "report is", "reports are"))
			}
			return err
		}
		if err := s.Reports.Close(ctx, account.Operator(), c.Numbers, answer); err != nil {
			return err
		}
		for _, id := range c.Numbers {
			if answer == "" {
				fmt.Fprintf(con.err, "report %d is closed\n", id)
			} else {
				fmt.Fprintf(con.err, "report %d is closed; the answer waits to be sent\n", id)
			}
		}
		return nil
	})
}
