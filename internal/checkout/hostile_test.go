package checkout_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/gittest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const (
	link = "120000"
	sub  = "160000"
	tree = "40000"
	file = "100644"
)

// limits are small, so that what is too large is made quickly.
var limits = checkout.Limits{Files: 50_000, Bytes: 8 << 20}

// A hostile repository, as it is fetched from a server and as its objects are read by somebody who has them: git would
// not let some of them in, and nothing here relies on that.
type hostile struct {
	what    string
	make    func(r *gittest.Repository) (commit string)
	fetched string // what is said; "" when it is taken
	read    string // by who has the objects; "" when it is taken
}

// inTools has a commit whose catalog is sound but for these entries of tools/.
func inTools(entries ...func(r *gittest.Repository) gittest.Entry) func(*gittest.Repository) string {
	return func(r *gittest.Repository) string {
		all := []gittest.Entry{}
		for _, e := range entries {
			all = append(all, e(r))
		}
		return withTools(r, all...)
	}
}

func withTools(r *gittest.Repository, entries ...gittest.Entry) string {
	return r.Commit(r.Tree(r.Folder("catalog", r.File("catalog.yaml", "name: A\n"), r.File("categories.yaml", "[]\n"), r.Folder("tools", entries...))))
}

// beside has a commit with a catalog and something else next to it.
func beside(entry func(r *gittest.Repository) gittest.Entry) func(*gittest.Repository) string {
	return func(r *gittest.Repository) string {
		catalog := r.Folder("catalog", r.File("catalog.yaml", "name: A\n"), r.Folder("tools", r.File("a.md", "un")))
		return r.Commit(r.Tree(catalog, entry(r)))
	}
}

func entry(mode, name, text string) func(r *gittest.Repository) gittest.Entry {
	return func(r *gittest.Repository) gittest.Entry {
		return gittest.Entry{Mode: mode, Name: name, ID: r.Blob([]byte(text))}
	}
}

func submodule(name string) func(r *gittest.Repository) gittest.Entry {
	return func(*gittest.Repository) gittest.Entry {
		return gittest.Entry{Mode: sub, Name: name, ID: strings.Repeat("ab", 20)}
	}
}

func folder(name string, entries ...func(r *gittest.Repository) gittest.Entry) func(r *gittest.Repository) gittest.Entry {
	return func(r *gittest.Repository) gittest.Entry {
		var all []gittest.Entry
		for _, e := range entries {
			all = append(all, e(r))
		}
		return r.Folder(name, all...)
	}
}

// ofCatalog has a commit whose folder catalog has these entries and nothing else.
func ofCatalog(entries ...func(r *gittest.Repository) gittest.Entry) func(*gittest.Repository) string {
	return func(r *gittest.Repository) string { return r.Commit(r.Tree(folder("catalog", entries...)(r))) }
}

