// Package gittest creates git repositories for tests, including objects that git itself would refuse to create,
// and serves them over https. Only tests import it.
//
// Begin with New.
package gittest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git names what it stores by it
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/cgi" //nolint:gosec // of a Go that has no such fault any more, in tests alone
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// A Repository is a bare git repository in a temporary directory.
type Repository struct {
	testing.TB
	Dir string
	at  int64 // Unix time of the last commit

	authority *testkit.Authority // issues the certificates of its servers; nil before the first
}

// New creates an empty repository, which is removed with the test.
func New(tb testing.TB) *Repository {
	tb.Helper()
	r := &Repository{TB: tb, Dir: filepath.Join(tb.TempDir(), "catalogue.git"), at: 1_700_000_000}
	r.git("init", "-q", "--bare", "-b", "main", r.Dir)
	return r
}

func (r *Repository) git(args ...string) string {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), "git", args...) //nolint:gosec // what tests ask for
	if _, err := os.Stat(r.Dir); err == nil {
		cmd.Dir = r.Dir
	}
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// An Entry is one entry of a tree: a file, a folder or anything else. ID is an object ID in hexadecimal.
type Entry struct{ Mode, Name, ID string }

// File stores a file with that text and returns its entry.
func (r *Repository) File(name, text string) Entry {
	r.Helper()
	return Entry{"100644", name, r.Blob([]byte(text))}
}

// Folder stores a folder and returns its entry.
func (r *Repository) Folder(name string, entries ...Entry) Entry {
	r.Helper()
	return Entry{"40000", name, r.Tree(entries...)}
}

// Blob stores a blob and returns its ID.
func (r *Repository) Blob(data []byte) string {
	r.Helper()
	return r.Object("blob", data)
}

// Tree stores a tree and returns its ID. The entries keep their order and are not checked.
func (r *Repository) Tree(entries ...Entry) string {
	r.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		id, err := hex.DecodeString(e.ID)
		testkit.Must(r, err)
		fmt.Fprintf(&b, "%s %s\x00%s", e.Mode, e.Name, id)
	}
	return r.Object("tree", b.Bytes())
}

// Object stores an object the way git does, compressed and named by its digest, but unchecked. It returns the
// object's ID.
func (r *Repository) Object(kind string, data []byte) string {
	r.Helper()
	head := fmt.Appendf(nil, "%s %d\x00", kind, len(data))
	h := sha1.New() //nolint:gosec // git names what it stores by it
	h.Write(head)
	h.Write(data)
	id := hex.EncodeToString(h.Sum(nil))
	file := filepath.Join(r.Dir, "objects", id[:2], id[2:])
	if _, err := os.Stat(file); err == nil {
		return id
	}
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	testkit.Must(r, err)
	_, err = z.Write(slices.Concat(head, data))
	testkit.Must(r, errors.Join(err, z.Close(), os.MkdirAll(filepath.Dir(file), 0o755)))
	testkit.Must(r, os.WriteFile(file, b.Bytes(), 0o644))
	return id
}

// Commit stores a commit of a tree, dated a second after the previous one, and returns its ID.
func (r *Repository) Commit(tree string, parents ...string) string {
	r.Helper()
	r.at++
	var text strings.Builder
	text.WriteString("tree " + tree + "\n")
	for _, p := range parents {
		text.WriteString("parent " + p + "\n")
	}
	who := fmt.Sprintf("Ada Lovelace <ada@example.org> %d +0000\n", r.at)
	return r.Object("commit", []byte(text.String()+"author "+who+"committer "+who+"\nUn pas\n"))
}

// Set points a branch at a commit.
func (r *Repository) Set(branch, commit string) {
	r.Helper()
	r.git("update-ref", "refs/heads/"+branch, commit)
}

// Tip returns the commit that a branch points at.
func (r *Repository) Tip(branch string) string {
	r.Helper()
	return r.git("rev-parse", "refs/heads/"+branch)
}

// ID returns the ID of the object that a revision such as COMMIT:folder names.
func (r *Repository) ID(name string) string {
	r.Helper()
	return r.git("rev-parse", "--verify", name)
}

// CommitDir commits the files of a directory, placed in a folder of the repository ("." for the root), points
// main at the commit and returns its ID.
func (r *Repository) CommitDir(dir, folder string, parents ...string) string {
	r.Helper()
	id := r.treeOf(os.DirFS(dir), ".")
	for name := folder; name != "."; name = path.Dir(name) {
		id = r.Tree(Entry{"40000", path.Base(name), id})
	}
	commit := r.Commit(id, parents...)
	r.Set("main", commit)
	return commit
}

func (r *Repository) treeOf(files fs.FS, dir string) string {
	r.Helper()
	found, err := fs.ReadDir(files, dir)
	testkit.Must(r, err)
	// git sorts folders as if their names ended with a slash.
	key := func(e fs.DirEntry) string {
		if e.IsDir() {
			return e.Name() + "/"
		}
		return e.Name()
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(key(a), key(b)) })
	var entries []Entry
	for _, f := range found {
		at := path.Join(dir, f.Name())
		if f.IsDir() {
			entries = append(entries, Entry{"40000", f.Name(), r.treeOf(files, at)})
			continue
		}
		data, err := fs.ReadFile(files, at)
		testkit.Must(r, err)
		entries = append(entries, Entry{"100644", f.Name(), r.Blob(data)})
	}
	return r.Tree(entries...)
}

// A Server serves a repository over https with git's own http-backend.
type Server struct {
	URL, CAFile string

	mu       sync.Mutex
	token    string
	before   http.Handler
	requests int
}

// Serve starts a server, which stops when the test ends. All servers of a repository have certificates from the
// same authority.
func (r *Repository) Serve() *Server {
	r.Helper()
	if r.authority == nil {
		r.authority = testkit.NewAuthority(r)
	}
	certificate, key := r.authority.Issue(r, "127.0.0.1", time.Now().Add(time.Hour))
	pair, err := tls.LoadX509KeyPair(certificate, key)
	testkit.Must(r, err)
	backend := &cgi.Handler{
		Path: filepath.Join(r.git("--exec-path"), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.Dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull},
	}
	backend.InheritEnv = []string{"PATH"}
	s := &Server{CAFile: r.authority.File}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		s.mu.Lock()
		token, before := s.token, s.before
		s.requests++
		s.mu.Unlock()
		switch {
		case token != "" && q.Header.Get("Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(token)):
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
		case before != nil:
			before.ServeHTTP(w, q)
		default:
			backend.ServeHTTP(w, q)
		}
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients may disconnect at any time
	backend.Logger, backend.Stderr = server.Config.ErrorLog, io.Discard
	server.StartTLS()
	r.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s.URL = server.URL + "/" + filepath.Base(r.Dir)
	return s
}

// Want makes the server require basic authentication with token, which is user:password; "" turns it off.
func (s *Server) Want(token string) { s.set(func() { s.token = token }) }

// Instead makes h answer every request in place of git; nil restores git.
func (s *Server) Instead(h http.Handler) { s.set(func() { s.before = h }) }

// Requests returns how many requests the server has received.
func (s *Server) Requests() (n int) {
	s.set(func() { n = s.requests })
	return n
}

func (s *Server) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}
