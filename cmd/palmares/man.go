package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// manCommand prints the manual page. It is hidden: scripts/release calls it to build packages.
type manCommand struct{}

func (manCommand) Run(con *console, k *kong.Kong) error {
	_, err := io.WriteString(con.out, manPage(k.Model))
	return err
}

// manPage returns the manual page of all commands, in roff. It has no date, so that the same program always
// gives the same page.
func manPage(model *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH PALMARES 1 \"\" \"palmares %s\" \"User Commands\"\n", roff(currentVersion()))
	b.WriteString(".SH NAME\npalmares \\- a public catalogue of tested tools, from files in git\n")
	b.WriteString(".SH SYNOPSIS\n.B palmares\n.I command\n[\\fIoption\\fR ...]\n.SH DESCRIPTION\n")
	paragraphs(&b, model.Help)
	b.WriteString(".SH COMMANDS\n")
	for _, leaf := range model.Leaves(true) { // true leaves out hidden commands
		manCommandOf(&b, leaf)
	}
	b.WriteString(`.SH FILES
.TP
.I /etc/palmares/palmares.env
the variables of the nodes that systemd runs, where the package is installed
.TP
.I /var/lib/palmares
their disk copies, which can be thrown away
.SH "EXIT STATUS"
0 if all went well, 1 if something is wrong, 2 if the command line is.
`)
	return b.String()
}

// manCommandOf writes the section of a command: what its --help says.
func manCommandOf(b *strings.Builder, leaf *kong.Node) {
	fmt.Fprintf(b, ".SS palmares %s\n", roff(leaf.Summary()))
	paragraphs(b, leaf.Help)
	for _, arg := range leaf.Positional {
		if arg.Help != "" {
			fmt.Fprintf(b, ".TP\n.I %s\n%s\n", roff(arg.Summary()), roff(arg.Help))
		}
	}
	for _, flag := range leaf.Flags {
		if flag.Hidden {
			continue
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(flag.String()), roff(flag.Help))
	}
	if leaf.Detail != "" {
		b.WriteString(".PP\n")
		paragraphs(b, leaf.Detail)
	}
}

// tableLine matches a line with a variable and its description.
var tableLine = regexp.MustCompile(`^  (PALMARES_\w+) +(.*)$`)

// paragraphs writes text in roff. Indented lines keep their line breaks, and lines about variables become a
// list.
func paragraphs(b *strings.Builder, text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		switch {
		case line == "":
			b.WriteString(".PP\n")
		case tableLine.MatchString(line):
			row := tableLine.FindStringSubmatch(line)
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(row[1]), roff(row[2]))
		case strings.HasPrefix(line, " "):
			fmt.Fprintf(b, ".nf\n%s\n.fi\n", roff(line))
		default:
			b.WriteString(roff(line) + "\n")
		}
	}
}

// roff escapes the characters that roff would interpret.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