var hostiles = []hostile{
	{"a symbolic link to a file", inTools(entry(link, "a.md", "../../../../etc/passwd")), "catalog/tools/a.md: it is a symbolic link", "symbolic link"},
	{"a symbolic link in place of a folder", ofCatalog(entry(file, "catalog.yaml", ""), entry(link, "tools", "/etc")), "catalog/tools: it is a symbolic link", "symbolic link"},
	{"a symbolic link in place of catalog.yaml", ofCatalog(entry(link, "catalog.yaml", "/etc/passwd")), "symbolic link", "symbolic link"},
	{"a symbolic link in place of the catalog", func(r *gittest.Repository) string {
		return r.Commit(r.Tree(entry(link, "catalog", "/etc")(r)))
	}, "catalog: it is a symbolic link", "symbolic link"},
	{"a symbolic link that nobody reads", beside(entry(link, "elsewhere", "/etc")), "", ""},
	{"a symbolic link and a folder of one name", ofCatalog(entry(link, "tools", "/tmp"), folder("tools", entry(file, "a.md", "un"))), "fsck", "symbolic link"},
	{"a submodule", inTools(submodule("a.md")), "catalog/tools/a.md: it is a submodule", "submodule"},
	{"a submodule in place of the catalog", func(r *gittest.Repository) string {
		return r.Commit(r.Tree(submodule("catalog")(r)))
	}, "catalog: it is a submodule", "submodule"},
	{"submodules whose address is a command", func(r *gittest.Repository) string {
		return r.Commit(r.Tree(r.File(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c touch% $MARK\n"),
			folder("catalog", entry(file, "catalog.yaml", ""))(r), submodule("x")(r)))
	}, "", ""},
	{"a submodule whose address is an option", func(r *gittest.Repository) string {
		return r.Commit(r.Tree(r.File(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = --upload-pack=evil\n"),
			folder("catalog", entry(file, "catalog.yaml", ""))(r)))
	}, "fsck", ""},
	{"a folder .git", inTools(folder(".git", folder("hooks", entry("100755", "post-checkout", "#!/bin/sh\ntouch $MARK\n")))), "fsck", "git's own"},
	{"a folder .GIT", inTools(folder(".GIT", entry(file, "config", "[core]\n\tfsmonitor = evil\n"))), "fsck", "git's own"},
	{"a folder git~1", inTools(folder("git~1", entry(file, "config", "[core]\n\tfsmonitor = evil\n"))), "fsck", "git's own"},
	{"a .git with a character without a width", inTools(folder(".g\u200cit", entry(file, "config", ""))), "fsck", "characters that no file of a catalog has"},
	{"a .git in the catalog", ofCatalog(folder(".git", entry(file, "config", "")), entry(file, "catalog.yaml", "")), "fsck", "git's own"},
	{"the name ..", inTools(entry(file, "..", "un")), "fsck", `".." is no name`},
	{"the name .", inTools(entry(file, ".", "un")), "fsck", `"." is no name`},
	{"no name", inTools(entry(file, "", "un")), "was not read", `"" is no name`},
	{"a name that leads out", inTools(entry(file, "../../../../evil.md", "un")), "fsck", "characters that no file of a catalog has"},
	{"a whole path as a name", inTools(entry(file, "/tmp/evil.md", "un")), "fsck", "characters that no file of a catalog has"},
	{"a backslash", inTools(entry(file, `..\..\evil.md`, "un")), "characters that no file of a catalog has", "characters that no file of a catalog has"},
	{"a name that is not UTF-8", inTools(entry(file, "caf\xe9.md", "un")), "the name is not UTF-8", "not UTF-8"},
	{"a name with control characters", inTools(entry(file, "a\x1b[2J\n::error::b.md", "un")), "characters that no file of a catalog has", "characters"},
	{"a name that writes from right to left", inTools(entry(file, "a\u202edm.md", "un")), "characters that no file of a catalog has", "characters"},
	{"a name of 4,000 letters", inTools(entry(file, strings.Repeat("a", 4000), "un")), "the name has 4000 bytes", "4000 bytes"},
	{"a name that is there twice", inTools(entry(file, "a.md", "un"), entry(file, "a.md", "deux")), "fsck", "there twice"},
	{"names that differ in their case", inTools(entry(file, "A.md", "un"), entry(file, "a.md", "deux")), "", ""},
	{"a mode that git does not have", inTools(entry("104777", "a.md", "un")), "it has the mode", "it has the mode"},
	{"a file that is a folder", func(r *gittest.Repository) string {
		return withTools(r, gittest.Entry{Mode: file, Name: "a.md", ID: r.Tree(r.File("b", "c"))})
	}, "was not read", "is a tree and no blob"},
	{"a folder that is a file", ofCatalog(entry(tree, "tools", "un")), "was not read", "is a blob and no tree"},
	{"a file that is large and packs well", inTools(entry(file, "a.md", strings.Repeat("\x00", 64<<20))), "the file has 67108864 bytes", "bytes"},
	{"a file that is large and does not", func(r *gittest.Repository) string {
		data := make([]byte, 12<<20)
		_, _ = rand.Read(data)
		return withTools(r, gittest.Entry{Mode: file, Name: "a.md", ID: r.Blob(data)})
	}, "the repository has more than 8 MB", "bytes"},
	{"many files that are large together", func(r *gittest.Repository) string {
		var all []gittest.Entry
		for i := range 20 {
			all = append(all, r.File(fmt.Sprintf("a%02d.md", i), strings.Repeat(fmt.Sprint(i), 300_000)))
		}
		return withTools(r, all...)
	}, "the files of the catalog have more than 8 MB", "8 MB"},
	{"100,000 files", func(r *gittest.Repository) string {
		one := r.Blob([]byte("un"))
		all := make([]gittest.Entry, 100_000)
		for i := range all {
			all[i] = gittest.Entry{Mode: file, Name: fmt.Sprintf("a%06d.md", i), ID: one}
		}
		return withTools(r, all...)
	}, "more than 50000 files", "50000 files"},
	{"60,000 folders at the top of the catalog", func(r *gittest.Repository) string {
		id := r.Tree(r.File("a.md", "un"))
		all := make([]gittest.Entry, 60_000)
		for i := range all {
			all[i] = gittest.Entry{Mode: tree, Name: fmt.Sprintf("x%06d", i), ID: id}
		}
		return r.Commit(r.Tree(r.Folder("catalog", all...)))
	}, "more than 50000 files", "50000 files"},
	{"a bomb of folders", func(r *gittest.Repository) string {
		id := r.Tree(r.File("a.md", "un"))
		for range 12 {
			var all []gittest.Entry
			for i := range 10 {
				all = append(all, gittest.Entry{Mode: tree, Name: fmt.Sprint("x", i), ID: id})
			}
			id = r.Tree(all...)
		}
		bomb := gittest.Entry{Mode: tree, Name: "x", ID: id}
		return r.Commit(r.Tree(r.Folder("catalog", r.File("catalog.yaml", ""),
			r.Folder("history", gittest.Entry{Mode: tree, Name: "2024-01-01", ID: id}), r.Folder("tools", bomb), bomb)))
	}, "", ""},
	{"folders 2,000 deep", func(r *gittest.Repository) string {
		id := r.Blob([]byte("un"))
		mode := file
		for range 2000 {
			id = r.Tree(gittest.Entry{Mode: mode, Name: "x", ID: id})
			mode = tree
		}
		return withTools(r, gittest.Entry{Mode: tree, Name: "x", ID: id})
	}, "", ""},
	{"filters, encodings and hooks by attributes", func(r *gittest.Repository) string {
		attributes := r.File(".gitattributes", "* filter=evil diff=evil merge=evil ident text eol=crlf working-tree-encoding=UTF-16\n")
		return r.Commit(r.Tree(attributes, r.File(".lfsconfig", "[lfs]\n\turl = https://127.0.0.1:1/\n"),
			r.Folder("catalog", attributes, r.File("catalog.yaml", "name: $Id$\n"), r.Folder("tools", attributes, r.File("a.md", "un\ndeux\n")))))
	}, "", ""},
	{"line ends of Windows", inTools(entry(file, "a.md", "---\r\nname: A\r\n---\r\n")), "", ""},
	{"a pointer of LFS", inTools(entry(file, "a.md", "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("a", 64)+"\nsize 3\n")), "pointer of Git LFS", "LFS"},
	{"a commit with a long text", func(r *gittest.Repository) string {
		return r.Object("commit", []byte("tree "+r.Tree(r.Folder("catalog"))+"\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n"+strings.Repeat("a", 2<<20)))
	}, "a text of more than 1 MiB", "1 MiB"},
	{"a commit without anybody", func(r *gittest.Repository) string {
		return r.Object("commit", []byte("tree "+r.Tree(r.Folder("catalog", r.File("catalog.yaml", "")))+"\n\n"))
	}, "fsck", ""},
	{"a file where the folder should be", ofCatalog(entry(file, "tools", "un")), "catalog/tools: it is a file", "it is a file"},
	{"no catalog", func(r *gittest.Repository) string { return r.Commit(r.Tree(r.File("README.md", "un"))) }, "catalog: the commit has no such folder", "no such folder"},
}

// Whatever a repository holds: nothing is run, nothing is written outside the folder of the mirror, and it ends.
func TestHostileRepositories(t *testing.T) { //nolint:paralleltest // it sets variables of the process
	if testkit.Raced {
		t.Skip("git does the work")
	}
	if len(hostiles) < 30 {
		t.Fatalf("%d repositories", len(hostiles))
	}
	mark := canaries(t)
	for i, h := range hostiles {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Log(h.what)
			r := gittest.New(t)
			r.Set("main", h.make(r))
			outside := t.TempDir()
			state := filepath.Join(outside, "state")

			// From a server.
			server := r.Serve()
			m, err := checkout.OpenMirror(state, checkout.Remote{URL: server.URL, Branch: "main", CAFile: server.CAFile}, limits, testkit.Patience)
			testkit.Must(t, err)
			wants(t, "fetched", publishable(t, m, r), h.fetched)

			// By who has the objects.
			testkit.Must(t, m.Forget())
			testkit.Must(t, os.CopyFS(filepath.Join(state, "repository.git"), os.DirFS(r.Dir)))
			wants(t, "read", read(t, m, r), h.read)

			found, err := os.ReadDir(outside)
			testkit.Must(t, err)
			if len(found) != 1 {
				t.Errorf("outside of the folder: %v", found)
			}
			if found, _ := os.ReadDir(mark); len(found) > 0 {
				t.Fatalf("a program was run: %v", found)
			}
			if size := sizeOf(t, state); size > 3*limits.Bytes { // what was copied here included
				t.Errorf("the folder has %d bytes", size)
			}
		})
	}
}

// canaries leaves programs and settings where a git that is not held finds them. Each leaves a file in a folder.
func canaries(t *testing.T) (mark string) {
	t.Helper()
	mark, programs, home := t.TempDir(), t.TempDir(), t.TempDir()
	script := func(path string) {
		testkit.Must(t, os.WriteFile(path, []byte("#!/bin/sh\necho \"$0 $*\" >>"+mark+"/ran\n"), 0o755))
	}
	for _, name := range []string{"git-lfs", "ssh", "gpg", "less", "vi", "git-remote-ext", "git-evil", "askpass"} {
		script(filepath.Join(programs, name))
	}
	evil := filepath.Join(programs, "git-evil")
	hooks := filepath.Join(home, "hooks")
	testkit.Must(t, os.Mkdir(hooks, 0o755))
	for _, name := range []string{"post-checkout", "reference-transaction", "post-index-change", "post-merge", "pre-auto-gc"} {
		script(filepath.Join(hooks, name))
	}
	config := filepath.Join(home, ".gitconfig")
	testkit.Must(t, os.WriteFile(config, fmt.Appendf(nil, "[core]\n\thooksPath = %s\n\tfsmonitor = %s\n\tsshCommand = %s\n\taskPass = %s\n[credential]\n\thelper = !%s\n"+
		"[filter \"evil\"]\n\tsmudge = %s\n\tclean = %s\n\tprocess = %s\n\trequired = true\n[diff \"evil\"]\n\ttextconv = %s\n[protocol]\n\tallow = always\n"+
		"[url \"ext::%s \"]\n\tinsteadOf = https://\n", hooks, evil, evil, evil, evil, evil, evil, evil, evil, evil), 0o600))
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	t.Setenv("GIT_SSH_COMMAND", evil)
	t.Setenv("GIT_ASKPASS", evil)
	t.Setenv("GIT_EXTERNAL_DIFF", evil)
	t.Setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor="+evil+"'")
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	t.Setenv("MARK", filepath.Join(mark, "ran"))
	return mark
}

// publishable fetches the branch and reads it, as a publisher does.
func publishable(t *testing.T, m *checkout.Mirror, r *gittest.Repository) error {
	t.Helper()
	tip, err := m.Tip(t.Context())
	if err != nil {
		return err
	}
	if _, err := m.Fetch(t.Context(), tip); err != nil {
		return err
	}
	return read(t, m, r)
}

// read exports the catalog and compares it with the repository.
func read(t *testing.T, m *checkout.Mirror, r *gittest.Repository) error {
	t.Helper()
	e, err := m.Export(t.Context(), r.Tip("main"), "catalog")
	if err != nil {
		return err
	}
	defer e.Close()
	err = filepath.WalkDir(e.Dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir() && !d.Type().IsRegular():
			t.Errorf("%s is %v", path, d.Type())
		case !d.IsDir():
			data, err := os.ReadFile(path)
			testkit.Must(t, err)
			name, err := filepath.Rel(e.Dir, path)
			testkit.Must(t, err)
			if e.Checkout.Read(name, data); e.Checkout.Modified(name) || bytes.Contains(data, []byte("$Id: ")) {
				t.Errorf("%s is not as the commit has it", name)
			}
		}
		return nil
	})
	testkit.Must(t, err)
	if p := e.Checkout.Provenance(); p.Modified || p.Commit != r.Tip("main") {
		t.Errorf("provenance: %+v", p)
	}
	return nil
}

func wants(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v, want %q", what, err, want)
	case err != nil && strings.ContainsAny(err.Error(), "\x1b\n\x00\u202e"):
		t.Errorf("%s: %q would move a cursor", what, err)
	}
}

