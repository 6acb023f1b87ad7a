package publish_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
)

// git runs git in the desk's directory.
func (d *desk) git(args ...string) string {
	d.Helper()
	cmd := exec.CommandContext(d.Context(), "git", append([]string{
		"-C", d.dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false",
	}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (d *desk) commit() string {
	d.Helper()
	d.git("add", "-A")
	d.git("commit", "-q", "-m", "Un pas")
	return d.git("rev-parse", "HEAD")
}

// clone is a colleague's desk, with a clone of this one's files.
func (d *desk) clone() *desk {
	d.Helper()
	other := *d
	other.dir = filepath.Join(d.TempDir(), "clone")
	d.git("clone", "-q", d.dir, other.dir)
	return &other
}

// options are those of a publication from a checkout.
func (d *desk) options() publish.Options {
	d.Helper()
	c, found := checkout.Open(d.Context(), d.dir)
	if !found {
		d.Fatal("there is no checkout")
	}
	return publish.Options{Checkout: c}
}

func (d *desk) wantStale(o publish.Options, edition int64, files ...string) {
	d.Helper()
	e := d.refused(o)
	var got []string
	for _, f := range e.Stale {
		got = append(got, f.File)
		if f.Edition.Number != edition {
			d.Errorf("%s: edition %d, want %d", f.File, f.Edition.Number, edition)
		}
	}
	if strings.Join(got, " ") != strings.Join(files, " ") {
		d.Errorf("stale are %q, want %q", got, files)
	}
}

// A colleague publishes a price. Who has not pulled would take it back, and is refused; once pulled,
// the same price is meant.
func TestAStaleCheckoutIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 3)
	d.git("init", "-q", "-b", "main")
	d.commit()
	d.publish(d.options())
	other := d.clone()
	d.tool("outil-0", "12 €/mois")
	commit := d.commit()
	d.publish(d.options())

	other.tool("outil-1", "11 €/mois")
	other.commit()
	for _, dry := range []bool{true, false} {
		o := other.options()
		o.DryRun = dry
		other.wantStale(o, 2, "tools/outil-0.md")
	}
	_, err := other.run(other.options())
	if want := "tools/outil-0.md  price  changed by edition 2 of 2026-03-01, commit " + commit[:12] + " by Ada\n"; err == nil ||
		!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "git pull --rebase") || !strings.Contains(err.Error(), "--allow-stale") {
		t.Errorf("it says %v", err)
	}
	o := other.options()
	o.AllowStale = true
	o.DryRun = true
	other.publish(o)

	other.git("pull", "-q", "--rebase")
	other.publish(other.options())
	other.wantEdition(3)
	other.tool("outil-0", "10 €/mois") // as at first, and meant, committed or not
	o = other.options()
	o.DryRun = true
	other.publish(o)
	other.commit()
	other.publish(other.options())
	other.wantEdition(4)
	// And the one who has not pulled since is in the same place as the colleague was.
	_, err = d.run(d.options())
	if err == nil || !strings.Contains(err.Error(), "tools/outil-0.md  price  changed by edition 4 of ") ||
		!strings.Contains(err.Error(), "tools/outil-1.md  price  changed by edition 3 of ") {
		t.Errorf("it says %v", err)
	}
}

// However many editions were missed. A file that nobody took further is anybody's.
func TestAVeryStaleCheckout(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 3)
	d.git("init", "-q", "-b", "main")
	d.commit()
	other := d.clone()
	d.publish(d.options())
	for _, price := range []string{"12 €/mois", "13 €/mois", "14 €/mois"} {
		d.tool("outil-0", price)
		d.commit()
		d.publish(d.options())
	}
	other.tool("outil-1", "11 €/mois")
	other.wantStale(other.options(), 4, "tools/outil-0.md")
	other.tool("outil-0", "15 €/mois") // a new price, over one that nobody here has seen, but not an old one
	other.publish(other.options())
}

