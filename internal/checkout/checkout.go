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

// A Checkout is a directory of a git checkout. It compares the files with the commit itself, because git
// would run the filters that the repository names.
type Checkout struct {
	git    git
	commit string
	author string
	blobs  map[string]string // the objects of the commit's content files, by path below the directory

	mu       sync.Mutex
	read     map[string]bool // by path
	modified map[string]bool
}

// Open returns the checkout that a directory is in, and whether there is one. There is none without git,
// without a commit, in somebody else's repository that git does not trust, or if the commit has no content
// file below the directory: then the repository is about something else.
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

// Unread returns why git cannot read the checkout that a directory is in; nil if it can, or if there is none.
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

// errPartial says that a partial clone lacks objects, which git would normally fetch when it needs them.
var errPartial = errors.New("this clone was made with --filter, and lacks earlier states of the files: clone the repository without it")

// history runs git to read earlier commits. It returns errPartial if that fails in a partial clone, which may lack
// them.
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

// validCommit reports whether s is a full object name, so that git cannot take it for an option.
func validCommit(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && s == strings.ToLower(s) && (len(s) == 2*sha1.Size || len(s) == 2*sha256.Size)
}

// maxAuthor is how many characters of a name are kept.
const maxAuthor = 100

// authorOf returns the name in the author line of a commit, without the address, up to maxAuthor
// characters. People may write anything there: it drops what cannot be printed in a line.
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

// blobsOf parses the output of ls-tree and returns the objects of content files by path, relative to the
// directory. Each entry has mode, type and object before a tab, and the path after it.
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
	if there && !same && bytes.Contains(data, []byte("\r\n")) { // git may have converted the line endings
		same = isBlob(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), want)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read[path] = true
	if !same {
		c.modified[path] = true
	}
}

// isBlob reports whether data is the blob with that object name.
func isBlob(data []byte, name string) bool {
	h := sha1.New() //nolint:gosec // as above
	if len(name) == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)) == name
}

// Provenance implements publish.Files. A file of the commit that was not read counts as modified if it is
// gone; if it exists it does not belong to the content.
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

// Contains implements publish.Commits. It returns false for a commit that the repository does not have.
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

// maxVersions is how many commits that changed a file are looked at.
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
			continue // too large to have been published
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
