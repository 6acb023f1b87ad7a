package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	_ "golang.org/x/crypto/x509roots/fallback" // for machines and images that have no certificates to check others by

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// commands is the command line. The help of each command can be read without the others.
type commands struct {
	Check    checkCommand    `cmd:"" help:"Check content files."`
	New      newCommand      `cmd:"" help:"Write a content file to fill in: a tool, a comparison, the operator's pages; or a whole repository."`
	Retire   retireCommand   `cmd:"" help:"Move a tool to the cemetery."`
	Rename   renameCommand   `cmd:"" help:"Give a tool or a comparison another slug."`
	Stale    staleCommand    `cmd:"" help:"List the sources that somebody should look at again."`
	Checked  checkedCommand  `cmd:"" help:"Write that you have looked at a source."`
	Verify   verifyCommand   `cmd:"" help:"Look whether sources still say what the catalogue says."`
	Plan     planCommand     `cmd:"" help:"Compare two content directories: what publishing would change."`
	Preview  previewCommand  `cmd:"" help:"Serve content files without PostgreSQL or Redis."`
	Publish  publishCommand  `cmd:"" help:"Publish content files as the next edition."`
	Editions editionsCommand `cmd:"" help:"List the editions and where they come from."`
	Serve    serveCommand    `cmd:"" help:"Run a node."`
	Config   configCommand   `cmd:"" help:"Show how everything is set, and where that comes from."`
	Ready    readyCommand    `cmd:"" help:"Ask the node on this machine whether it is ready."`
	Account  accountCommand  `cmd:"" help:"Create, change and list accounts."`
	Key      keyCommand      `cmd:"" help:"Create, list, rotate and revoke API keys."`
	Webhook  webhookCommand  `cmd:"" help:"Create, verify, test and replay webhook endpoints."`
	Reports  reportsCommand  `cmd:"" help:"Read, answer and close the errors that readers report."`
	Billing  billingCommand  `cmd:"" help:"Show and reconcile subscriptions."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the database schema up to date."`
	Grants   grantsCommand   `cmd:"" help:"Print the SQL of a database role that may only publish."`
	Generate generateCommand `cmd:"" help:"Write a synthetic catalogue of any size."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
	Man      manCommand      `cmd:"" hidden:"" help:"Print the manual page, in roff."`

	Completion kongcompletion.Completion `cmd:"" help:"Print how to set up completion of commands and flags in a shell."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

const description = `The software behind a public catalogue of tested AI tools: content files in git, ` +
	`checked and published as numbered editions, and served as JSON by any number of nodes.

Start with:  palmares preview examples/catalog`

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// While the program stops, a second Ctrl-C ends it at once.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt) })

	var c commands
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("palmares"),
		kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Exit(func(code int) { exit = code }), // --help, --version
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(newConsole(os.Stdin, os.Stdout, os.Stderr)),
		kong.Vars{"version": versionLine(), "reasons": reasons(), "factfields": factFields(), "byowner": byOwner},
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "palmares:", err)
		return 1
	}
	if os.Getenv("COMP_LINE") != "" { // the shell asks what could follow
		kongcompletion.Register(parser)
		return max(exit, 0)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help": // palmares help check
		args = append(args[1:], "--help")
	}
	command, err := parser.Parse(args)
	if exit >= 0 {
		return exit
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "palmares: %v\nTry: %s --help\n", err, addressed(err))
		return 2
	}
	if command.Command() != "serve" { // serve logs them itself
		for _, unknown := range config.UnknownVariables(os.Environ()) {
			fmt.Fprintln(os.Stderr, "palmares: warning:", unknown)
		}
	}
	err = command.Run()
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errReported):
		return 1
	}
	// Print one line per problem, each beginning with the program's name, as shell users expect. pgx tries an
	// address with and without TLS and reports both failures in the same words, so drop repeated lines.
	var text strings.Builder
	for _, line := range slices.Compact(strings.Split(postgres.Explain(err).Error(), "\n")) {
		fmt.Fprintf(&text, "palmares: %s\n", strings.Replace(line, "\t", "  ", 1))
	}
	if command.Command() == "serve" {
		printInTime(os.Stderr, text.String())
	} else {
		fmt.Fprint(os.Stderr, text.String())
	}
	return 1
}

// printInTime prints why a node ended. It gives up after a second, because standard error may be a pipe that
// nobody reads.
func printInTime(w io.Writer, text string) {
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		fmt.Fprint(w, text)
	}()
	select {
	case <-printed:
	case <-time.After(time.Second):
	}
}

// addressed returns the command that a faulty command line was meant for, as it is typed.
func addressed(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		return wrong.Context.Selected().FullPath()
	}
	return "palmares"
}