func sizeOf(t *testing.T, dir string) (size int64) {
	t.Helper()
	testkit.Must(t, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if info, ierr := d.Info(); err == nil && ierr == nil {
			size += info.Size()
		}
		return nil
	}))
	return size
}

// The mirror is as large as all its files together: of many small objects the list is nearly as large as they are.
func TestMirror_SizeIsOfAllFiles(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("git does the work")
	}
	r := gittest.New(t)
	entries := make([]gittest.Entry, 3000)
	for i := range entries {
		data := make([]byte, 30)
		_, _ = rand.Read(data)
		entries[i] = gittest.Entry{Mode: file, Name: fmt.Sprintf("a%06d", i), ID: r.Blob(data)}
	}
	r.Set("main", r.Commit(r.Tree(r.Folder("catalog", r.File("catalog.yaml", "name: A\n")), r.Folder("elsewhere", entries...))))
	s, dir := r.Serve(), t.TempDir()
	remote := checkout.Remote{URL: s.URL, Branch: "main", CAFile: s.CAFile}
	fetch := func(most int64) error {
		m, err := checkout.OpenMirror(dir, remote, checkout.Limits{Files: 50_000, Bytes: most}, testkit.Patience)
		testkit.Must(t, err)
		tip, err := m.Tip(t.Context())
		testkit.Must(t, err)
		_, err = m.Fetch(t.Context(), tip)
		return err
	}
	wants(t, "with room", fetch(limits.Bytes), "")
	packs, err := filepath.Glob(filepath.Join(dir, "repository.git/objects/pack/*.pack"))
	testkit.Must(t, err)
	info, err := os.Stat(packs[0])
	testkit.Must(t, err)
	all := sizeOf(t, dir)
	testkit.Must(t, os.RemoveAll(filepath.Join(dir, "repository.git")))
	most := (info.Size() + all) / 2 // for the pack, and not for all
	wants(t, "without", fetch(most), "the repository has more than")
	if size := sizeOf(t, dir); size > most {
		t.Errorf("%d bytes are left", size)
	}
}

