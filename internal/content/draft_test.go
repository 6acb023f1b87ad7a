package content_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const toolText = "domain: essai.example\ncategory: code\nicp: mixte\npricing: payant\nprice: 20 €/mois\ntagline: Un outil\n" +
	"obsolescence: 1\ntier: 3\nmainstream: false\n---\n\nUne critique.\n"

// layTool writes a tool of that name over the base.
func layTool(t *testing.T, name string, more ...archiveFile) (dir string) {
	t.Helper()
	dir, _ = layFixture(t, archive{files: append(more, archiveFile{"tools/sujet.md", "---\nname: " + strconv.Quote(name) + "\n" + toolText})})
	return dir
}

var dead = content.Retirement{Reason: catalog.Dead, Date: "2026-11-10", Note: "Le service a fermé."}

// Whatever a name looks like to YAML, it is the same name after the retirement.
func TestRetire_KeepsTheName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Lumen", "42", "4.2", "true", "null", "~", "2026-01-01", "Deux : points", "fin:", "a #b", "# dièse", `"guillemets"`, "l'apostrophe",
		`\ barre`, "- tiret", "@x", "*étoile", "{a}", "[b]", "%x", "!oui", "&co", "<b>", "R&D <i>", "été 🜂", "x\u00a0y", "? quoi", "| tube", "0x1F", "yes",
	} {
		dir := layTool(t, name)
		write(t, dir, "tools/sujet.en.md", "The English of a review goes with it.\n")
		r, err := content.Retire(dir, "sujet", dead)
		if err != nil || len(r.Left)+len(r.Compared) > 0 {
			t.Errorf("%s: %v %v %v", name, r.Left, r.Compared, err)
			continue
		}
		after := load(t, dir, content.Options{})
		if err := after.Err(); err != nil {
			t.Errorf("%s: %v", name, after.Faults)
			continue
		}
		if got := after.Contents.Retired[len(after.Contents.Retired)-1]; got.Slug != "sujet" || got.Name != name || got.Category != "code" || got.Note != dead.Note {
			t.Errorf("%s became %+v", name, got)
		}
		if _, err := os.Stat(filepath.Join(dir, "tools/sujet.md")); !os.IsNotExist(err) {
			t.Errorf("%s: the tool is there still: %v", name, err)
		}
	}
}

// Whoever still has a retired tool looks it up by its domain or by what is installed.
func TestRetire_KeepsWhatItIsFoundBy(t *testing.T) {
	t.Parallel()
	dir, _ := layFixture(t, archive{files: []archiveFile{{
		"tools/sujet.md", "---\nname: Sujet\npackages: [pkg:npm/%40sujet/cli, 'pkg:pypi/sujet']\n" + toolText,
	}}})
	if _, err := content.Retire(dir, "sujet", dead); err != nil {
		t.Fatal(err)
	}
	after := load(t, dir, content.Options{})
	testkit.Must(t, after.Err())
	got := after.Contents.Retired[len(after.Contents.Retired)-1]
	testkit.Equal(t, "slug, domain and packages", fmt.Sprint(got.Slug, got.Domain, got.Packages),
		fmt.Sprint("sujet", "essai.example", []string{"pkg:npm/%40sujet/cli", "pkg:pypi/sujet"}))
}

// A comparison with faults of its own is found all the same; one that cannot be read is
// told.
func TestRetire_LooksAtEveryComparison(t *testing.T) {
	t.Parallel()
	dir := layTool(t, "Sujet",
		archiveFile{"comparatifs/faux.md", "---\ntitle: 42\ntool_a: sujet\r\nwinner: nemo\n---\n"},
		archiveFile{"comparatifs/brouillon.md", "---\ntool_b: \"sujet\"\nstatus: draft\n---\n"},
		archiveFile{"comparatifs/casse.md", "---\ntool_a: sujet: non\n---\n"},
		archiveFile{"comparatifs/vide.md", ""},
	)
	r, err := content.Retire(dir, "sujet", dead)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range append(r.Compared, r.Unchecked...) {
		got = append(got, f.String())
	}
	for i, want := range []string{
		`comparatifs/brouillon.md:2:9: warning: tool "sujet" is retired: this draft`, `comparatifs/faux.md:3:9: tool "sujet" is retired: a published`,
		`comparatifs/casse.md:2:`, `comparatifs/vide.md:1:1: no front matter`,
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
}

// What cannot be done leaves the directory as it was.
func TestRetire_AllOrNothing(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(dir string) error{
		"a file where the folder goes": func(dir string) error {
			if err := os.RemoveAll(filepath.Join(dir, "cimetiere")); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "cimetiere"), nil, 0o600)
		},
		"a link that leads out": func(dir string) error {
			if err := os.RemoveAll(filepath.Join(dir, "cimetiere")); err != nil {
				return err
			}
			return os.Symlink(t.TempDir(), filepath.Join(dir, "cimetiere"))
		},
	} {
		dir := layTool(t, "Sujet")
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := content.Retire(dir, "sujet", dead); err == nil {
			t.Errorf("%s: retired", name)
		}
		if _, err := os.Stat(filepath.Join(dir, "tools/sujet.md")); err != nil {
			t.Errorf("%s: the tool is gone: %v", name, err)
		}
	}
}

// The keys are those that check wants, so a draft cannot lag behind them: filled in, it
// passes.
func TestNewTool_FilledInPasses(t *testing.T) {
	t.Parallel()
	dir, _ := layFixture(t, archive{})
	d, err := content.NewTool(dir, "sujet", content.ToolDraft{Name: "Sujet: un", Category: "code"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, d.File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	filled := string(text)
	for _, line := range []string{
		"domain: sujet.example", "icp: mixte", "pricing: gratuit", "price: 0 €/mois", "tagline: Un outil", "obsolescence: 2", "tier: 3", "mainstream: false",
	} {
		key, _, _ := strings.Cut(line, ":")
		filled = strings.Replace(filled, "\n"+key+":\n", "\n"+line+"\n", 1)
	}
	filled = strings.Replace(filled, "# score: ", "score: ", 1)
	if err := os.WriteFile(path, []byte(filled), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := load(t, dir, content.Options{}); r.Err() != nil || len(d.Left) != 8 {
		t.Errorf("%v, left %v:\n%s", r.Faults, d.Left, filled)
	}
}
