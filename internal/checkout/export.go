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
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/text"
)

// Limits bound what is read from a repository.
type Limits struct {
	Files int   // files and folders of a catalog
	Bytes int64 // of a catalog, and of the mirror on disk
}

// The largest sizes of single objects, in bytes, and of names. Those of a catalog are far smaller.
const (
	maxBlob   = 1 << 20 // as for every content file
	maxCommit = 1 << 20
	maxTree   = 32 << 20
	maxName   = 255
)

// A RefusedError says why a commit cannot be published. Trying again does not help: only another commit, or larger
// Limits, can.
type RefusedError struct{ Path, Reason string }

// Error implements error. It begins with the path, if there is one.
func (e *RefusedError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return fmt.Sprintf("%s: %s", shownPath(e.Path), e.Reason)
}

// shownPath returns a path as it is shown in one line: shortened, and quoted if it has odd characters.
func shownPath(s string) string {
	const most = 200
	if len(s) > most {
		return fmt.Sprintf("%.*q…", most, s)
	}
	if text.Line(s) == s {
		return s
	}
	return fmt.Sprintf("%q", s)
}

// A treeEntry is an entry of a folder in git.
type treeEntry struct{ mode, name, id string }

// The modes of entries in git that are not files. Files have two, and 100664 in old repositories.
const (
	modeTree = "40000"
	modeLink = "120000"
	modeSub  = "160000"
)

func (e treeEntry) file() bool {
	return e.mode == "100644" || e.mode == "100755" || e.mode == "100664"
}

// parseTree parses a folder as git stores it. Each entry is the mode, a space, the name, NUL and the object.
func parseTree(data []byte, idSize int) ([]treeEntry, error) {
	var entries []treeEntry
	for len(data) > 0 {
		mode, rest, found := bytes.Cut(data, []byte(" "))
		name, rest, ended := bytes.Cut(rest, []byte{0})
		if !found || !ended || len(rest) < idSize {
			return nil, &RefusedError{"", "a folder of the commit is damaged"}
		}
		entries = append(entries, treeEntry{strings.TrimLeft(string(mode), "0"), string(name), hex.EncodeToString(rest[:idSize])})
		data = rest[idSize:]
	}
	return entries, nil
}

// An exporter writes the files of a catalog, and only those, from the objects of a commit. It writes them into the
// folders of a catalog, under names that it has checked: nothing else in the objects decides where a file goes.
type exporter struct {
	ctx     context.Context //nolint:containedctx // it lives as long as one call
	objects *objects
	root    *os.Root // the folder that the catalog is written to
	prefix  string   // put before paths in error messages
	limits  Limits

	files int
	bytes int64
	blobs map[string]string
}

// fail returns a RefusedError about a path of the catalog.
func (x *exporter) fail(at, format string, args ...any) error {
	return &RefusedError{path.Join(x.prefix, at), fmt.Sprintf(format, args...)}
}

// tree reads the entries of a folder, and refuses one that exceeds the limit of files or has git's own names.
func (x *exporter) tree(at, id string) ([]treeEntry, error) {
	if err := x.ctx.Err(); err != nil {
		return nil, fmt.Errorf("reading the commit: %w", context.Cause(x.ctx))
	}
	data, err := x.objects.read(id, "tree", maxTree)
	if errors.Is(err, errLarge) {
		return nil, x.tooMany()
	}
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(data, len(id)/2)
	if err != nil {
		return nil, err
	}
	if x.files+len(entries) > x.limits.Files && at != "" { // before any of them is written
		return nil, x.tooMany()
	}
	for _, e := range entries {
		if strings.EqualFold(e.name, ".git") || strings.EqualFold(e.name, "git~1") {
			return nil, x.fail(path.Join(at, e.name), "this name is git's own: remove it from the repository")
		}
	}
	return entries, nil
}

