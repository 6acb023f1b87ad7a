package checkout_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/gittest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestRemote_Check(t *testing.T) {
	t.Parallel()
	hosts := filepath.Join(t.TempDir(), "known_hosts")
	testkit.Must(t, os.WriteFile(hosts, nil, 0o600))
	for url, want := range map[string]string{
		"https://git.example.org/editors/catalogue.git":      "",
		"https://git.example.org:8443/editors/catalogue.git": "",
		"https://[2001:db8::1]/catalogue.git":                "",
		"ssh://git@git.example.org/editors/catalogue.git":    "",
		"ssh://git@git.example.org:22/~/catalogue.git":       "",
		"git@git.example.org:editors/catalogue.git":          "",

		"file:///srv/catalogue.git":                    "https",
		"/srv/catalogue.git":                           "https",
		"catalogue.git":                                "https",
		"":                                             "https",
		"http://git.example.org/catalogue.git":         "https",
		"git://git.example.org/catalogue.git":          "https",
		"ftp://git.example.org/catalogue.git":          "https",
		"ext::sh -c touch% /tmp/evil":                  "https",
		"HTTPS::evil":                                  "https",
		"fd::17":                                       "https",
		"--upload-pack=evil":                           "https",
		"https:git.example.org/catalogue":              "https",
		"git+ssh://git@git.example.org/catalogue":      "https",
		"https://user:secret@git.example.org/c.git":    "leave it out",
		"https://secret@git.example.org/c.git":         "leave it out",
		"ssh://git:secret@git.example.org/c.git":       "password",
		"ssh://-oProxyCommand=evil/c.git":              "no address",
		"ssh://git@-oProxyCommand=evil/c.git":          "no address",
		"ssh://-x@git.example.org/c.git":               "no name",
		"-oProxyCommand=evil@git.example.org:c.git":    "https",
		"git@-oProxyCommand=evil:c.git":                "https",
		"git@git.example.org:-c.git":                   "https",
		"https://git.example.org":                      "no address",
		"https://git.example.org/":                     "no address",
		"https:///catalogue.git":                       "no address",
		"https://git.example.org/c.git?x=1":            "no address",
		"https://git.example.org/c.git#x":              "no address",
		"https://git.example.org/c d.git":              "no address",
		"https://git.example.org/c\nd.git":             "https",
		"https://git.example.org/é.git":                "no address",
		"https://git.example.org\\evil.example/c.git":  "https",
		"https://git.example.org:port/catalogue.git":   "https",
		"https://git.example.org%00.evil/catalogue.gi": "https",
	} {
		err := checkout.Remote{URL: url, Branch: "main", KnownHosts: hosts, SSHKey: hosts}.Check()
		wants(t, url, err, want)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	const ours = "ssh://git@git.example.org/c.git"
	wants(t, "no known hosts", checkout.Remote{URL: ours, Branch: "main", SSHKey: hosts}.Check(), "PALMARES_PUBLISH_KNOWN_HOSTS is not set")
	wants(t, "no key", checkout.Remote{URL: ours, Branch: "main", KnownHosts: hosts}.Check(), "PALMARES_PUBLISH_SSH_KEY is not set")
	wants(t, "a path with a space", checkout.Remote{URL: ours, Branch: "main", KnownHosts: hosts, SSHKey: "/a b"}.Check(), "whole path")
	wants(t, "a path with an option", checkout.Remote{URL: ours, Branch: "main", KnownHosts: "/a;evil", SSHKey: hosts}.Check(), "whole path")
	wants(t, "no file", checkout.Remote{URL: ours, Branch: "main", KnownHosts: hosts, SSHKey: hosts + "x"}.Check(), "no such file")
	for branch, want := range map[string]string{
		"main": "", "editors/2026": "", "v1.2": "",
		"": "no name", "-x": "no name", "a..b": "no name", "a:b": "no name", "+a": "no name", "*": "no name", "a b": "no name", "a.lock": "no name",
		"a/": "no name", "a//b": "no name", "a@{1}": "no name", "a/.b": "no name", "refs/heads/a\nb": "no name",
	} {
		wants(t, branch, checkout.Remote{URL: "https://git.example.org/c.git", Branch: branch}.Check(), want)
	}
	for path, want := range map[string]string{
		".": "", "catalog": "", "docs/catalog": "",
		"": "no folder", "/": "no folder", "/etc": "no folder", "..": "no folder", "../a": "no folder", "a/../b": "no folder", "a/": "no folder", `a\b`: "no folder", "a//b": "no folder",
	} {
		wants(t, path, checkout.CheckPath(path), want)
	}
}

// What a server can do: want a token, lead elsewhere, have another certificate, be silent, be no server of git.
func TestMirror_Servers(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	first := withTools(r, entry(file, "a.md", "un")(r))
	r.Set("main", first)
	s := r.Serve()
	remote := checkout.Remote{URL: s.URL, Branch: "main", CAFile: s.CAFile}
	tip := func(remote checkout.Remote, within time.Duration) (string, error) {
		m, err := checkout.OpenMirror(t.TempDir(), remote, limits, within)
		testkit.Must(t, err)
		return m.Tip(t.Context())
	}
	says := func(what, want string, remote checkout.Remote) {
		t.Helper()
		_, err := tip(remote, testkit.Patience)
		wants(t, what, err, want)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the token is told: %v", what, err)
		}
	}
	says("open to all", "", remote)
	missing := remote
	missing.Branch = "elsewhere"
	says("another branch", "the repository has no branch elsewhere", missing)
	missing = remote
	missing.URL += "x"
	says("another repository", "the server knows no such repository", missing)
	stranger := remote
	stranger.CAFile = ""
	says("a certificate of somebody else", "PALMARES_PUBLISH_CA_FILE", stranger)

	s.Want("editors:hunter2")
	says("no token", "PALMARES_PUBLISH_TOKEN", remote)
	wrong := remote
	wrong.User, wrong.Token = "editors", "hunter23"
	says("a wrong token", "PALMARES_PUBLISH_TOKEN", wrong)
	right := remote
	right.User, right.Token = "editors", "hunter2"
	says("the token", "", right)
	m, err := checkout.OpenMirror(t.TempDir(), right, limits, testkit.Patience)
	testkit.Must(t, err)
	if got, err := m.Fetch(t.Context(), first); err != nil || got != first {
		t.Errorf("with the token: %s, %v", got, err)
	}

	// The token is for that server alone.
	told := make(chan string, 100)
	other := r.Serve()
	other.Instead(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { told <- q.Header.Get("Authorization") }))
	s.Want("")
	s.Instead(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		http.Redirect(w, q, strings.TrimSuffix(other.URL, "/catalogue.git")+q.URL.Path+"?"+q.URL.RawQuery, http.StatusFound)
	}))
	says("a server that leads elsewhere", "was not read", right)
	if len(told) > 0 {
		t.Errorf("the other server was asked, with %q", <-told)
	}

	s.Instead(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>\x1b[2J") }))
	says("no server of git", "the repository has no branch", remote)

	// A server that says nothing is left after a while, and nothing of git is.
	s.Instead(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() }))
	_, err = tip(remote, 500*time.Millisecond)
	wants(t, "silence", err, "the server took longer than 500ms")
}