// An old version of a file may be as large as its author likes: it is not read whole to look whether the file was once so.
func TestMirror_HistoryIsBounded(t *testing.T) { //nolint:paralleltest // it measures the memory of all
	r := gittest.New(t)
	first := withTools(r, entry(file, "a.md", "un")(r))
	huge := r.Commit(r.Tree(r.Folder("catalog", r.Folder("tools", entry(file, "a.md", strings.Repeat("\x00", 100<<20))(r)))), first)
	r.Set("main", r.Commit(r.Tree(r.Folder("catalog", r.Folder("tools", entry(file, "a.md", "trois")(r)))), huge))
	m := mirrorOf(t, r)
	tip, err := m.Tip(t.Context())
	testkit.Must(t, err)
	_, err = m.Fetch(t.Context(), tip)
	testkit.Must(t, err)
	e, err := m.Export(t.Context(), tip, "catalog")
	testkit.Must(t, err)
	defer e.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var had []int
	testkit.Must(t, e.Checkout.Versions(t.Context(), "", "tools/a.md", func(data []byte, _ bool) bool {
		had = append(had, len(data))
		return string(data) != "un"
	}))
	if len(had) == 0 || had[len(had)-1] != len("un") {
		t.Errorf("the first version is not found: %v", had)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
		t.Errorf("%d MB were allocated", took>>20)
	}
	for commit, want := range map[string]bool{first: true, huge: true, tip: true, strings.Repeat("a", 40): false} {
		if e.Checkout.Contains(t.Context(), commit) != want {
			t.Errorf("contains %s: %t", commit, !want)
		}
	}
}

func mirrorOf(t *testing.T, r *gittest.Repository) *checkout.Mirror {
	t.Helper()
	s := r.Serve()
	m, err := checkout.OpenMirror(t.TempDir(), checkout.Remote{URL: s.URL, Branch: "main", CAFile: s.CAFile}, limits, testkit.Patience)
	testkit.Must(t, err)
	return m
}

// Two publishers in one folder take turns.
func TestMirror_Lock(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	m := mirrorOf(t, r)
	unlock, err := m.Lock(t.Context())
	testkit.Must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := m.Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second one got in: %v", err)
	}
	testkit.Must(t, unlock())
	again, err := m.Lock(t.Context())
	testkit.Must(t, err)
	testkit.Must(t, again())
}
