package content_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// today is the day on which the tests of histories read the files.
var today = time.Date(2026, 3, 10, 23, 30, 0, 0, time.UTC)

func onToday() time.Time { return today }

// layHistory gives the base a history, from files by their paths. The text "20 → 5" stands for
// today's file of that name with one thing put in the place of another.
func layHistory(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	var a archive
	for name, text := range files {
		if old, older, ok := strings.Cut(text, " → "); ok {
			_, path, _ := strings.Cut(strings.TrimPrefix(name, "history/"), "/")
			text = strings.Replace(readBase(t, path), old, older, 1)
		}
		a.files = append(a.files, archiveFile{name: name, data: text})
	}
	dir, _ = layFixture(t, a)
	return dir
}

// Each day has the files that it had: those of the newest day before, none that had gone or had not
// come yet, and those of today where the history names none.
func TestHistory(t *testing.T) {
	t.Parallel()
	dir := layHistory(t, map[string]string{
		"history/2024-02-29/tools/lumen.md":                 "20 €/mois → 15 €/mois",
		"history/2024-02-29/tools/ancien.md":                strings.ReplaceAll(readBase(t, "tools/brume.md"), "rume", "ncien"),
		"history/2024-02-29/categories.yaml":                "Code → Programmation",
		"history/2025-01-01/tools/lumen.md":                 "20 €/mois → 18 €/mois",
		"history/2025-01-01/tools/ancien.md":                "",
		"history/2025-01-01/cimetiere/ancien.md":            "2024-02-29 → 2025-01-01",
		"history/2025-01-01/categories.yaml":                readBase(t, "categories.yaml"),
		"history/3-days-ago/comparatifs/lumen-vs-cobalt.md": readBase(t, "comparatifs/lumen-vs-cobalt.md"),
		"history/3-days-ago/README.md":                      "Des notes.",
	})
	days, err := content.History(dir, today)
	if err != nil || fmt.Sprint(days) != "[2024-02-29 2025-01-01 2026-03-07]" {
		t.Fatalf("the days are %v, %v", days, err)
	}
	for _, want := range []struct {
		content.Options
		state string
	}{
		{content.Options{At: "2024-02-29"}, "[ancien 0 €/mois, brume 0 €/mois, cobalt 20 €/mois, lumen 15 €/mois] 0 compared, 0 retired, Programmation"},
		{content.Options{At: "2024-12-31"}, "[ancien 0 €/mois, brume 0 €/mois, cobalt 20 €/mois, lumen 15 €/mois] 0 compared, 0 retired, Programmation"},
		{content.Options{At: "2025-01-01"}, "[brume 0 €/mois, cobalt 20 €/mois, lumen 18 €/mois] 0 compared, 1 retired, Code"},
		{content.Options{At: "2026-03-07"}, "[brume 0 €/mois, cobalt 20 €/mois, lumen 18 €/mois] 1 compared, 1 retired, Code"},
		{content.Options{At: "2026-03-08"}, "[brume 0 €/mois, cobalt 20 €/mois, lumen 20 €/mois] 1 compared, 1 retired, Code"},
		{content.Options{}, "[brume 0 €/mois, cobalt 20 €/mois, lumen 20 €/mois] 1 compared, 1 retired, Code"},
	} {
		want.Now = onToday
		r := load(t, dir, want.Options)
		var tools []string
		for _, tool := range r.Contents.Tools {
			tools = append(tools, tool.Slug+" "+tool.Price)
		}
		got := fmt.Sprintf("[%s] %d compared, %d retired, %s", strings.Join(tools, ", "),
			len(r.Contents.Comparisons), len(r.Contents.Retired), r.Contents.Categories[0].Label)
		if got != want.state || len(r.Faults) > 0 {
			t.Errorf("on %q: %s\nwant %s\n%s", want.At, got, want.state, messages(r))
		}
	}
	if _, err := content.Load(t.Context(), dir, content.Options{At: "2024-02-28", Now: onToday}); err == nil {
		t.Error("a day before the history has files")
	}
	sound := func(what string) {
		t.Helper()
		faults, err := content.CheckHistory(t.Context(), dir, content.Options{Now: onToday})
		if err != nil || len(faults) > 0 {
			t.Errorf("%s: %v %v", what, faults, err)
		}
	}
	sound("as it is")
	// What editors do today is no fault of an older day.
	testkit.Must(t, os.Mkdir(dir+"/history/3-days-ago/tools", 0o755))
	for _, name := range []string{"history/3-days-ago/tools/quartz.md", "tools/quartz.md"} {
		write(t, dir, name, strings.Replace(readBase(t, "tools/lumen.md"), "Lumen", "Quartz", 1))
	}
	write(t, dir, "comparatifs/quartz-vs-cobalt.md",
		strings.ReplaceAll(readBase(t, "comparatifs/lumen-vs-cobalt.md"), "lumen", "quartz"))
	sound("a comparison with a tool that came later")
	testkit.Must(t, os.Rename(dir+"/tools/lumen.md", dir+"/cimetiere/lumen.md"))
	write(t, dir, "cimetiere/lumen.md", strings.Replace(readBase(t, "cimetiere/ancien.md"), "2024-02-29", "2026-03-10", 1))
	testkit.Must(t, os.Remove(dir+"/comparatifs/lumen-vs-cobalt.md"))
	sound("a tool retired today")
}