// A history that was rewritten replaces the branch; with many fetches the mirror begins anew.
func TestMirror_Follows(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	m := mirrorOf(t, r)
	at := withTools(r, entry(file, "a.md", "0")(r))
	for i := range 25 {
		r.Set("main", at)
		if got, err := m.Fetch(t.Context(), at); err != nil || got != at {
			t.Fatalf("fetch %d: %s, %v", i, got, err)
		}
		at = r.Commit(r.Tree(r.Folder("catalog", r.File("catalog.yaml", fmt.Sprint(i)))), at)
	}
	rewritten := withTools(r, entry(file, "a.md", "autre")(r))
	r.Set("main", rewritten)
	if got, err := m.Fetch(t.Context(), rewritten); err != nil || got != rewritten {
		t.Fatalf("rewritten: %s, %v", got, err)
	}
	e, err := m.Export(t.Context(), rewritten, "catalog")
	testkit.Must(t, err)
	testkit.Equal(t, "the file", testkit.ReadFile(t, filepath.Join(e.Dir, "tools/a.md")), "autre")
	if e.Checkout.Contains(t.Context(), at) {
		t.Error("it contains a commit of before")
	}
	testkit.Must(t, e.Close())
	if _, err := os.Stat(e.Dir); err == nil {
		t.Error("the files are left")
	}
}

// A server that is asked over ssh is known by the key in one file.
func TestMirror_SSH(t *testing.T) {
	t.Parallel()
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		pgtest.SkipOrFail(t, "no sshd: apt-get install openssh-server")
	}
	r := gittest.New(t)
	first := withTools(r, entry(file, "a.md", "un")(r))
	r.Set("main", first)
	dir := t.TempDir()
	for _, name := range []string{"host", "other", "ours", "theirs"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "authorized"), []byte(testkit.ReadFile(t, dir+"/ours.pub")), 0o600))
	address := testkit.FreeAddress(t)
	host, port, _ := strings.Cut(address, ":")
	config := fmt.Sprintf("ListenAddress %s\nHostKey %s/host\nAuthorizedKeysFile %s/authorized\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n", address, dir, dir)
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	if os.Geteuid() == 0 {
		testkit.Must(t, os.MkdirAll("/run/sshd", 0o755)) // it wants one
	}
	cmd := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(dir, "config"))
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	known := func(name, key string) string {
		path := filepath.Join(dir, name)
		testkit.Must(t, os.WriteFile(path, fmt.Appendf(nil, "[%s]:%s %s", host, port, testkit.ReadFile(t, filepath.Join(dir, key+".pub"))), 0o600))
		return path
	}
	me, err := user.Current()
	testkit.Must(t, err)
	remote := checkout.Remote{
		URL: fmt.Sprintf("ssh://%s@%s%s", me.Username, address, r.Dir), Branch: "main", KnownHosts: known("right", "host"), SSHKey: filepath.Join(dir, "ours"),
	}
	tip := func(remote checkout.Remote) (string, error) {
		m, err := checkout.OpenMirror(t.TempDir(), remote, limits, testkit.Patience)
		testkit.Must(t, err)
		return m.Tip(t.Context())
	}
	testkit.EventuallyTrue(t, "sshd answers", func() bool { got, err := tip(remote); return err == nil && got == first })
	m, err := checkout.OpenMirror(t.TempDir(), remote, limits, testkit.Patience)
	testkit.Must(t, err)
	if got, err := m.Fetch(t.Context(), first); err != nil || got != first {
		t.Errorf("fetch: %s, %v", got, err)
	}
	testkit.Must(t, read(t, m, r))

	other := remote
	other.KnownHosts = known("wrong", "other")
	_, err = tip(other)
	wants(t, "another key of the server", err, "PALMARES_PUBLISH_KNOWN_HOSTS")
	other = remote
	other.SSHKey = filepath.Join(dir, "theirs")
	_, err = tip(other)
	wants(t, "another key of ours", err, "PALMARES_PUBLISH_SSH_KEY")
}
