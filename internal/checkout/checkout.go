package checkout

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git names what it stores by it
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/text"
)

// A Checkout is a directory of a git checkout. It compares the files itself: git would run the filters
// that the repository names.
type Checkout struct {
	git    git
	commit string
	author string
	blobs  map[string]string // the commit's files below the directory: their objects

	mu       sync.Mutex
	read     map[string]bool // by path
	modified map[string]bool
}

// Open finds the checkout that a directory is in. There is none without git, without a commit, in a
// repository of somebody else that git does not trust, and where the commit has no file of the
// directory: then the repository is about something else.
func Open(ctx context.Context, dir string) (*Checkout, bool) {
	c := &Checkout{git: git{dir: dir}, read: make(map[string]bool), modified: make(map[string]bool)}
	head, err := c.git.run(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if c.commit = strings.TrimSpace(string(head)); err != nil || !validCommit(c.commit) {
		return nil, false
	}
	object, err := c.git.run(ctx, "cat-file", "commit", c.commit)
	if err != nil {
		return nil, false
	}
	c.author = authorOf(object)
	tree, err := c.git.run(ctx, "ls-tree", "-r", "-z", c.commit)
	if err != nil {
		return nil, false
	}
	c.blobs = blobsOf(tree)
	return c, len(c.blobs) > 0
}

// Unread says why the checkout that a directory is in is not read; nil where there is none.
func Unread(ctx context.Context, dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		if at == filepath.Dir(at) {
			return nil
		}
		at = filepath.Dir(at)
	}
	_, err = git{dir: dir}.run(ctx, "rev-parse", "--git-dir")
	return err
}

// errPartial says that git does not have what it would fetch when somebody asks for it.
var errPartial = errors.New("this clone was made with --filter, and lacks earlier states of the files: clone the repository without it")

// history asks for what earlier commits have, which a partial clone may lack.
func (c *Checkout) history(ctx context.Context, args ...string) ([]byte, error) {
	out, err := c.git.run(ctx, args...)
	if err == nil || ctx.Err() != nil || errors.Is(err, errTooMuch) {
		return out, err
	}
	if _, none := c.git.run(ctx, "config", "--get-regexp", `^remote\..*\.promisor$`); none == nil {
		return nil, errPartial
	}
	return nil, err
}

// validCommit reports whether s is the whole name of a commit, and so no option of git.
func validCommit(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && s == strings.ToLower(s) && (len(s) == 2*sha1.Size || len(s) == 2*sha256.Size)
}

// maxAuthor is how many characters of a name are kept.
const maxAuthor = 100

// authorOf is the name in the author line of a commit, without the address. Names are what people
// write: what cannot be printed in a line is left out.
func authorOf(commit []byte) string {
	for line := range bytes.Lines(commit) {
		who, found := bytes.CutPrefix(line, []byte("author "))
		if len(bytes.TrimSpace(line)) == 0 {
			return "" // the message begins
		}
		if !found {
			continue
		}
		name, _, _ := bytes.Cut(who, []byte("<"))
		runes := []rune(strings.TrimSpace(text.Line(string(name))))
		return string(runes[:min(len(runes), maxAuthor)])
	}
	return ""
}

// blobsOf reads what ls-tree prints: mode, type and object before a tab, and the path after it. Paths
// are relative to the directory.
func blobsOf(tree []byte) map[string]string {
	blobs := make(map[string]string)
	for entry := range bytes.SplitSeq(tree, []byte{0}) {
		about, path, found := strings.Cut(string(entry), "\t")
		fields := strings.Fields(about)
		if found && len(fields) == 3 && fields[1] == "blob" && ofContent(path) {
			blobs[path] = fields[2]
		}
	}
	return blobs
}

// ofContent reports whether a path may be a content file's.
func ofContent(path string) bool {
	folder, _, nested := strings.Cut(path, "/")
	switch folder {
	case "tools", "comparatifs", "cimetiere", "pages", "history":
		return nested
	default:
		return path == "catalog.yaml" || path == "categories.yaml"
	}
}

// Read implements publish.Files.
func (c *Checkout) Read(path string, data []byte) {
	want, there := c.blobs[path]
	same := there && isBlob(data, want)
	if there && !same && bytes.Contains(data, []byte("\r\n")) { // git turned the lines' ends into this system's
		same = isBlob(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), want)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read[path] = true
	if !same {
		c.modified[path] = true
	}
}

// isBlob reports whether git stores the data under that name.
func isBlob(data []byte, name string) bool {
	h := sha1.New() //nolint:gosec // as above
	if len(name) == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)) == name
}

// Provenance implements publish.Files. A file that was not read may be gone; one that is there is
// none of the content's business.
func (c *Checkout) Provenance() catalog.Provenance {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.blobs {
		if c.read[path] {
			continue
		}
		if _, err := os.Lstat(filepath.Join(c.git.dir, filepath.FromSlash(path))); errors.Is(err, fs.ErrNotExist) {
			c.modified[path] = true
		}
	}
	return catalog.Provenance{Commit: c.commit, Author: c.author, Modified: len(c.modified) > 0}
}

// Modified implements publish.Files.
func (c *Checkout) Modified(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.modified[path]
}

// Contains implements publish.Commits. A commit that the repository does not have is none of its own.
func (c *Checkout) Contains(ctx context.Context, commit string) bool {
	if !validCommit(commit) {
		return false
	}
	_, err := c.git.run(ctx, "merge-base", "--is-ancestor", commit, c.commit)
	return err == nil
}

// Newest implements publish.Commits.
func (c *Checkout) Newest(ctx context.Context, commits []string) (string, error) {
	list, err := c.history(ctx, "rev-list", c.commit)
	if err != nil {
		return "", err
	}
	own := make(map[string]bool)
	for commit := range strings.FieldsSeq(string(list)) {
		own[commit] = true
	}
	for _, commit := range commits {
		if own[commit] {
			return commit, nil
		}
	}
	return "", nil
}

// Shallow implements publish.Commits.
func (c *Checkout) Shallow(ctx context.Context) bool {
	answer, err := c.git.run(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(string(answer)) == "true"
}

// File implements publish.Commits.
func (c *Checkout) File(ctx context.Context, commit, path string) (data []byte, there bool, err error) {
	if commit == "" {
		commit = c.commit
	}
	if !validCommit(commit) {
		return nil, false, fmt.Errorf("%q is no commit", commit)
	}
	entry, err := c.history(ctx, "ls-tree", "-z", commit, "--", path)
	if err != nil {
		return nil, false, err
	}
	blob, there := blobsOf(entry)[path]
	if !there {
		return nil, false, nil
	}
	data, err = c.history(ctx, "cat-file", "blob", blob)
	return data, err == nil, err
}

// maxVersions is how many changes of a file are looked at.
const maxVersions = "50"

// Versions implements publish.Commits.
func (c *Checkout) Versions(ctx context.Context, since, path string, visit func(data []byte, there bool) bool) error {
	args := []string{"rev-list", "--full-history", "--max-count=" + maxVersions, c.commit}
	if validCommit(since) {
		args = append(args, "^"+since)
	}
	commits, err := c.history(ctx, append(args, "--", path)...)
	if err != nil {
		return err
	}
	for commit := range strings.FieldsSeq(string(commits)) {
		data, there, err := c.File(ctx, commit, path)
		if errors.Is(err, errTooMuch) {
			continue // nothing that was ever published
		}
		if err != nil {
			return err
		}
		if !visit(data, there) {
			break
		}
	}
	return nil
}