// A package that moved from one tool to another is in the first on older days, and no fault of the second, whose file
// of today has it.
func TestHistory_PackageThatMoved(t *testing.T) {
	t.Parallel()
	with := "\npackages: [pkg:npm/voyage]\ncategory:"
	dir := layHistory(t, map[string]string{
		"history/2024-02-29/tools/lumen.md": "\ncategory: → " + with,
		"tools/brume.md":                    strings.Replace(readBase(t, "tools/brume.md"), "\ncategory:", with, 1),
	})
	var known *catalog.Contents
	for _, want := range []struct {
		at    catalog.Date
		owner string
	}{{"2024-02-29", "lumen"}, {"", "brume"}} {
		r := load(t, dir, content.Options{At: want.at, Now: onToday, Known: known})
		testkit.Must(t, r.Err())
		var owners []string
		for _, tool := range r.Contents.Tools {
			if len(tool.Packages) > 0 {
				owners = append(owners, tool.Slug)
			}
		}
		testkit.Equal(t, "who has the package on "+string(want.at), strings.Join(owners, " "), want.owner)
		known = r.Contents
	}
	faults, err := content.CheckHistory(t.Context(), dir, content.Options{Now: onToday})
	testkit.Must(t, err)
	testkit.Equal(t, "faults", len(faults), 0)
}

