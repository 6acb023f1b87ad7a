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
	if want := "tools/outil-0.md  changed by edition 2 of 2026-03-01, commit " + commit[:12] + " by Ada\n"; err == nil ||
		!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--allow-stale") {
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
	if err == nil || !strings.Contains(err.Error(), "tools/outil-0.md  changed by edition 4 of ") ||
		!strings.Contains(err.Error(), "tools/outil-1.md  changed by edition 3 of ") {
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
	// The tool that is retired is there again, and its notice is gone without a word.
	other.wantStale(other.options(), 2, "catalog.yaml", "categories.yaml", "cimetiere/feu.md", "comparatifs/duel.md",
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
