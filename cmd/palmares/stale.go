package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/text"
)

type staleCommand struct {
	Dir    string `arg:"" help:"The content directory."`
	Days   int    `default:"90" placeholder:"N" help:"A source is overdue when it was last checked more than N days ago; 90 by default."`
	Format string `default:"text" enum:"text,markdown,json" help:"text, markdown (a table for an issue on GitHub) or json."`
}

// Help is shown by palmares stale --help.
func (staleCommand) Help() string {
	return `Lists the values whose source nobody has looked at for long: those of tier 1 first, those of
retired tools last, and within a tier the oldest check first. Announced prices whose day has come
(price_next) are before all others. Days are counted in UTC. How many values have no source at all is
told on standard error.

Look at a source, correct the value if need be, then: palmares checked DIR SLUG FIELD

Exit status: 0, however much is overdue; 1 for a directory that cannot be read or has faults.

Example:
  palmares stale examples/catalog --days 180 --format markdown`
}

// Run lists what is overdue.
func (c *staleCommand) Run(ctx context.Context, con *console) error {
	if c.Days < 0 {
		return fmt.Errorf("--days is %d: it cannot be negative", c.Days)
	}
	contents, err := con.loadValid(ctx, c.Dir)
	if err != nil {
		return err
	}
	today := catalog.DateOf(time.Now())
	facts := contents.Facts()
	overdue, due := catalog.Overdue(facts, today, c.Days), contents.DuePrices(today)
	late := len(overdue)
	overdue = append(due, overdue...)
	switch c.Format {
	case "json":
		err = printStaleJSON(con, overdue, today)
	case "markdown":
		fmt.Fprint(con.out, staleMarkdown(overdue, today))
	default:
		err = printStale(con, overdue, today)
	}
	if err != nil {
		return err
	}
	unsourced := 0
	for _, f := range facts {
		if !f.Known() {
			unsourced++
		}
	}
	fmt.Fprintf(con.err, "%d of %s not checked for more than %s; %s no source\n",
		late, counted(len(facts)-unsourced, "source was", "sources were"), counted(c.Days, "day", "days"),
		counted(unsourced, "value has", "values have"))
	if len(due) > 0 {
		fmt.Fprintf(con.err, "%s whose day has come: write it as the price, or the new day\n", counted(len(due), "announced price", "announced prices"))
	}
	return nil
}

func printStale(con *console, overdue []catalog.ItemFact, today catalog.Date) error {
	rows := make([][]string, 0, len(overdue))
	for _, f := range overdue {
		rows = append(rows, []string{
			f.Slug, string(f.Field), text.Marked(f.Value), string(f.Checked), counted(f.Age(today), "day", "days"), text.Marked(f.Source),
		})
	}
	return con.table(rows)
}

// A staleFact is an overdue fact in JSON.
type staleFact struct {
	Slug    string            `json:"slug"`
	Field   catalog.FactField `json:"field"`
	Value   string            `json:"value"`
	Checked catalog.Date      `json:"checked"`
	Days    int               `json:"days"`
	Source  string            `json:"source"`
}

func printStaleJSON(con *console, overdue []catalog.ItemFact, today catalog.Date) error {
	list := make([]staleFact, 0, len(overdue))
	for _, f := range overdue {
		list = append(list, staleFact{f.Slug, f.Field, text.Marked(f.Value), f.Checked, f.Age(today), text.Marked(f.Source)})
	}
	return con.json(list)
}

// maxIssue is the maximum size of a table in bytes: the body of a GitHub issue has at most 65,536 characters.
const maxIssue = 60_000

// staleMarkdown returns a table for the body of an issue. It counts the rows that do not fit below it.
func staleMarkdown(overdue []catalog.ItemFact, today catalog.Date) string {
	if len(overdue) == 0 {
		return "No source is overdue.\n"
	}
	var b strings.Builder
	b.WriteString("| slug | field | value | checked | days | source |\n|---|---|---|---|---:|---|\n")
	for i, f := range overdue {
		row := fmt.Sprintf("| %s | %s | %s | %s | %d | %s |\n",
			markdownText(f.Slug), markdownText(string(f.Field)), markdownText(f.Value), f.Checked, f.Age(today), markdownLink(f.Source))
		if b.Len()+len(row) > maxIssue {
			fmt.Fprintf(&b, "\n%d more are left out.\n", len(overdue)-i)
			break
		}
		b.WriteString(row)
	}
	return b.String()
}

// markdownText writes text so that GitHub shows it literally. Character references keep it from being read as
// Markdown or HTML, and inside <code> GitHub finds neither people to notify nor issues to refer to.
func markdownText(s string) string {
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range text.Marked(s) {
		if r == ' ' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		} else {
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		}
	}
	b.WriteString("</code>")
	return b.String()
}

// markdownLink returns a link to a page. A page of GitHub becomes plain text, because a link to an issue would
// appear there as a reference.
func markdownLink(address string) string {
	text := markdownText(address)
	u, err := url.Parse(address)
	if err != nil {
		return text
	}
	if host := strings.ToLower(u.Hostname()); host == "github.com" || strings.HasSuffix(host, ".github.com") {
		return text
	}
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		switch {
		case c == '&':
			b.WriteString("&amp;")
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return "[" + text + "](<" + b.String() + ">)"
}
