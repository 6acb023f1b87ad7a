package checkout_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var _ publish.Checkout = (*checkout.Checkout)(nil)

// A repository of a test, with its content directory.
type repository struct {
	testing.TB
	dir, content string
}

func newRepository(t *testing.T, content string) *repository {
	t.Helper()
	dir := t.TempDir()
	r := &repository{t, dir, filepath.Join(dir, content)}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{
		"-C", r.dir, "-c", "user.name=Ada Lovelace", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false",
	}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) write(path, text string) {
	r.Helper()
	path = filepath.Join(r.content, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

func (r *repository) commit() string {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "Un pas")
	return r.git("rev-parse", "HEAD")
}

// open opens the checkout and reads the files.
func (r *repository) open(paths ...string) *checkout.Checkout {
	r.Helper()
	c, found := checkout.Open(r.Context(), r.content)
	if !found {
		r.Fatal("there is no checkout")
	}
	for _, path := range paths {
		data, err := os.ReadFile(filepath.Join(r.content, path))
		if err != nil {
			r.Fatal(err)
		}
		c.Read(path, data)
	}
	return c
}

// The directory may be the repository or lie deep in it.
func TestProvenance(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "site/contenu"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t, dir)
			r.write("catalog.yaml", "name: A\n")
			r.write("tools/a.md", "un")
			r.write("tools/.keep", "") // no content, and never read
			commit := r.commit()
			if p := r.open("catalog.yaml", "tools/a.md").Provenance(); p.Commit != commit || p.Author != "Ada Lovelace" || p.Modified {
				t.Errorf("as committed: %+v", p)
			}
			r.write("tools/a.md", "deux")
			c := r.open("catalog.yaml", "tools/a.md")
			if p := c.Provenance(); p.Commit != commit || !p.Modified || !c.Modified("tools/a.md") || c.Modified("catalog.yaml") {
				t.Errorf("with a changed file: %+v", p)
			}
			r.write("tools/a.md", "un")
			r.write("tools/b.md", "neuf")
			if c := r.open("catalog.yaml", "tools/a.md", "tools/b.md"); !c.Provenance().Modified || !c.Modified("tools/b.md") {
				t.Error("with a new file it is not modified")
			}
			if err := os.Remove(filepath.Join(r.content, "tools/a.md")); err != nil {
				t.Fatal(err)
			}
			if c := r.open("catalog.yaml"); !c.Provenance().Modified || !c.Modified("tools/a.md") {
				t.Error("without a file it is not modified")
			}
		})
	}
}

func TestLineEndsOfThisSystem(t *testing.T) {
	t.Parallel()
	r := newRepository(t, ".")
	r.write("catalog.yaml", "name: A\nurl: b\n")
	r.commit()
	r.write("catalog.yaml", "name: A\r\nurl: b\r\n")
	if r.open("catalog.yaml").Provenance().Modified {
		t.Error("line ends of another system are a change")
	}
}

// There is nothing to tell where there is no git, no commit, or a repository about something else. One that is there and is not
// read is said to be so.
func TestNoCheckout(t *testing.T) {
	t.Parallel()
	none := func(what, dir, unread string) {
		t.Helper()
		if _, found := checkout.Open(t.Context(), dir); found {
			t.Errorf("%s is a checkout", what)
		}
		err := checkout.Unread(t.Context(), dir)
		if unread == "" && err != nil || unread != "" && (err == nil || !strings.Contains(err.Error(), unread)) {
			t.Errorf("%s is unread: %v", what, err)
		}
	}
	none("a plain directory", t.TempDir(), "")
	r := newRepository(t, ".")
	none("a repository without a commit", r.dir, "")
	r.write("README.md", "Autre chose")
	r.commit()
	none("a repository of something else", r.dir, "")
	none("a directory that is not there", filepath.Join(t.TempDir(), "nulle-part"), "")
	r.write("catalog.yaml", "name: A\n")
	r.commit()
	r.open()
	r.write("tools/a.md", "un")
	if os.Geteuid() == 0 {
		testkit.Must(t, os.Chown(r.dir, 65534, 65534))
		none("a repository of somebody else", r.dir, "git config --global --add safe.directory "+r.dir)
		none("a folder of it", filepath.Join(r.dir, "tools"), "safe.directory")
		testkit.Must(t, os.Chown(r.dir, 0, 0))
	}
	r.write(".git/HEAD", "ref: ../../ailleurs\n")
	none("a broken repository", r.dir, "not a git repository")
}

func TestWithoutTheProgram(t *testing.T) {
	r := newRepository(t, ".")
	r.write("catalog.yaml", "name: A\n")
	r.commit()
	t.Setenv("PATH", t.TempDir())
	if _, found := checkout.Open(t.Context(), r.dir); found {
		t.Error("a checkout was found without git")
	}
	if err := checkout.Unread(t.Context(), r.dir); err == nil || !strings.Contains(err.Error(), "executable file not found") {
		t.Errorf("it is unread: %v", err)
	}
}

// What a hook inherits leads to another repository.
func TestVariablesOfGitAreNotFollowed(t *testing.T) {
	r := newRepository(t, ".")
	r.write("catalog.yaml", "name: A\n")
	commit := r.commit()
	other := newRepository(t, ".")
	other.write("catalog.yaml", "name: B\n")
	other.commit()
	t.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
	t.Setenv("GIT_WORK_TREE", other.dir)
	if c, found := checkout.Open(t.Context(), r.dir); !found || c.Provenance().Commit != commit {
		t.Error("the variables lead to another repository")
	}
}

