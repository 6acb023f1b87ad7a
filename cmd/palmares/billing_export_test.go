package main

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What customers call themselves is no formula where the file is opened, and amounts below zero are numbers.
func TestBillingExport_Cells(t *testing.T) {
	t.Parallel()
	d := billing.Document{
		Kind: billing.CreditNote, Number: "=1", State: "invented", Customer: `=HYPERLINK("x;y")`, Country: "@A",
		VATNumber: "+DE1", Currency: "eur", Net: -5, VAT: -1, Rate: 255, Invoice: "-2",
	}
	row := export.French.AppendRow(nil, documentCells(locale.NewWriter(locale.English, exportTexts), d))
	testkit.Equal(t, "the row", string(row),
		`'=1;Credit note;invented;;;;"'=HYPERLINK(""x;y"")";'@A;'+DE1;EUR;-0,05;-0,01;25,5;-0,06;'-2`+"\r\n")
}
