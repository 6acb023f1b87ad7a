// Package checkout tells from which commit of a git repository files are published. It asks the
// program git, and nothing it asks runs what the repository configures: no hook, no filter, no helper.
//
// Begin with Open. The package writes nothing, and decides nothing: package publish does.
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
	"unicode"

	"github.com/palmares-hq/palmares/internal/catalog"
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
	c := &Checkout{git: git{dir}, read: make(map[string]bool), modified: make(map[string]bool)}
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
		clean := strings.Map(func(r rune) rune {
			if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(string(name), ""))
		runes := []rune(strings.TrimSpace(clean))
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

// maxVersions is how many changes of a file are looked at.
const maxVersions = "50"

// Had implements publish.Commits.
func (c *Checkout) Had(ctx context.Context, path string, wanted func(data []byte) bool) bool {
	commits, err := c.git.run(ctx, "rev-list", "--max-count="+maxVersions, c.commit, "--", path)
	if err != nil {
		return false
	}
	for commit := range strings.FieldsSeq(string(commits)) {
		data, err := c.git.run(ctx, "cat-file", "blob", commit+":./"+path)
		if err == nil && wanted(data) {
			return true
		}
	}
	return false
}
