package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// A previewed is a running preview of a directory.
type previewed struct {
	*process
	dir string
	url string
}

func openPreview(t *testing.T, dir string) *previewed {
	t.Helper()
	// It is asked over and over for what a save shows: more often than a quota allows.
	p := &previewed{process: start(t, nil, "preview", dir, "--listen", "127.0.0.1:0", "--no-quota"), dir: dir}
	_, rest, _ := strings.Cut(p.await(0, ", reloading"), "on http://")
	address, _, _ := strings.Cut(rest, ",")
	p.url = "http://" + address + "/api/v1"
	return p
}

func says(text string) func(testkit.Response) bool {
	return func(a testkit.Response) bool { return a.Says(text) }
}

func missing(a testkit.Response) bool { return a.Status == http.StatusNotFound }

// What is saved is served and printed within a second; what is broken is printed, and the last
// good state is served.
func TestPreview_FollowsTheFiles(t *testing.T) {
	t.Parallel()
	dir := testkit.CopyOf(t, exampleCatalog)
	var p *previewed
	testkit.Within(t, "the first answer", 2*time.Second, func() {
		p = openPreview(t, dir)
		testkit.EventuallyGet(t, p.url+"/tools/copeau", says(`"price":"9,90 €/mois"`))
	})
	p.await(0, "43 tools, 14 comparisons, 8 retired\n")
	p.await(0, "curl '"+p.url+"/tools?limit=3'")

	file := func(name string) string { return filepath.Join(dir, name) }
	save := func(name, text string) { must(t, os.WriteFile(file(name), []byte(text), 0o600)) }
	move := func(from, to string) { must(t, os.Rename(from, to)) }
	const copeau, broken = "tools/copeau.md", "The last good state is served until this is fixed."
	good, away := "", filepath.Join(t.TempDir(), "cimetiere")
	for _, step := range []struct {
		do      func()
		path    string
		wanted  func(testkit.Response) bool
		printed []string
	}{
		{
			func() { testkit.Edit(t, file(copeau), "9,90 €/mois", "12 €/mois") },
			"/pricing/copeau", says(`"old_price":"9,90 €/mois"`),
			[]string{
				"  ~ copeau  ", "      price: 9,90 €/mois → 12 €/mois\n", "Prices\n  copeau  9,90 €/mois → 12 €/mois\n", "Total: tools 1 changed",
			},
		},
		{
			func() { testkit.Edit(t, file(copeau), `"12 €/mois"`, `"12 dollars"`) },
			"/tools/copeau", says(`"price":"12 €/mois"`),
			[]string{dir + "/tools/copeau.md:10:8: ", broken},
		},
		{ // another file may change meanwhile: it waits
			func() { testkit.Edit(t, file("tools/babeluche.md"), "score: 6.4", "score: 6.5") },
			"/tools/babeluche", says(`"score":6.4`),
			[]string{broken},
		},
		{
			func() { testkit.Edit(t, file(copeau), `"12 dollars"`, `"13 €/mois"`) },
			"/tools/babeluche", says(`"score":6.5`),
			[]string{"Total: tools 2 changed"},
		},
		{
			func() { good = testkit.ReadFile(t, file(copeau)); save(copeau, "---\n") },
			"/tools/copeau", says(`"price":"13 €/mois"`),
			[]string{broken},
		},
		{
			func() { save(copeau, good) },
			"/tools/copeau", says(`"price":"13 €/mois"`),
			[]string{"Fixed: the files are as they are served again."},
		},
		{
			func() { must(t, os.Remove(file("tools/archivette.md"))) },
			"/tools/archivette", missing,
			[]string{"  - archivette  Archivette  removed\n"},
		},
		{
			func() { move(file("tools/epluche.md"), file("tools/epluche-2.md")) },
			"/tools/epluche", missing,
			[]string{"  - epluche  ", "  + epluche-2  "},
		},
		{ // as editors save: a hidden file beside it, renamed over it
			func() {
				save("tools/.copeau.md.swp", strings.Replace(good, "score: 7.6", "score: 7.7", 1))
				move(file("tools/.copeau.md.swp"), file(copeau))
			},
			"/tools/copeau", says(`"score":7.7`),
			[]string{"score: 7.6 → 7.7"},
		},
		{ // a whole folder goes, as with a branch that has none, and comes back
			func() { move(file("cimetiere"), away) },
			"/stats", says(`"tools_retired":0`),
			[]string{"cemetery 8 gone"},
		},
		{
			func() { move(away, file("cimetiere")) },
			"/stats", says(`"tools_retired":8`),
			[]string{"cemetery 8 added"},
		},
		{
			func() { testkit.Edit(t, file("cimetiere/nuageon.md"), "reason: pivot", "reason: mort") },
			"/cimetiere?reason=mort", says(`"nuageon"`),
			[]string{"reason: pivot → mort"},
		},
	} {
		mark := p.mark()
		step.do()
		testkit.Within(t, "showing "+step.path, time.Second, func() {
			for _, line := range step.printed {
				p.await(mark, line)
			}
			testkit.EventuallyGet(t, p.url+step.path, step.wanted)
		})
	}
	p.stop()
}

func TestPreview_StartsWithFaults(t *testing.T) {
	t.Parallel()
	dir := testkit.CopyOf(t, exampleCatalog)
	sound := testkit.ReadFile(t, dir+"/categories.yaml")
	must(t, os.WriteFile(dir+"/categories.yaml", []byte("- nom: code\n"+sound), 0o600))
	p := openPreview(t, dir)
	p.await(0, dir+"/categories.yaml:1:")
	p.await(0, "Nothing is served until this is fixed.")
	if a := testkit.Get(t, p.url+"/tools"); a.Status != http.StatusServiceUnavailable || !strings.Contains(a.Body, `"error"`) {
		t.Errorf("with nothing to serve: %v", a)
	}
	must(t, os.WriteFile(dir+"/categories.yaml", []byte(sound), 0o600))
	p.await(0, "43 tools, 14 comparisons, 8 retired\n")
	testkit.EventuallyGet(t, p.url+"/tools/copeau", testkit.Response.OK)
}

func TestPreview_SaysThatItsPortIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	out, err := command(t, nil, "preview", testkit.CopyOf(t, exampleCatalog), "--listen", taken.Addr().String()).CombinedOutput()
	want := "palmares: " + taken.Addr().String() + " is taken by another program: choose another address with --listen\n"
	if err == nil || string(out) != want {
		t.Errorf("%v, printed:\n%swant:\n%s", err, out, want)
	}
}
