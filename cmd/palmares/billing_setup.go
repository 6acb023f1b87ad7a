package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/services"
)

type billingSetup struct {
	KeyFile    string `placeholder:"FILE" help:"Read the key from a file. Unasked it is read from standard input."`
	SecretFile string `required:"" placeholder:"FILE" help:"Write the signing secret of the endpoint into this file, which must not exist."`
	DryRun     bool   `help:"Say what would be made, and change nothing."`
}

// Help is shown by palmares billing setup --help.
func (billingSetup) Help() string {
	return `It makes, or finds, product, price, the settings of the customer portal and the endpoint for
events, as docs/operations/billing.md has them. A price that differs is replaced by another, because prices never
change; all else that differs is put right, and said. Repeating it does no harm, and goes on where a run has died.

The key is one for this alone, which may write these. It is used, and not stored. Standard output
has the settings for the nodes and nothing else; the signing secret goes into a file of its own, mode 0600.
PALMARES_BASE_URL says where events go. With PALMARES_DATABASE_URL the key must be one of the account that
the customers are of.

It registers you with no tax authority: that is a legal act, and yours. Exit status 1 when something
could not be made, or the secret is missing.`
}

func (c *billingSetup) Run(ctx context.Context, con *console) error {
	key, err := c.key(con)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(c.SecretFile)
	if err != nil {
		return fmt.Errorf("--secret-file: %w", err)
	}
	secret := secretFile{path: path}
	kept, err := secret.prepare(c.DryRun)
	if err != nil {
		return fmt.Errorf("--secret-file: %w", err)
	}
	defer secret.discard()
	s, err := services.OpenSetUp(ctx, os.Environ(), key)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Unbound {
		fmt.Fprintln(con.err, "PALMARES_DATABASE_URL is not set: whether there are customers of another account is not known")
	}
	parts, price, failed := s.Run(ctx, c.DryRun, kept, secret.keep)
	if err := c.tell(con, parts); err != nil {
		return err
	}
	if errors.Is(failed, billing.ErrSecretKept) {
		return fmt.Errorf("%s: %w", path, failed)
	}
	if failed != nil {
		return fmt.Errorf("%w; what is made is kept: run it again once that is mended", failed)
	}
	fmt.Fprintf(con.err, "\nby hand: registrations for VAT: %s\n", s.Registering)
	fmt.Fprintf(con.err, "by hand: %s\n", billing.OwnMails)
	fmt.Fprintln(con.err, "by hand: business, tax, invoices, failed payments and the nodes' own key: docs/operations/billing.md")
	if c.DryRun {
		fmt.Fprintf(con.err, "nothing was changed (%s mode)\n", s.Mode)
		return nil
	}
	fmt.Fprintf(con.err, "these settings are for all nodes (%s mode); then run palmares billing check\n", s.Mode)
	fmt.Fprintf(con.out, "PALMARES_STRIPE_PRICE=%s\nPALMARES_STRIPE_WEBHOOK_SECRET_FILE=%s\n", price, path)
	for _, p := range parts {
		if p.What == "secret" {
			return errReported
		}
	}
	return nil
}

// tell prints what was or would be done about each part.
func (c *billingSetup) tell(con *console, parts []billing.Part) error {
	w := tabwriter.NewWriter(con.err, 0, 0, 2, ' ', 0)
	for _, p := range parts {
		done := string(p.Done)
		if c.DryRun && (p.Done == billing.Made || p.Done == billing.Changed) {
			done = "would be " + done
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.What, done, orNone(p.ID), p.Detail)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}

// key reads the API key from a file or standard input. It is not a command-line argument, because every process
// on the machine could see it there.
func (c *billingSetup) key(con *console) (string, error) {
	from := io.NopCloser(con.in)
	switch {
	case c.KeyFile != "":
		file, err := os.Open(c.KeyFile)
		if err != nil {
			return "", fmt.Errorf("--key-file: %w", err)
		}
		from = file
	case isTerminal(con.in):
		return "", errors.New("a key that is typed stays on the screen: write it into a file and name that by --key-file, or pipe it in")
	}
	defer from.Close()
	key, err := io.ReadAll(io.LimitReader(from, 4<<10))
	if err != nil {
		return "", fmt.Errorf("reading the key: %w", err)
	}
	return strings.TrimSpace(string(key)), nil
}

// A secretFile is a file to be created for a secret that the provider reveals only once. So prepare makes sure
// that its folder is writable before the secret exists, and the file gets its name only when it is complete.
type secretFile struct {
	path string
	temp *os.File // nil for none
}

// prepare reports whether the file exists already. If not, and this is no dry run, it creates a temporary file
// beside it.
func (f *secretFile) prepare(dryRun bool) (exists bool, err error) {
	switch _, err = os.Lstat(f.path); {
	case err == nil:
		return true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	case dryRun:
		return false, nil
	}
	f.temp, err = os.CreateTemp(filepath.Dir(f.path), ".palmares-*") // of mode 0600
	return false, err
}

// keep writes the secret and gives the file its name. It fails if another file has that name by then.
func (f *secretFile) keep(secret string) error {
	_, err := f.temp.WriteString(secret + "\n")
	if err == nil {
		err = f.temp.Sync()
	}
	if err == nil {
		err = os.Link(f.temp.Name(), f.path)
	}
	return err
}

// discard removes the temporary file.
func (f *secretFile) discard() {
	if f.temp != nil {
		_ = f.temp.Close()           // synced already, or not needed
		_ = os.Remove(f.temp.Name()) // if this fails, what remains is empty, or a second name of the file
	}
}
