package main

import (
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/content"
)

type newCommand struct {
	Tool       newTool       `cmd:"" help:"Write tools/SLUG.md."`
	Comparatif newComparatif `cmd:"" help:"Write comparatifs/SLUG.md."`
	Pages      newPages      `cmd:"" help:"Write the operator's own pages, in pages/."`
	Repository newRepository `cmd:"" help:"Write a repository: a first catalogue, with checks for GitHub and GitLab."`
}

// Help is shown by palmares new --help.
func (newCommand) Help() string {
	return `Writes a content file with every key of its kind. What is left to fill in is printed
on standard output, as palmares check prints it: file:line:column: what to write. An existing file
is never overwritten. For a catalogue that is not there yet, begin with palmares new repository.`
}

type newTool struct {
	Dir      string `arg:"" help:"The content directory."`
	Slug     string `arg:"" help:"The file's name: lower-case words joined by hyphens."`
	Name     string `placeholder:"NAME" help:"The tool's name."`
	Domain   string `placeholder:"HOST" help:"Its host name, such as lumen.example."`
	Category string `placeholder:"SLUG" help:"One of categories.yaml."`
	ICP      string `name:"icp" placeholder:"WORD" help:"Whom it is for: vibe-coder, agentic-engineer or mixte."`
	Pricing  string `placeholder:"WORD" help:"gratuit, freemium or payant."`
	Price    string `placeholder:"PRICE" help:"Such as \"20 €/mois\"."`
	Source   string `placeholder:"URL" help:"The page that says the price: you looked at it today."`
	Tagline  string `placeholder:"TEXT" help:"What it does, in French, in a line."`

	Score         string   `placeholder:"N" help:"Over 0 and up to 10; leave it out while the tool is untested."`
	Verifiability string   `placeholder:"N" help:"0 to 10."`
	Obsolescence  string   `placeholder:"N" help:"0 (fresh) to 10 (obsolete)."`
	Tier          string   `placeholder:"N" help:"1 (the highest) to 9."`
	Mainstream    string   `placeholder:"BOOL" help:"true or false."`
	Package       []string `placeholder:"PURL" sep:"none" help:"A package URL, such as pkg:npm/%40lumen/cli; once for each."`
}

// Help is shown by palmares new tool --help.
func (newTool) Help() string {
	return `Whatever you give is checked as palmares check does, and written as YAML wants it; a value that
check would refuse is refused, and nothing is written. The rest is left to fill in.

Example:
  palmares new tool examples/catalog lumen --name Lumen --domain lumen.example --category code \
    --pricing payant --price "20 €/mois" --source https://lumen.example/tarifs`
}

func (c *newTool) Run(con *console) error {
	if err := directory(c.Dir); err != nil {
		return err
	}
	draft, err := content.NewTool(c.Dir, c.Slug, content.ToolDraft{
		Name: c.Name, Domain: c.Domain, Category: c.Category, ICP: c.ICP, Pricing: c.Pricing, Price: c.Price, Source: c.Source, Tagline: c.Tagline,
		Score: c.Score, Verifiability: c.Verifiability, Obsolescence: c.Obsolescence, Tier: c.Tier, Mainstream: c.Mainstream, Packages: c.Package,
	})
	return con.drafted(c.Dir, draft, err)
}

type newComparatif struct {
	Dir  string `arg:"" help:"The content directory."`
	Slug string `arg:"" help:"The file's name: lower-case words joined by hyphens."`
	A    string `placeholder:"SLUG" help:"The first tool."`
	B    string `placeholder:"SLUG" help:"The second tool."`
}

// Help is shown by palmares new comparatif --help.
func (newComparatif) Help() string {
	return `Without --a and --b the slug names the two tools: lumen-ou-cobalt, lumen-vs-cobalt.
The comparison is a draft until its status is published.

Example:
  palmares new comparatif examples/catalog tournevis-ou-copeau`
}

func (c *newComparatif) Run(con *console) error {
	if err := directory(c.Dir); err != nil {
		return err
	}
	draft, err := content.NewComparison(c.Dir, c.Slug, c.A, c.B)
	return con.drafted(c.Dir, draft, err)
}

type newPages struct {
	Dir     string `arg:"" help:"The content directory."`
	English bool   `help:"Write the English pages too."`
}

// Help is shown by palmares new pages --help.
func (newPages) Help() string {
	return `Writes a template for each page that is not there yet: how you test, legal notice,
privacy, terms. What you have to write is marked TODO, and check warns while a mark is left.

Example:
  palmares new pages examples/catalog --english`
}

func (c *newPages) Run(con *console) error {
	if err := directory(c.Dir); err != nil {
		return err
	}
	drafts, err := content.NewPages(c.Dir, c.English)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if err := con.drafted(c.Dir, d, nil); err != nil {
			return err
		}
	}
	return nil
}

// drafted prints which file was written and what is left to fill in.
func (con *console) drafted(dir string, d content.Draft, err error) error {
	if err != nil {
		return err
	}
	faults(con.out, dir, d.Left)
	fmt.Fprintf(con.err, "%s/%s is written%s\n", strings.TrimRight(dir, "/"), d.File, todo("; ", dir, toFill(d.Left)))
	return nil
}

// toFill returns a sentence that says how many things are left to fill in; "" for none.
func toFill(left []content.Fault) string {
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s left to fill in", len(left), plural(len(left), "thing is", "things are"))
}

// todo returns what an editor has to do before check passes, joined and preceded by before; "" for nothing.
func todo(before, dir string, parts ...string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return before + strings.Join(all, ", ") + ", then: palmares check " + dir
}
