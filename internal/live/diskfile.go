package live

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrCorrupt means that a disk copy is damaged, or no disk copy at all.
var ErrCorrupt = errors.New("the disk copy is corrupt")

// ErrOtherVersion means that a disk copy is intact, but in the format of another version of the
// program.
var ErrOtherVersion = errors.New("the disk copy was written by another version of the program")

// A disk is the file system that a file is written to. It is an interface so that a test can check
// the order of the steps: that a file is synced before it is renamed shows only in a power cut.
type disk interface {
	create(dir, pattern string) (file, error)
	rename(from, to string) error
	syncDir(dir string) error
}

// A file is an open file that is being written.
type file interface {
	io.WriteCloser
	Name() string
	Sync() error
}

// leftover is in the name of a file that is being written, or that its process left unfinished when
// it died.
const leftover = ".new-"

// writeFile replaces the file at path: it writes a new one beside it, syncs that to the disk and
// renames it. Whatever happens meanwhile, the file at path is either the whole old one or the whole
// new one. Only its owner may read it.
func writeFile(path string, write func(io.Writer) error) error {
	return writeOn(osDisk{}, path, write)
}

func writeOn(d disk, path string, write func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	tmp, err := d.create(dir, filepath.Base(path)+leftover+"*")
	if err != nil {
		return fmt.Errorf("writing the disk copy: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing the disk copy: %w", err)
			err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name())) //nolint:gosec // we made it
		}
	}()
	if err := write(tmp); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := d.rename(tmp.Name(), path); err != nil {
		return err
	}
	return d.syncDir(dir)
}

// osDisk is the real disk.
type osDisk struct{}

func (osDisk) create(dir, pattern string) (file, error) { return os.CreateTemp(dir, pattern) }

func (osDisk) rename(from, to string) error {
	return os.Rename(from, to) //nolint:gosec // the path is the operator's
}

// syncDir syncs a rename to the disk.
func (osDisk) syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("opening the directory of the disk copy: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}

// readFile reads a file that writeFile wrote. The error is fs.ErrNotExist if there is none,
// ErrOtherVersion after an upgrade, and ErrCorrupt if it cannot be trusted.
func readFile(path string, read func(f io.Reader, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening the disk copy: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("opening the disk copy: %w", err)
	}
	err = read(f, info.Size())
	switch {
	case errors.Is(err, ErrOtherVersion):
		return fmt.Errorf("%w: %s", ErrOtherVersion, path)
	case err != nil:
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, path, err)
	}
	return nil
}

// writeSealed writes the line that names the format, then the output of write, then the SHA-256 of
// both.
func writeSealed(f io.Writer, format string, write func(io.Writer) error) error {
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
	if _, err := w.WriteString(format); err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := f.Write(sum.Sum(nil))
	return err
}

// readSealed returns the part of a sealed file between format and checksum. It checks both, and
// returns ErrOtherVersion if only the version of the format differs.
func readSealed(f io.Reader, size int64, format string) ([]byte, error) {
	if size < int64(len(format))+sha256.Size {
		return nil, fmt.Errorf("%d bytes are too few", size)
	}
	file := make([]byte, size)
	if _, err := io.ReadFull(f, file); err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	body, want := file[:size-sha256.Size], file[size-sha256.Size:]
	payload, ok := bytes.CutPrefix(body, []byte(format))
	sum := sha256.Sum256(body)
	whole := bytes.Equal(sum[:], want)
	switch kind := format[:strings.LastIndexByte(format, ' ')+1]; { // a format is a kind and its version
	case !ok && whole && bytes.HasPrefix(body, []byte(kind)):
		return nil, ErrOtherVersion
	case !ok:
		return nil, errors.New("it is of another format")
	case !whole:
		return nil, errors.New("its checksum does not match")
	}
	return payload, nil
}

// sweepAfter is the age at which an unfinished file counts as abandoned. A younger one may belong
// to another process that writes the same file, as in a rolling restart.
const sweepAfter = time.Hour

// sweep removes the unfinished files of processes that died while writing.
func sweep(path string, now time.Time) {
	dir, name := filepath.Split(path)
	files, err := os.ReadDir(filepath.Clean(dir)) // not Glob: the path may hold its special characters
	if err != nil {
		return
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), name+leftover) {
			continue
		}
		if info, err := f.Info(); err == nil && now.Sub(info.ModTime()) > sweepAfter {
			os.Remove(filepath.Join(dir, f.Name())) //nolint:errcheck,gosec // it will be tried again
		}
	}
}