// Without git there is only the digest: what goes back is allowed, or corrected.
func TestStaleWithoutGit(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.publish(publish.Options{})
	d.tool("outil-0", "12 €/mois")
	d.publish(publish.Options{})
	d.tool("outil-0", "10 €/mois")
	d.wantStale(publish.Options{}, 2, "tools/outil-0.md")
	d.publish(publish.Options{Correct: []string{"outil-0"}, DryRun: true})
	d.publish(publish.Options{AllowStale: true})
	// A day that is asked for is not stale.
	d.tool("outil-0", "12 €/mois")
	d.wantStale(publish.Options{}, 3, "tools/outil-0.md")
	d.publish(publish.Options{At: "2026-03-01"})
	// A correction allows its own tool to go back, and no other file.
	d.tool("outil-0", "10 €/mois")
	d.tool("outil-1", "11 €/mois")
	d.publish(publish.Options{AllowStale: true})
	d.tool("outil-0", "12 €/mois")
	d.tool("outil-1", "10 €/mois")
	d.wantStale(publish.Options{Correct: []string{"outil-0"}}, 5, "tools/outil-1.md")
}

// Without git nothing tells whose directory is old. The plan marks each field that would be again what it was before its last
// change, however long ago that was and under whatever slug.
func TestBack_WithoutGit(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 3)
	edit := func(file string, pairs ...string) {
		t.Helper()
		d.write(file, strings.NewReplacer(pairs...).Replace(d.read(file)))
	}
	d.publish(publish.Options{})
	edit("tools/outil-0.md", "score: 7.5", "score: 8")
	d.publish(publish.Options{})
	edit("tools/outil-0.md", "10 €/mois", "12 €/mois", "tagline: Un outil", "tagline: Le meilleur")
	d.publish(publish.Options{})
	text := d.read("tools/outil-0.md")
	d.remove("tools/outil-0.md")
	d.write("tools/neuf.md", strings.Replace(text, "---\n", "---\nformerly: [outil-0]\n", 1))
	d.publish(publish.Options{})
	for _, test := range []struct{ before, after, marked string }{
		{"score: 8", "score: 7.5", "score"},
		{"score: 8", "score: 7.4", ""},
		{"12 €/mois", "10 €/mois", "price"},
		{"tagline: Le meilleur", "tagline: Un outil", "tagline"},
		{"tier: 3", "tier: 2", ""},
	} {
		edit("tools/neuf.md", test.before, test.after)
		out := d.publish(publish.Options{DryRun: true})
		if got := strings.Join(out.Changes.Tools[0].Back, " "); got != test.marked {
			t.Errorf("%s: marked are %q, want %q", test.after, got, test.marked)
		}
		edit("tools/neuf.md", test.after, test.before)
	}
	// What is corrected goes back because it was a slip, and a slip is nothing that was.
	edit("tools/neuf.md", "12 €/mois", "1200 €/mois")
	d.publish(publish.Options{AllowPriceJump: true})
	edit("tools/neuf.md", "1200 €/mois", "13 €/mois")
	out := d.publish(publish.Options{Correct: []string{"neuf"}})
	if back := out.Changes.Tools[0].Back; len(back) > 0 {
		t.Errorf("marked in a correction: %q", back)
	}
	edit("tools/neuf.md", "13 €/mois", "12 €/mois", "score: 8", "score: 8.5")
	out = d.publish(publish.Options{DryRun: true})
	if back := out.Changes.Tools[0].Back; strings.Join(back, " ") != "price" {
		t.Errorf("after a correction: %q", back)
	}
}

// An edition of files that were not committed: its commit tells nothing about them, but a later one
// that has them does.
func TestAnEditionOfModifiedFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.git("init", "-q", "-b", "main")
	d.commit()
	d.publish(d.options())
	other := d.clone()
	d.tool("outil-0", "12 €/mois")
	d.publish(d.options()) // before the commit
	other.tool("outil-1", "11 €/mois")
	other.wantStale(other.options(), 2, "tools/outil-0.md")
	d.commit()
	other.git("checkout", "-q", ".")
	other.git("pull", "-q")
	other.tool("outil-0", "10 €/mois")
	other.publish(other.options())
	editions, err := d.db.Catalog.Editions(t.Context(), 0)
	if err != nil || len(editions) != 3 {
		t.Fatal(err, editions)
	}
	for i, modified := range []bool{true, true, false} {
		e := editions[i]
		if e.Modified != modified || e.Author != "Ada" || len(e.Commit) != 40 || e.Number != int64(3-i) {
			t.Errorf("edition %d: %+v", e.Number, e)
		}
	}
	if c := editions[2].Changed; *c != (catalog.Changed{Tools: 2}) || editions[2].Events != 3 {
		t.Errorf("edition 1 changed %+v, with %d events", c, editions[2].Events)
	}
}

