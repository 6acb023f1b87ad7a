package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/services"
)

type billingExport struct {
	From string `required:"" placeholder:"DAY" help:"The first day: YYYY-MM-DD."`
	To   string `required:"" placeholder:"DAY" help:"The last day, which is included."`
	Lang string `enum:"fr,en" default:"fr" help:"The language of headings, kinds and states: ${enum}."`
}

// Help is shown by palmares billing export --help.
func (billingExport) Help() string {
	return `It asks the provider for each invoice and credit note that became final on these days, void
ones included, and prints them in that order, as CSV for spreadsheets in French: semicolons, a decimal
comma, a byte order mark. Days are those of the seller's country (PALMARES_SELLER_COUNTRY): an invoice
of half past eleven at night UTC is one of the next day in Paris.

Amounts are those on the document. Those of a credit note are below zero, and it has the number of its
invoice. A void one keeps its amounts: filter by state before you add up. The rate of VAT is in percent.

Numbers that are missing are named on standard error. Exit status 1 when there are some, and when the
provider does not answer: what is printed by then is not whole.`
}

func (c *billingExport) Run(ctx context.Context, con *console) error {
	from, err := catalog.ParseDate(c.From)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	to, err := catalog.ParseDate(c.To)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	return withBilling(ctx, func(s *services.Services) error {
		words := locale.NewWriter(locale.Tagged(c.Lang), exportTexts)
		out, printed := bufio.NewWriter(con.out), false
		put := func(row []byte) error {
			if !printed {
				row = append(export.French.AppendHeader(nil, exportHeadings(words)), row...)
			}
			printed = true
			if _, err := out.Write(row); err != nil {
				return fmt.Errorf("printing: %w", err)
			}
			return nil
		}
		done, err := s.Billing.Export(ctx, account.Operator(), from, to, func(d billing.Document) error {
			return put(export.French.AppendRow(nil, documentCells(words, d)))
		})
		if err == nil && !printed {
			err = put(nil)
		}
		if failed := out.Flush(); err == nil && failed != nil {
			err = fmt.Errorf("printing: %w", failed)
		}
		switch {
		case err != nil && printed:
			return fmt.Errorf("what was printed is not whole: %w", err)
		case err != nil:
			return err
		}
		return tellExported(con, from, to, done)
	})
}

// tellExported prints how much was exported, and which numbers are missing. It returns errReported if any are.
func tellExported(con *console, from, to catalog.Date, done billing.Exported) error {
	fmt.Fprintf(con.err, "%s and %s of %s to %s, days of %s, in %d series of numbers: ",
		counted(done.Invoices, "invoice", "invoices"), counted(done.CreditNotes, "credit note", "credit notes"),
		from, to, done.Zone, done.Series)
	if len(done.Missing) == 0 {
		fmt.Fprintln(con.err, "no number is missing")
	} else {
		fmt.Fprintln(con.err, "missing: "+strings.Join(done.Missing, ", "))
	}
	if done.Unfinished {
		fmt.Fprintln(con.err, "the last day is not over: what becomes final by then is not in it")
	}
	if len(done.Missing) > 0 {
		return errReported
	}
	return nil
}

var exportTexts = locale.Texts{
	"number":     {"Numéro", "Number"},
	"kind":       {"Nature", "Kind"},
	"state":      {"État", "State"},
	"issued":     {"Émission", "Issued"},
	"due":        {"Échéance", "Due"},
	"paid":       {"Paiement", "Paid"},
	"customer":   {"Client", "Customer"},
	"country":    {"Pays", "Country"},
	"vat_number": {"Numéro de TVA", "VAT number"},
	"currency":   {"Devise", "Currency"},
	"net":        {"Montant HT", "Net"},
	"vat":        {"TVA", "VAT"},
	"rate":       {"Taux de TVA", "VAT rate"},
	"gross":      {"Montant TTC", "Gross"},
	"credited":   {"Facture d’origine", "Invoice credited"},

	"invoice":               {"Facture", "Invoice"},
	"invoice.open":          {"À payer", "Unpaid"},
	"invoice.paid":          {"Payée", "Paid"},
	"invoice.void":          {"Annulée", "Void"},
	"invoice.uncollectible": {"Irrécouvrable", "Uncollectible"},
	"credit_note":           {"Avoir", "Credit note"},
	"credit_note.issued":    {"Émis", "Issued"},
	"credit_note.void":      {"Annulé", "Void"},
}

// exportHeadings returns the names of the columns.
func exportHeadings(words locale.Writer) (names []string) {
	for _, name := range []string{
		"number", "kind", "state", "issued", "due", "paid", "customer", "country", "vat_number", "currency",
		"net", "vat", "rate", "gross", "credited",
	} {
		names = append(names, words.Must(name))
	}
	return names
}

// documentCells returns the row of a document.
func documentCells(words locale.Writer, d billing.Document) []export.Cell {
	text := func(s string) export.Cell { return export.Cell{Text: s} }
	day := func(t time.Time) export.Cell {
		if t.IsZero() {
			return text("")
		}
		return text(t.Format(time.DateOnly))
	}
	number := func(f float64, decimals int) export.Cell {
		return export.Cell{Text: strconv.FormatFloat(f, 'f', decimals, 64), Number: true}
	}
	amount := func(cents int64) export.Cell { return number(float64(cents)/100, 2) }
	state := string(d.State) // a state that Stripe has added since is printed as it is
	if name := string(d.Kind) + "." + state; words.Has(name) {
		state = words.Must(name)
	}
	return []export.Cell{
		text(d.Number), text(words.Must(string(d.Kind))), text(state), day(d.IssuedAt), day(d.DueAt), day(d.PaidAt),
		text(d.Customer), text(d.Country), text(d.VATNumber), text(strings.ToUpper(d.Currency)),
		amount(d.Net), amount(d.VAT), number(float64(d.Rate)/10, -1), amount(d.Gross()),
		text(d.Invoice),
	}
}