// English goes with the French of its day: what the history does not name was written for that of today.
func TestHistory_English(t *testing.T) {
	t.Parallel()
	const english = "Lumen reads each change.\n\n## Price\n\nTwenty euros.\n"
	older := strings.Replace(readBase(t, "tools/lumen.md"), "## Prix & délais\n", "", 1)
	dir := layHistory(t, map[string]string{
		"tools/lumen.en.md":                               english,
		"tools/cobalt.en.md":                              strings.ReplaceAll(english, "Lumen", "Cobalt"),
		"comparatifs/lumen-vs-cobalt.en.md":               "Lumen reads better.\n",
		"history/2024-02-29/tools/lumen.md":               older,
		"history/2025-01-01/tools/lumen.md":               "20 €/mois → 18 €/mois",
		"history/2025-01-01/tools/lumen.en.md":            english + "\nOnce.\n",
		"history/2025-06-01/tools/lumen.md":               "",
		"history/2025-07-01/tools/lumen.md":               "20 €/mois → 19 €/mois",
		"history/2025-07-01/comparatifs/autre.md":         strings.Replace(readBase(t, "comparatifs/lumen-vs-cobalt.md"), "published", "draft", 1),
		"history/2025-07-01/comparatifs/autre.en.md":      "Once.\n",
		"history/2025-08-01/comparatifs/autre.en.md":      "",
		"history/2025-08-01/tools/lumen.en.md":            "",
		"history/2026-01-01/tools/README.md":              "",
		"history/2026-01-01/cimetiere/ancien.md":          readBase(t, "cimetiere/ancien.md"),
		"history/2026-01-01/cimetiere/ancien.en.md":       "Closed.\n",
		"history/2026-01-02/comparatifs/sans-suite.en.md": "Nothing.\n",
	})
	for _, want := range []struct {
		at    catalog.Date
		state string
	}{
		{"2024-02-29", "cobalt, lumen-vs-cobalt"},
		{"2025-01-01", "cobalt, lumen once, lumen-vs-cobalt"},
		{"2025-06-01", "cobalt"},
		{"2025-07-01", "cobalt, lumen once, autre once, lumen-vs-cobalt"},
		{"2025-08-01", "cobalt, lumen-vs-cobalt"},
		{"2026-01-01", "cobalt, lumen-vs-cobalt, ancien"},
		{"", "cobalt, lumen, lumen-vs-cobalt"},
	} {
		r := load(t, dir, content.Options{At: want.at, Now: onToday})
		var texts []string
		add := func(slug, text string) {
			if strings.Contains(text, "Once.") {
				slug += " once"
			}
			if text != "" {
				texts = append(texts, slug)
			}
		}
		for _, x := range r.Contents.Tools {
			add(x.Slug, x.English.Review.Markdown.Text)
		}
		for _, x := range r.Contents.Comparisons {
			add(x.Slug, x.English.Note.Text)
		}
		for _, x := range r.Contents.Retired {
			add(x.Slug, x.English.Note.Text)
		}
		if got := strings.Join(texts, ", "); got != want.state || len(r.Faults) > 0 {
			t.Errorf("on %q: %s\nwant %s\n%s", want.at, got, want.state, messages(r))
		}
	}
}

// Faults of older states are told like all others: where they are, and what to do.
func TestCheckHistory(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ file, text, want string }{
		{"history/2024-02-29/tools/lumen.md", "20 €/mois → 20 euros", "history/2024-02-29/tools/lumen.md:7:8: price "},
		{"history/2024-02-29/tools/lumen.md", "category: code → category: cod", "history/2024-02-29/tools/lumen.md:4:11: unknown category"},
		{"history/2024-02-29/categories.yaml", "label: Code → label: 42", "history/2024-02-29/categories.yaml:2:10: label must be text"},
		{"history/2024-02-29/tools/lumen.txt", "x", "history/2024-02-29/tools/lumen.txt:1:1: stray file"},
		{"history/2024-02-29/outils/lumen.md", "x", "history/2024-02-29/outils:1:1: not a file of a catalog"},
		{
			"history/2024-02-29/cimetiere/ancien.md", "2024-02-29 → 2024-03-01",
			"history/2024-02-29/cimetiere/ancien.md:5:13: warning: retired_at 2024-03-01 is in the future",
		},
		{ // sound by itself, but not beside a file of today
			"history/2024-02-29/categories.yaml", "slug: image → slug: images",
			`tools/brume.md:4:11: on 2024-02-29, as history/ has it: unknown category "image"`,
		},
	} {
		dir := layHistory(t, map[string]string{x.file: x.text})
		if r := load(t, dir, content.Options{Now: onToday}); len(r.Faults) > 0 {
			t.Errorf("%s: the files of today have faults:\n%s", x.file, messages(r))
		}
		faults, err := content.CheckHistory(t.Context(), dir, content.Options{Now: onToday})
		if err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0].String(), x.want) {
			t.Errorf("%s: %v %v, want %s", x.file, faults, err, x.want)
		}
	}
	// The names of the folders are looked at with the files of today.
	for name, want := range map[string]string{
		"hier": "not a folder named after a day", "2026-03-11": "the day is in the future", "0-days-ago": "not a folder named after a day",
	} {
		dir := layHistory(t, map[string]string{"history/" + name + "/tools/lumen.md": "20 → 10"})
		if got := messages(load(t, dir, content.Options{Now: onToday})); !strings.HasPrefix(got, "history/"+name+":1:1: "+want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func readBase(t *testing.T, name string) string {
	t.Helper()
	return testkit.ReadFile(t, "testdata/base/"+name)
}