// What a file said before the base is in every history, and tells nothing: here the base was published with another price than it has.
func TestStale_BeforeTheBase(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.git("init", "-q", "-b", "main")
	d.commit()
	d.publish(d.options())
	d.tool("outil-0", "12 €/mois")
	d.commit()
	other := d.clone()
	d.tool("outil-0", "13 €/mois")
	d.publish(d.options()) // before the commit
	d.tool("outil-0", "10 €/mois")
	d.commit()
	o := d.options()
	o.AllowStale = true
	d.publish(o)
	other.tool("outil-1", "11 €/mois")
	other.commit()
	other.wantStale(other.options(), 3, "tools/outil-0.md")
}

// Who goes back to what was published before the base has edited the file: it is no newer base.
func TestStale_BackBehindTheBase(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.git("init", "-q", "-b", "main")
	d.commit()
	d.publish(d.options())
	d.tool("outil-0", "12 €/mois")
	d.commit()
	d.publish(d.options())
	other := d.clone()
	d.tool("outil-0", "13 €/mois")
	d.commit()
	d.publish(d.options())
	other.tool("outil-0", "10 €/mois") // as at first
	other.commit()
	out := other.publish(other.options())
	if said := fmt.Sprint(out.Warnings); !strings.Contains(said, "what you wrote of price takes its place") {
		t.Errorf("warned: %s", said)
	}
}

// All files count: those at the top, comparisons, the cemetery, the operator's pages.
func TestEveryFileIsKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 5)
	d.comparison("duel", "outil-0", "outil-1", "published")
	d.retired("feu")
	d.write("pages/conditions.md", "Avant.\n")
	d.git("init", "-q", "-b", "main")
	d.commit()
	d.publish(d.options())
	other := d.clone()
	d.write("catalog.yaml", strings.Replace(d.read("catalog.yaml"), "name: Palmarès", "name: Autre", 1))
	d.write("categories.yaml", "- slug: code\n  label: Le code\n")
	d.comparison("duel", "outil-1", "outil-0", "published")
	d.write("cimetiere/feu.md", strings.Replace(d.read("cimetiere/feu.md"), "Fermé.", "Fini.", 1))
	d.write("pages/conditions.md", "Après.\n")
	d.write("pages/mentions-legales.md", "Neuf.\n")
	d.remove("tools/outil-4.md")
	d.retired("outil-4")
	d.commit()
	d.publish(d.options())
	// The tool that is retired is there again, and its notice is gone.
	other.wantStale(other.options(), 2, "catalog.yaml", "categories.yaml", "cimetiere/feu.md", "cimetiere/outil-4.md", "comparatifs/duel.md",
		"pages/conditions.md", "pages/mentions-legales.md", "tools/outil-4.md")
	other.git("pull", "-q")
	other.remove("pages/mentions-legales.md") // it knows of it
	other.publish(other.options())
}

// A comment that is added makes no edition, and the file's state before it is still an old one.
func TestARewrittenFileIsRemembered(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.publish(publish.Options{})
	first := d.read("tools/outil-0.md")
	d.write("tools/outil-0.md", strings.Replace(first, "---\n", "---\n# un commentaire\n", 1))
	if out := d.publish(publish.Options{}); out.Written() {
		t.Fatal("a comment is an edition")
	}
	d.write("tools/outil-0.md", strings.Replace(d.read("tools/outil-0.md"), "10 €/mois", "12 €/mois", 1))
	d.publish(publish.Options{})
	d.write("tools/outil-0.md", first)
	d.wantStale(publish.Options{}, 2, "tools/outil-0.md")
}

