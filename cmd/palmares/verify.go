package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/text"
	"github.com/palmares-hq/palmares/internal/verify"
)

type verifyCommand struct {
	Dir   string            `arg:"" help:"The content directory."`
	Only  catalog.FactField `enum:"${factfields}," default:"" placeholder:"FIELD" help:"Only the sources of this value: ${factfields}."`
	Limit int               `placeholder:"N" help:"Only the N pages that nobody has looked at for longest."`

	Format string `default:"text" enum:"text,markdown" help:"text, or markdown (a table for an issue: what is absent, gone or moved)."`
}

// Help is shown by palmares verify --help.
func (verifyCommand) Help() string {
	return `Fetches the sources of values and says of each whether its page still says the value:

  found        it does
  absent       it was read, and does not
  gone         there is no such page any more
  moved        it redirects to another host
  not checked  it could not be read, for the reason that follows

It looks for the text of the source, if it has one; else for the price in euros, the score, the
domain or the day, as French and English pages write them. It cannot tell what a figure is about:
the price of another product on the page counts as found. It changes no file: have a look, then:
palmares checked DIR SLUG FIELD

It obeys robots.txt, sends a host one request at a time with a second between two, and calls itself
Palmares-verify, with the url of catalog.yaml. Private addresses are never connected to.

Exit status: 0, whatever the verdicts; 1 for a directory that cannot be read or has faults.

Example:
  palmares verify examples/catalog --only price --limit 20`
}

// factFields returns the values of --only, for kong.
func factFields() string {
	var names []string
	for _, f := range catalog.FactFields() {
		names = append(names, string(f))
	}
	return strings.Join(names, ",")
}

// Run fetches the sources and prints a line for each fact.
func (c *verifyCommand) Run(ctx context.Context, con *console) error {
	if c.Limit < 0 {
		return fmt.Errorf("--limit is %d: it cannot be negative", c.Limit)
	}
	contents, err := con.loadValid(ctx, c.Dir)
	if err != nil {
		return err
	}
	var facts []catalog.ItemFact
	for _, f := range contents.Facts() {
		if f.Known() && (c.Only == "" || c.Only == f.Field) {
			facts = append(facts, f)
		}
	}
	draw, wipe := con.progress("Fetching")
	verifier := &verify.Verifier{Agent: verifyAgent(currentVersion(), contents.Service.URL), Progress: draw}
	results, left := verifier.Run(ctx, facts, c.Limit)
	wipe()
	rows, counts := make([][]string, 0, len(results)), make(map[verify.Verdict]int)
	for _, r := range results {
		counts[r.Verdict]++
		rows = append(rows, []string{r.Slug, string(r.Field), text.Marked(r.Value), text.Marked(r.String()), text.Marked(r.Source)})
	}
	if c.Format == "markdown" {
		fmt.Fprint(con.out, verifyMarkdown(results))
	} else if err := con.table(rows); err != nil {
		return err
	}
	more := ""
	if left > 0 {
		more = fmt.Sprintf("; %d more %s beyond --limit", left, plural(left, "is", "are"))
	}
	if ctx.Err() != nil {
		more += "; interrupted"
	}
	fmt.Fprintf(con.err, "%d found, %d absent, %d gone, %d moved, %d not checked%s\n",
		counts[verify.Found], counts[verify.Absent], counts[verify.Gone], counts[verify.Moved], counts[verify.NotChecked], more)
	return nil
}

// verifyMarkdown returns a table, for the body of an issue, of the results that need somebody's attention. It
// counts the rows that do not fit below it.
func verifyMarkdown(results []verify.Result) string {
	var wanted []verify.Result
	for _, r := range results {
		if r.Verdict == verify.Absent || r.Verdict == verify.Gone || r.Verdict == verify.Moved {
			wanted = append(wanted, r)
		}
	}
	if len(wanted) == 0 {
		return "Every page that could be read still says it.\n"
	}
	var b strings.Builder
	b.WriteString("| slug | field | value | page | source |\n|---|---|---|---|---|\n")
	for i, r := range wanted {
		row := fmt.Sprintf("| %s | %s | %s | %s | %s |\n",
			markdownText(r.Slug), markdownText(string(r.Field)), markdownText(r.Value), markdownText(r.String()), markdownLink(r.Source))
		if b.Len()+len(row) > maxIssue {
			fmt.Fprintf(&b, "\n%d more are left out.\n", len(wanted)-i)
			break
		}
		b.WriteString(row)
	}
	return b.String()
}

// verifyAgent returns the User-Agent of requests: the program's version, and the catalog's address, where its
// editors can be reached.
func verifyAgent(version, address string) string {
	version = strings.Map(func(r rune) rune {
		if r > '~' || r <= ' ' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) {
			return -1
		}
		return r
	}, version)
	agent := "Palmares-verify"
	if version != "" {
		agent += "/" + version
	}
	if u, err := url.Parse(address); err == nil {
		agent += " (+" + strings.NewReplacer("(", "%28", ")", "%29").Replace(u.String()) + ")"
	}
	return agent
}