func TestCommits(t *testing.T) {
	t.Parallel()
	r := newRepository(t, "contenu")
	r.write("tools/a.md", "un")
	first := r.commit()
	r.write("tools/a.md", "deux")
	second := r.commit()
	r.git("checkout", "-q", "-b", "autre", first)
	r.write("tools/a.md", "trois")
	third := r.commit()

	c := r.open()
	for commit, want := range map[string]bool{
		first: true, second: false, third: true, strings.Repeat("a", 40): false, "": false, "--help": false, "HEAD": false, first[:10]: false,
	} {
		if c.Contains(t.Context(), commit) != want {
			t.Errorf("contains %q: %t", commit, !want)
		}
	}
	versions := func(since, path string) (found []string) {
		t.Helper()
		err := c.Versions(t.Context(), since, path, func(data []byte, there bool) bool {
			found = append(found, fmt.Sprintf("%s %t", data, there))
			return true
		})
		if err != nil {
			t.Error(err)
		}
		return found
	}
	testkit.Equal(t, "all versions", versions("", "tools/a.md"), []string{"trois true", "un true"})
	testkit.Equal(t, "those since the first", versions(first, "tools/a.md"), []string{"trois true"})
	testkit.Equal(t, "versions of a file that never was", versions("", "tools/b.md"), []string(nil))
	testkit.Equal(t, "versions of an option", versions("", "--help"), []string(nil))
	for commit, want := range map[string]string{first: "un true", third: "trois true", "": "trois true", second: "deux true"} {
		data, there, err := c.File(t.Context(), commit, "tools/a.md")
		if got := fmt.Sprintf("%s %t", data, there); got != want || err != nil {
			t.Errorf("at %q the file is %s: %v", commit, got, err)
		}
	}
	if _, there, err := c.File(t.Context(), first, "tools/b.md"); there || err != nil {
		t.Error("a file is there that never was:", err)
	}
	if _, _, err := c.File(t.Context(), "--help", "tools/a.md"); err == nil {
		t.Error("an option is a commit")
	}
	for _, test := range []struct {
		commits []string
		want    string
	}{
		{[]string{second, third, first}, third}, {[]string{second, first}, first}, {[]string{second, "HEAD", ""}, ""}, {nil, ""},
	} {
		if got, err := c.Newest(t.Context(), test.commits); got != test.want || err != nil {
			t.Errorf("of %q the newest is %q: %v", test.commits, got, err)
		}
	}

	shallow := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--depth", "1", "file://"+r.dir, shallow)
	c, found := checkout.Open(t.Context(), filepath.Join(shallow, "contenu"))
	if !found || !c.Contains(t.Context(), third) || c.Contains(t.Context(), first) || !c.Shallow(t.Context()) || r.open().Shallow(t.Context()) {
		t.Error("a shallow clone contains what it does not have")
	}
}

// A repository can name programs that git runs. None of them is run here, whatever is asked.
func TestARepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	r := newRepository(t, ".")
	r.write("catalog.yaml", "name: A\n")
	r.write("tools/a.md", "un")
	commit := r.commit()
	ran := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+ran+"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"core.fsmonitor": script, "core.pager": script, "core.editor": script, "core.sshCommand": script, "core.hooksPath": filepath.Dir(script),
		"diff.external": script, "filter.x.clean": script, "filter.x.smudge": script, "filter.x.process": script, "gpg.program": script,
		"log.showSignature": "true", "diff.x.textconv": script, "diff.x.command": script, "alias.ls-tree": "!" + script,
		"extensions.partialClone": "origin", "remote.origin.promisor": "true", "remote.origin.url": "ext::" + script,
		"protocol.ext.allow": "always", "core.alternateRefsCommand": script, "credential.helper": "!" + script, "uploadpack.packObjectsHook": script,
	} {
		r.git("config", key, value)
	}
	r.write(".gitattributes", "* filter=x diff=x\n")
	r.write("tools/a.md", "deux")
	c := r.open("catalog.yaml", "tools/a.md")
	if !c.Provenance().Modified || !c.Contains(t.Context(), commit) || c.Contains(t.Context(), strings.Repeat("b", 40)) {
		t.Error("git gave a wrong answer")
	}
	_ = c.Versions(t.Context(), "", "tools/a.md", func([]byte, bool) bool { return true })
	_, _ = c.Newest(t.Context(), []string{commit})
	if _, there, err := c.File(t.Context(), commit, "catalog.yaml"); !there || err != nil {
		t.Error("git does not give a file:", err)
	}
	c.Shallow(t.Context())
	if _, err := os.Stat(ran); err == nil {
		t.Error("the repository's program was run")
	}
}

// Of the author the name is kept, as far as it can be printed.
func TestAuthors(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Zoé Ünal":               "Zoé Ünal",
		"A\x1b[31m\u202eb":       "A[31mb",
		strings.Repeat("é", 150): strings.Repeat("é", 100),
	} {
		r := newRepository(t, ".")
		r.write("catalog.yaml", "name: A\n")
		r.git("add", "-A")
		r.git("commit", "-q", "-m", "author Personne <personne>", "--author", name+" <a@example.org>")
		if p := r.open().Provenance(); p.Author != want {
			t.Errorf("%q is kept as %q", name, p.Author)
		}
	}
}