// What a version that kept no digests published is not known, from its last change on it is.
func TestDigestsFromBefore(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	url := pgtest.Migrated(t)
	db, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	d.db = db
	d.publish(publish.Options{})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `DELETE FROM file_changes`); err != nil {
		t.Fatal(err)
	}
	d.tool("outil-0", "12 €/mois")
	d.publish(publish.Options{})
	d.tool("outil-0", "10 €/mois")
	d.wantStale(publish.Options{}, 2, "tools/outil-0.md")
}

func (d *desk) read(path string) string {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, path))
	if err != nil {
		d.Fatal(err)
	}
	return string(text)
}

// As docs/content-format.md says: what an earlier edition was published from is the next one.
func TestGoingBackToAnEarlierEdition(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 6)
	d.git("init", "-q", "-b", "main")
	first := d.commit()
	d.publish(d.options())
	d.tool("outil-0", "12 €/mois")
	d.tool("neuf", "5 €/mois")
	d.commit()
	d.publish(d.options())
	d.git("restore", "--source", first, "--staged", "--worktree", d.dir)
	d.git("commit", "-q", "-m", "Retour")
	if e := d.refused(d.options()); len(e.Stale) != 0 || len(e.Vanished) != 1 {
		t.Errorf("refused for %+v", e)
	}
	o := d.options()
	o.AllowRemoval = true
	d.publish(o)
	if c, _ := d.published(); len(c.Tools) != 6 || c.Tools[0].Price != "10 €/mois" {
		t.Errorf("published are %d tools", len(c.Tools))
	}
}

// Of a file the last states are known, and no more are kept.
func TestTheLastStatesOfAFileAreKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1)
	for i := range 25 {
		d.tool("outil-0", fmt.Sprintf("%d €/mois", 20+i))
		d.publish(publish.Options{})
	}
	past, err := d.db.Catalog.Past().Files(t.Context(), []string{"tools/outil-0.md", "tools/personne.md"})
	if err != nil || len(past) != 1 || len(past["tools/outil-0.md"].Before) != 20 || past["tools/outil-0.md"].Edition.Number != 25 {
		t.Errorf("%v, %+v", err, past)
	}
	d.tool("outil-0", "24 €/mois") // 20 states ago
	d.wantStale(publish.Options{}, 25, "tools/outil-0.md")
	d.tool("outil-0", "23 €/mois")
	d.publish(publish.Options{})
}

