package live

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// The disk copy is a magic line that names the format, the length of the payload,
// the payload, and the SHA-256 of all that. A gob of a Delta is the payload: it
// survives fields that come and go between versions.
const magic = "palmares snapshot 1\n"

// leftover marks a file that is being written, or was when its process died.
const leftover = ".new-"

// ErrCorrupt says that a disk copy is not what was written.
var ErrCorrupt = errors.New("the disk copy is corrupt")

// WriteCopy puts the whole snapshot in the file. Whatever happens meanwhile, the
// file is afterwards either the old one or the new one: the new one is written
// beside it, brought to the disk, and renamed.
func WriteCopy(path string, s *catalog.Snapshot) (err error) {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+leftover+"*")
	if err != nil {
		return fmt.Errorf("writing the disk copy: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("writing the disk copy: %w", err), tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	if err := encode(tmp, s.Whole()); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir brings a rename to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("opening the directory of the disk copy: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}

// sweep removes what a process that died while writing left behind.
func sweep(path string) {
	dir, name := filepath.Split(path)
	files, err := os.ReadDir(filepath.Clean(dir)) // not Glob: the path may hold its special characters
	if err != nil {
		return
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), name+leftover) {
			os.Remove(filepath.Join(dir, f.Name())) //nolint:errcheck,gosec // it will be tried again
		}
	}
}

func encode(f io.Writer, d catalog.Delta) error {
	var payload bytes.Buffer
	if err := gob.NewEncoder(&payload).Encode(d); err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)
	head := binary.BigEndian.AppendUint64([]byte(magic), uint64(payload.Len())) //nolint:gosec // a length
	for _, part := range [][]byte{head, payload.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := f.Write(sum.Sum(nil))
	return err
}

// ReadCopy reads a snapshot that WriteCopy wrote. The error is fs.ErrNotExist when
// there is none, and ErrCorrupt when it cannot be trusted.
func ReadCopy(path string) (*catalog.Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the disk copy: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening the disk copy: %w", err)
	}
	d, err := decode(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, path, err)
	}
	return catalog.Empty().Apply(d), nil
}

func decode(f io.Reader, size int64) (d catalog.Delta, err error) {
	const frame = int64(len(magic)) + 8 + sha256.Size
	if size < frame {
		return d, fmt.Errorf("%d bytes are too few", size)
	}
	sum := sha256.New()
	head := make([]byte, len(magic)+8)
	if err := readFull(f, sum, head); err != nil {
		return d, err
	}
	if string(head[:len(magic)]) != magic {
		return d, errors.New("it is of another format")
	}
	if n := binary.BigEndian.Uint64(head[len(magic):]); n != uint64(size-frame) {
		return d, fmt.Errorf("%d bytes of payload are announced, %d are there", n, size-frame)
	}
	payload := make([]byte, size-frame)
	if err := readFull(f, sum, payload); err != nil {
		return d, err
	}
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(f, want); err != nil {
		return d, fmt.Errorf("reading the checksum: %w", err)
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return d, errors.New("its checksum does not match")
	}
	if err := gob.NewDecoder(bytes.NewReader(payload)).Decode(&d); err != nil {
		return d, fmt.Errorf("decoding: %w", err)
	}
	return d, nil
}

func readFull(f io.Reader, sum hash.Hash, b []byte) error {
	if _, err := io.ReadFull(f, b); err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	sum.Write(b)
	return nil
}

// loadCopy starts the node from the disk copy.
func (n *Node) loadCopy() {
	sweep(n.o.File)
	started := n.o.Now()
	s, err := ReadCopy(n.o.File)
	switch {
	case err == nil:
		n.current.Store(s)
		n.o.Logger.Info("disk copy loaded", "edition", s.Edition().Number, "took_ms", n.o.Now().Sub(started).Milliseconds())
	case errors.Is(err, fs.ErrNotExist):
		n.o.Logger.Info("no disk copy yet", "file", n.o.File)
	default:
		n.o.Logger.Error("the disk copy cannot be used", "error", err)
		n.mu.Lock()
		n.copy = err
		n.mu.Unlock()
	}
}
