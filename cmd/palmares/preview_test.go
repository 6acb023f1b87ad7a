package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What an editor may expect at most, on a machine that is not idle.
const (
	firstAnswer = 2 * time.Second
	afterSave   = time.Second
	printing    = 5 * time.Second
)

// An editing is a preview and the files that it shows.
type editing struct {
	*process
	dir string
	url string
}

func openPreview(t *testing.T, dir string) *editing {
	t.Helper()
	// It is asked over and over for what a save shows: more often than a quota allows.
	e := &editing{process: start(t, nil, "preview", dir, "--listen", "127.0.0.1:0", "--no-quota"), dir: dir}
	_, rest, _ := strings.Cut(e.await(0, ", reloading", 20*time.Second), "on http://")
	address, _, _ := strings.Cut(rest, ",")
	e.url = "http://" + address + "/api/v1"
	return e
}

func (e *editing) read(file string) string {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join(e.dir, file))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(text)
}

func (e *editing) save(file, text string) {
	e.t.Helper()
	if err := os.WriteFile(filepath.Join(e.dir, file), []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// edit replaces text that stands in the file, and saves it.
func (e *editing) edit(file, before, after string) {
	e.t.Helper()
	text := e.read(file)
	if !strings.Contains(text, before) {
		e.t.Fatalf("%s does not hold %q", file, before)
	}
	e.save(file, strings.Replace(text, before, after, 1))
}

func (e *editing) rename(from, to string) {
	e.t.Helper()
	if err := os.Rename(filepath.Join(e.dir, from), filepath.Join(e.dir, to)); err != nil {
		e.t.Fatal(err)
	}
}

// shows waits for the answer and the printed plan that a save leads to.
func (e *editing) shows(mark int, path string, wanted func(answer) bool, plan ...string) {
	e.t.Helper()
	_, took := eventually(e.t, e.url+path, afterSave, wanted)
	e.t.Logf("%s %v after the save", path, took.Round(time.Millisecond))
	for _, line := range plan {
		e.await(mark, line, printing)
	}
}

func missing(a answer) bool { return a.status == http.StatusNotFound }

func TestPreview_ShowsTheFilesAndEverySave(t *testing.T) {
	t.Parallel()
	e := openPreview(t, copyOf(t, exampleCatalog))
	eventually(t, e.url+"/tools/copeau", firstAnswer, says(`"price":"9,90 €/mois"`))
	if took := time.Since(e.started); took > patience(firstAnswer) {
		t.Errorf("the first answer came %v after the start", took)
	}
	e.await(0, "43 tools, 14 comparisons, 8 retired\n", printing)
	e.await(0, "curl '"+e.url+"/tools?limit=3'", printing)

	mark := e.stderr.mark()
	e.edit("tools/copeau.md", "9,90 €/mois", "12 €/mois")
	e.shows(mark, "/tools/copeau", says(`"price":"12 €/mois"`),
		"  ~ copeau  ", "      price: 9,90 €/mois → 12 €/mois\n",
		"Prices\n  copeau  9,90 €/mois → 12 €/mois\n", "Total: tools 1 changed")

	var price struct {
		History []map[string]string `json:"price_history"`
	}
	if err := json.Unmarshal([]byte(get(t, e.url+"/pricing/copeau").body), &price); err != nil {
		t.Fatal(err)
	}
	if len(price.History) != 1 || price.History[0]["old_price"] != "9,90 €/mois" || price.History[0]["new_price"] != "12 €/mois" {
		t.Errorf("the price history is %v", price.History)
	}
	e.stop()
}

func TestPreview_KeepsTheLastGoodStateWhileAFileIsBroken(t *testing.T) {
	t.Parallel()
	e := openPreview(t, copyOf(t, exampleCatalog))
	sound := e.read("tools/copeau.md")

	mark := e.stderr.mark()
	e.edit("tools/copeau.md", "9,90 €/mois", "9,90 dollars")
	e.await(mark, e.dir+"/tools/copeau.md:7:8: ", printing)
	e.await(mark, "The last good state is served until this is mended.", printing)
	if a := get(t, e.url+"/tools/copeau"); !says(`"price":"9,90 €/mois"`)(a) {
		t.Errorf("with a broken file: %d %s", a.status, a.body)
	}

	// Another file may change meanwhile: it waits.
	mark = e.stderr.mark()
	e.edit("tools/babeluche.md", "score: 6.4", "score: 6.5")
	e.await(mark, "The last good state is served", printing)
	if a := get(t, e.url+"/tools/babeluche"); !says(`"score":6.4`)(a) {
		t.Errorf("one file of a broken state is served: %d %s", a.status, a.body)
	}

	mark = e.stderr.mark()
	e.save("tools/copeau.md", strings.Replace(sound, "9,90", "10,90", 1))
	e.shows(mark, "/tools/copeau", says(`"price":"10,90 €/mois"`), "Total: tools 2 changed")
	e.shows(mark, "/tools/babeluche", says(`"score":6.5`))

	// Mended to what it was: nothing to show, and it says so.
	good := e.read("tools/copeau.md")
	mark = e.stderr.mark()
	e.save("tools/copeau.md", "---\n")
	e.await(mark, "The last good state is served until this is mended.", printing)
	mark = e.stderr.mark()
	e.save("tools/copeau.md", good)
	e.await(mark, "Mended: the files are again as they are served.", printing)
}

func TestPreview_FollowsFilesThatComeGoAndMove(t *testing.T) {
	t.Parallel()
	e := openPreview(t, copyOf(t, exampleCatalog))

	mark := e.stderr.mark()
	if err := os.Remove(filepath.Join(e.dir, "tools/archivette.md")); err != nil {
		t.Fatal(err)
	}
	e.shows(mark, "/tools/archivette", missing, "  - archivette  Archivette  removed\n")

	mark = e.stderr.mark()
	e.rename("tools/epluche.md", "tools/epluche-2.md")
	e.shows(mark, "/tools/epluche-2", ok, "  - epluche  ", "  + epluche-2  ")
	e.shows(mark, "/tools/epluche", missing)

	// As editors save: a hidden file beside it, renamed over it.
	mark = e.stderr.mark()
	e.save("tools/.copeau.md.swp", strings.Replace(e.read("tools/copeau.md"), "score: 7.6", "score: 7.7", 1))
	e.rename("tools/.copeau.md.swp", "tools/copeau.md")
	e.shows(mark, "/tools/copeau", says(`"score":7.7`), "score: 7.6 → 7.7")

	// A whole folder goes, as with a branch that has none, and comes back.
	mark = e.stderr.mark()
	away := filepath.Join(t.TempDir(), "cimetiere")
	if err := os.Rename(filepath.Join(e.dir, "cimetiere"), away); err != nil {
		t.Fatal(err)
	}
	e.shows(mark, "/stats", says(`"tools_retired":0`), "cemetery 8 gone")
	mark = e.stderr.mark()
	if err := os.Rename(away, filepath.Join(e.dir, "cimetiere")); err != nil {
		t.Fatal(err)
	}
	e.shows(mark, "/stats", says(`"tools_retired":8`), "cemetery 8 added")
	mark = e.stderr.mark()
	e.edit("cimetiere/nuageon.md", "reason: pivot", "reason: mort")
	e.shows(mark, "/cimetiere?reason=mort", says(`"nuageon"`), "reason: pivot → mort")
}

func TestPreview_StartsWithFaults(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, exampleCatalog)
	sound, err := os.ReadFile(filepath.Join(dir, "categories.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "categories.yaml"), append([]byte("- nom: code\n"), sound...), 0o600); err != nil {
		t.Fatal(err)
	}
	e := openPreview(t, dir)
	e.await(0, dir+"/categories.yaml:1:", printing)
	e.await(0, "Nothing is served until this is mended.", printing)
	a := get(t, e.url+"/tools")
	if a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, `"error"`) {
		t.Errorf("with nothing to serve: %d %s", a.status, a.body)
	}
	mark := e.stderr.mark()
	e.save("categories.yaml", string(sound))
	e.shows(mark, "/tools/copeau", ok, "43 tools, 14 comparisons, 8 retired\n")
}

func TestPreview_SaysThatItsPortIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	out, err := command(t, nil, "preview", copyOf(t, exampleCatalog), "--listen", taken.Addr().String()).CombinedOutput()
	want := "palmares: " + taken.Addr().String() + " is taken by another program: choose another address with --listen\n"
	if err == nil || string(out) != want {
		t.Errorf("%v, printed:\n%swant:\n%s", err, out, want)
	}
}