// Files are held against the base by field, as far as they have any: what was edited here is meant, and the rest of the
// same file is not. What both have edited is published, with a warning.
func TestStale_ByField(t *testing.T) {
	t.Parallel()
	categories := func(more string) string { return "- slug: code\n  label: Code\n" + more }
	for name, test := range map[string]struct {
		file                string
		first, theirs, ours string
		refused             string // the field; "-" for none
		warned              bool
	}{
		"another key":           {"catalog.yaml", "", "contact: {fr: a@example.org}\n", "license: etalab-2.0\n", "contact.fr", false},
		"another category":      {"categories.yaml", categories(""), categories("- slug: chat\n  label: Chat\n"), categories("- slug: image\n  label: Image\n"), "chat", false},
		"the label of another":  {"categories.yaml", categories("- slug: b\n  label: B\n"), categories("- slug: b\n  label: Bé\n"), "- slug: b\n  label: B\n" + categories(""), "b.label", false},
		"a page, untouched":     {"pages/conditions.md", "Un.\n", "Deux.\n", "Un.\n", "", false},
		"a page, by both":       {"pages/conditions.md", "Un.\n", "Deux.\n", "Trois.\n", "-", true},
		"a page that came":      {"pages/conditions.md", "", "Deux.\n", "", "", false},
		"English, untouched":    {"tools/outil-0.en.md", "One.\n", "Two.\n", "One.\n", "", false},
		"English that came":     {"tools/outil-0.en.md", "", "Two.\n", "", "", false},
		"English, by both":      {"tools/outil-0.en.md", "One.\n", "Two.\n", "Three.\n", "-", true},
		"a tool that came":      {"tools/neuf.md", "", "neuf", "", "", false},
		"a comparison unlocked": {"comparatifs/duel.md", "draft", "published", "draft", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, 3)
			d.write("tools/outil-0.md", d.read("tools/outil-0.md")+"Le texte.\n")
			base := d.read("catalog.yaml")
			put := func(d *desk, text string) {
				switch {
				case test.file == "catalog.yaml":
					d.write(test.file, base+text)
				case text == "" && test.file != "":
					_ = os.Remove(filepath.Join(d.dir, test.file))
				case test.file == "tools/neuf.md":
					d.tool("neuf", "5 €/mois")
				case test.file == "comparatifs/duel.md":
					d.comparison("duel", "outil-0", "outil-1", text)
				default:
					d.write(test.file, text)
				}
			}
			put(d, test.first)
			d.git("init", "-q", "-b", "main")
			d.commit()
			d.publish(d.options())
			other := d.clone()
			put(d, test.theirs)
			d.commit()
			d.publish(d.options())

			put(other, test.ours)
			other.tool("outil-2", "11 €/mois") // something of one's own
			other.commit()
			if test.refused == "-" {
				out := other.publish(other.options())
				warned := strings.Contains(fmt.Sprint(out.Warnings), "this checkout does not have that change")
				if warned != test.warned {
					t.Errorf("warned: %v", out.Warnings)
				}
				return
			}
			o := other.options()
			o.AllowRemoval = true // which is not for what was never here
			e := other.refused(o)
			if len(e.Stale) != 1 || e.Stale[0].File != test.file || strings.Join(e.Stale[0].Fields, " ") != test.refused || e.Stale[0].Edition.Number != 2 {
				t.Errorf("stale are %+v", e.Stale)
			}
			if e := other.refused(other.options()); len(e.Vanished) != 0 {
				t.Errorf("vanished are %q", e.Vanished)
			}
		})
	}
}

// Who renames a tool in a checkout that was not pulled takes back what a colleague has written under the old slug.
func TestStale_Renamed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.git("init", "-q", "-b", "main")
	d.commit()
	d.publish(d.options())
	other := d.clone()
	d.tool("outil-0", "12 €/mois")
	d.commit()
	d.publish(d.options())

	rename := func() {
		text := other.read("tools/outil-0.md")
		other.remove("tools/outil-0.md")
		other.write("tools/neuf.md", strings.Replace(text, "---\n", "---\nformerly: [outil-0]\n", 1))
	}
	rename()
	other.commit()
	e := other.refused(other.options())
	if len(e.Stale) != 1 || e.Stale[0].File != "tools/neuf.md" || strings.Join(e.Stale[0].Fields, " ") != "price" {
		t.Errorf("stale are %+v", e.Stale)
	}
	other.git("reset", "-q", "--hard", "HEAD~1")
	other.git("pull", "-q")
	rename()
	other.publish(other.options()) // not committed yet
	other.commit()
	other.write("tools/neuf.md", strings.Replace(other.read("tools/neuf.md"), "12 €/mois", "10 €/mois", 1))
	other.publish(other.options())
}

// Who has the published value under the old slug, in a commit of one's own, knows of it under the new one.
func TestStale_RenamedAfterASquash(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.git("init", "-q", "-b", "main")
	d.commit()
	d.publish(d.options())
	other := d.clone()
	d.tool("outil-0", "12 €/mois")
	d.commit()
	d.publish(d.options())

	other.tool("outil-0", "12 €/mois")
	other.tool("outil-1", "11 €/mois")
	other.commit()
	text := other.read("tools/outil-0.md")
	other.remove("tools/outil-0.md")
	other.write("tools/neuf.md", strings.Replace(strings.Replace(text, "---\n", "---\nformerly: [outil-0]\n", 1), "12 €/mois", "10 €/mois", 1))
	other.commit()
	if out := other.publish(other.options()); strings.Contains(fmt.Sprint(out.Warnings), "does not have that change") {
		t.Errorf("warned: %v", out.Warnings)
	}
}