// checkName refuses names that no file of a catalog has, or that a file system might interpret.
func (x *exporter) checkName(at string, e treeEntry) error {
	where := path.Join(at, "?")
	if e.name != "" && e.name != "." && e.name != ".." && !strings.Contains(e.name, "/") {
		where = path.Join(at, e.name)
	}
	switch {
	case !utf8.ValidString(e.name):
		return x.fail(where, "the name is not UTF-8: rename the file")
	case e.name == "" || e.name == "." || e.name == "..":
		return x.fail(where, "%q is no name of a file", e.name)
	case len(e.name) > maxName:
		return x.fail(where, "the name has %d bytes: rename the file", len(e.name))
	case strings.ContainsAny(e.name, `/\`), text.Line(e.name) != e.name:
		return x.fail(where, "the name %q has characters that no file of a catalog has: rename the file", e.name)
	}
	return nil
}

// The folders of a catalog that hold files, and the one that holds older states of it.
var itemFolders = []string{"tools", "comparatifs", "cimetiere", "pages"}

const historyFolder = "history"

// catalog writes a catalog, the current one or an older one below history/, from its top folder. It makes unknown
// folders empty, so that they are reported as they are for any other directory, and ignores all other entries.
func (x *exporter) catalog(at, id string) error {
	entries, err := x.tree(at, id)
	if err != nil {
		return err
	}
	for _, e := range entries {
		here := path.Join(at, e.name)
		known := slices.Contains(itemFolders, e.name) || e.name == historyFolder && at == ""
		yaml := strings.HasSuffix(e.name, ".yaml") || strings.HasSuffix(e.name, ".yml")
		if !known && !yaml && (e.mode != modeTree || strings.HasPrefix(e.name, ".") || x.checkName(at, e) != nil) {
			continue
		}
		switch {
		case known && e.mode == modeTree:
			if err := x.folder(here, e.id); err != nil {
				return err
			}
		case known:
			return x.fail(here, "%s: put the folder itself there", kindOf(e))
		case e.mode == modeTree:
			if err := x.mkdir(here); err != nil {
				return err
			}
		default:
			if err := x.file(at, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func kindOf(e treeEntry) string {
	switch {
	case e.mode == modeLink:
		return "it is a symbolic link"
	case e.mode == modeSub:
		return "it is a submodule, which is not fetched"
	case e.mode == modeTree:
		return "it is a folder"
	case e.file():
		return "it is a file"
	}
	return fmt.Sprintf("it has the mode %.10q, which git does not have", e.mode)
}

// folder writes the files of a folder. It makes folders inside it empty, except that each in history/ is a catalog.
func (x *exporter) folder(at, id string) error {
	if err := x.mkdir(at); err != nil {
		return err
	}
	entries, err := x.tree(at, id)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := x.checkName(at, e); err != nil {
			return err
		}
		if strings.HasPrefix(e.name, ".") { // not content
			continue
		}
		here := path.Join(at, e.name)
		if e.mode != modeTree {
			err = x.file(at, e)
		} else if err = x.mkdir(here); err == nil && at == historyFolder {
			err = x.catalog(here, e.id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) tooMany() error {
	return &RefusedError{"", fmt.Sprintf("the catalog has more than %d files: PALMARES_PUBLISH_MAX_FILES allows more", x.limits.Files)}
}

// count counts one more file or folder against the limits.
func (x *exporter) count(size int64) error {
	x.files++
	x.bytes += size
	switch {
	case x.files > x.limits.Files:
		return x.tooMany()
	case x.bytes > x.limits.Bytes:
		return &RefusedError{"", fmt.Sprintf("the files of the catalog have more than %d MB: PALMARES_PUBLISH_MAX_MB allows more", x.limits.Bytes>>20)}
	}
	return nil
}

func (x *exporter) mkdir(at string) error {
	if err := x.count(0); err != nil {
		return err
	}
	return x.explainWrite(at, x.root.Mkdir(at, 0o700))
}

// explainWrite turns the error of writing something into one that explains it. A name can be there twice: git never makes such
// a folder, but somebody may have, and a file system may not tell two names apart.
func (x *exporter) explainWrite(at string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return x.fail(at, "the name is there twice")
	}
	if err != nil {
		return fmt.Errorf("writing the files of the commit: %w", err)
	}
	return nil
}

// lfsPointer is the beginning of a file of Git LFS, which stands for one stored outside git.
const lfsPointer = "version https://git-lfs.github.com/spec/"

func (x *exporter) file(at string, e treeEntry) error {
	here := path.Join(at, e.name)
	if !e.file() {
		return x.fail(here, "%s: put the file itself there", kindOf(e))
	}
	size, err := x.objects.size(e.id, "blob")
	if err != nil {
		return err
	}
	if size > maxBlob {
		return x.fail(here, "the file has %d bytes: a file of a catalog has 1 MiB at most", size)
	}
	if err := x.count(size); err != nil {
		return err
	}
	data, err := x.objects.read(e.id, "blob", maxBlob)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(data, []byte(lfsPointer)) {
		return x.fail(here, "it is a pointer of Git LFS, which is not asked: put the file itself into git")
	}
	f, err := x.root.OpenFile(here, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return x.explainWrite(here, err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return x.explainWrite(here, err)
	}
	x.blobs[here] = e.id
	return nil
}

// find returns the object of the folder at a path below a commit's tree.
func (x *exporter) find(tree, folder string) (string, error) {
	at := ""
	for name := range strings.SplitSeq(folder, "/") {
		if folder == "." {
			break
		}
		entries, err := x.tree("", tree)
		if err != nil {
			return "", err
		}
		found := false
		at = path.Join(at, name)
		for _, e := range entries {
			if e.name != name {
				continue
			}
			if e.mode != modeTree {
				return "", &RefusedError{at, kindOf(e) + ": the catalog is a folder"}
			}
			tree, found = e.id, true
		}
		if !found {
			return "", &RefusedError{at, "the commit has no such folder: --path names that of the catalog in the repository"}
		}
	}
	return tree, nil
}

// treeOf returns the object of a commit's top folder.
func treeOf(commit []byte) (string, error) {
	line, _, _ := bytes.Cut(commit, []byte("\n"))
	id, found := strings.CutPrefix(string(line), "tree ")
	if !found || len(id) != 2*sha1.Size && len(id) != 2*sha256.Size {
		return "", &RefusedError{"", "the commit is damaged"}
	}
	return id, nil
}

// export writes the catalog of a commit into root, which must be empty. folder is the path of the catalog in the
// repository.
func (g git) export(ctx context.Context, commit, folder string, root *os.Root, l Limits) (*Checkout, error) {
	objects, err := g.objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.close()
	object, err := objects.read(commit, "commit", maxCommit)
	if errors.Is(err, errLarge) {
		return nil, &RefusedError{"", "the commit has a text of more than 1 MiB"}
	}
	if err != nil {
		return nil, err
	}
	x := &exporter{ctx: ctx, objects: objects, root: root, limits: l, blobs: make(map[string]string)}
	tree, err := treeOf(object)
	if err != nil {
		return nil, err
	}
	if tree, err = x.find(tree, folder); err != nil {
		return nil, err
	}
	if x.prefix = folder; folder == "." {
		x.prefix = ""
	}
	if err := x.catalog("", tree); err != nil {
		return nil, err
	}
	return &Checkout{
		git: g, commit: commit, author: authorOf(object), blobs: x.blobs,
		read: make(map[string]bool), modified: make(map[string]bool),
	}, nil
}
