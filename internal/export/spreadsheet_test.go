package export_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// lacks skips the test for want of a program; in CI it fails.
func lacks(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// frenchLocale finds fr_FR.UTF-8, or makes it where only this test sees it.
func frenchLocale(t *testing.T) []string {
	t.Helper()
	known, _ := exec.CommandContext(t.Context(), "locale", "-a").Output()
	if strings.Contains(strings.ToLower(string(known)), "fr_fr.utf") {
		return []string{"LC_ALL=fr_FR.UTF-8"}
	}
	dir := t.TempDir()
	compile := exec.CommandContext(t.Context(), "localedef", "-i", "fr_FR", "-f", "UTF-8", filepath.Join(dir, "fr_FR.UTF-8"))
	if out, err := compile.CombinedOutput(); err != nil {
		lacks(t, "there is no locale fr_FR.UTF-8: "+err.Error()+" "+string(out))
	}
	return []string{"LC_ALL=fr_FR.UTF-8", "LOCPATH=" + dir}
}

// A spreadsheet reads both CSV files alike: accents are whole, numbers are numbers, texts are texts. It says so in
// CSV of its own, which writes numbers with a point and quotes texts.
func TestSpreadsheet(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssconvert"); err != nil {
		lacks(t, "there is no ssconvert: install gnumeric")
	}
	s := catalogtest.Snapshot(
		catalogtest.Tool("somme", catalogtest.Named("=2+5"), catalogtest.Scored(910), catalogtest.Priced(catalog.Paid, "1999,90 €/an")),
		catalogtest.Tool("oeuvre", catalogtest.Named("L’« œuvre » d’été"), catalogtest.Scored(875), catalogtest.Tagline("Çà ; et là, \"partout\"")),
		catalogtest.Comparison("somme-ou-oeuvre", "somme", "oeuvre"), catalogtest.Retired("omega"),
	)
	french := frenchLocale(t)
	for _, table := range []string{"tools", "pricing", "comparatifs", "cimetiere", "categories", "facts"} {
		var read [2][][]string
		for i, format := range []export.Format{export.CSV, export.French} {
			environment := []string{"LC_ALL=C.UTF-8"}
			if format == export.French {
				environment = french
			}
			text, _ := written(t, export.File{Table: table, Format: format}, s)
			dir := t.TempDir()
			// In a file that is called .csv, ssconvert takes a comma for the separator whatever the locale says.
			in, out := filepath.Join(dir, "in.txt"), filepath.Join(dir, "out.txt")
			testkit.Must(t, os.WriteFile(in, []byte(text), 0o600))
			// What is read goes into a file of the spreadsheet's own, and from there into CSV that is the same everywhere.
			sheet := filepath.Join(dir, "in.gnumeric")
			convert(t, environment, "-I", "Gnumeric_stf:stf_csvtab", in, sheet)
			convert(t, []string{"LC_ALL=C.UTF-8"}, "-T", "Gnumeric_stf:stf_assistant", "-O", "separator=, quoting-mode=always eol=windows format=raw", sheet, out)
			back, err := os.ReadFile(out)
			testkit.Must(t, err)
			read[i] = parse(t, string(back), ',')
		}
		testkit.Equal(t, table+" in both", read[0], read[1])
		text, _ := written(t, export.File{Table: table, Format: export.CSV}, s)
		want := parse(t, text, ',')
		testkit.Equal(t, "rows of "+table, len(read[0]), len(want))
		dates := map[int]bool{}
		if found, ok := export.TableOf(table); ok {
			for i, c := range found.Columns {
				dates[i] = c.Kind == export.Day // a spreadsheet has a day as a number
			}
		}
		for y, row := range want {
			for x, cell := range row {
				if _, err := catalog.ParseDate(cell); y > 0 && (dates[x] || err == nil) {
					continue
				}
				if got := read[0][y][x]; got != cell && got != strings.TrimPrefix(cell, "'") {
					t.Errorf("%s: row %d, column %d is %q, want %q", table, y, x, got, cell)
				}
			}
		}
	}
}

func convert(t *testing.T, environment []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ssconvert", args...)
	cmd.Env = append(os.Environ(), environment...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ssconvert %q: %v: %s", args, err, out)
	}
}
