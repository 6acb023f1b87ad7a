package live

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// The disk copy is a magic line that names the format, Deltas that together are the
// whole catalog, each a gob behind its length, and the SHA-256 of all that. There are
// many of them so that a large catalog is written without being held in memory a
// second time, and read on all processors.
const magic = "palmares snapshot 1\n"

// leftover marks a file that is being written, or was when its process died.
const leftover = ".new-"

// ErrCorrupt says that a disk copy is not what was written.
var ErrCorrupt = errors.New("the disk copy is corrupt")

// WriteCopy puts the whole snapshot in the file. Whatever happens meanwhile, the
// file is afterwards either the old one or the new one: the new one is written
// beside it, brought to the disk, and renamed.
func WriteCopy(path string, s *catalog.Snapshot) error {
	return writeCopy(path, s, func(time.Duration) {})
}

// writeCopy calls pace after each part, with the time that the part took.
func writeCopy(path string, s *catalog.Snapshot, pace func(time.Duration)) error {
	return writeFile(path, func(w io.Writer) error { return encode(w, s.Whole(), pace) })
}

// sweepAfter is the age at which a file beside the copy is nobody's any more. A younger
// one may be the work of another process on the same file, as in a rolling restart.
const sweepAfter = time.Hour

// sweep removes what a process that died while writing left behind.
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

// partSize is how many items of a kind are encoded at once.
const partSize = 2048

func encode(f io.Writer, d catalog.Delta, pace func(time.Duration)) error {
	return sealed(f, magic, func(w io.Writer) error {
		var gobbed bytes.Buffer
		for first := true; first || len(d.Tools)+len(d.Comparisons)+len(d.Retired) > 0; first = false {
			started := time.Now()
			part := catalog.Delta{Tools: take(&d.Tools), Comparisons: take(&d.Comparisons), Retired: take(&d.Retired)}
			if first {
				part.Edition, part.Service, part.Categories = d.Edition, d.Service, d.Categories
			}
			gobbed.Reset()
			if err := gob.NewEncoder(&gobbed).Encode(part); err != nil {
				return fmt.Errorf("encoding: %w", err)
			}
			head := binary.BigEndian.AppendUint32(nil, uint32(gobbed.Len())) //nolint:gosec // of a few thousand items
			if _, err := w.Write(append(head, gobbed.Bytes()...)); err != nil {
				return err
			}
			pace(time.Since(started))
		}
		return nil
	})
}

// sealed writes the line that names a format, what write writes, and the checksum of both.
func sealed(f io.Writer, format string, write func(io.Writer) error) error {
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

func take[T any](list *[]T) []T {
	n := min(len(*list), partSize)
	part := (*list)[:n:n]
	*list = (*list)[n:]
	return part
}

// ReadCopy reads a snapshot that WriteCopy wrote. The error is fs.ErrNotExist when
// there is none, and ErrCorrupt when it cannot be trusted.
func ReadCopy(path string) (*catalog.Snapshot, error) {
	var d catalog.Delta
	err := readFile(path, func(f io.Reader, size int64) (err error) { d, err = decode(f, size); return err })
	if err != nil {
		return nil, err
	}
	return catalog.Empty().Apply(d), nil
}

// readFile reads a file that writeFile wrote, with the errors of ReadCopy.
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
	if err := read(f, info.Size()); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, path, err)
	}
	return nil
}

// unseal gives what sealed wrote, if it is all there.
func unseal(f io.Reader, size int64, format string) ([]byte, error) {
	if size < int64(len(format))+sha256.Size {
		return nil, fmt.Errorf("%d bytes are too few", size)
	}
	file := make([]byte, size)
	if _, err := io.ReadFull(f, file); err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	body, want := file[:size-sha256.Size], file[size-sha256.Size:]
	payload, ok := bytes.CutPrefix(body, []byte(format))
	if !ok {
		return nil, errors.New("it is of another format")
	}
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], want) {
		return nil, errors.New("its checksum does not match")
	}
	return payload, nil
}

func decode(f io.Reader, size int64) (d catalog.Delta, err error) {
	payload, err := unseal(f, size, magic)
	if err != nil {
		return d, err
	}
	parts, err := decodeParts(payload)
	if err != nil {
		return d, fmt.Errorf("decoding: %w", err)
	}
	d = parts[0]
	for _, part := range parts[1:] {
		d.Tools = append(d.Tools, part.Tools...)
		d.Comparisons = append(d.Comparisons, part.Comparisons...)
		d.Retired = append(d.Retired, part.Retired...)
	}
	return d, nil
}

func decodeParts(payload []byte) ([]catalog.Delta, error) {
	var gobs [][]byte
	for len(payload) > 0 {
		if len(payload) < 4 {
			return nil, errors.New("a part is cut")
		}
		n := uint64(binary.BigEndian.Uint32(payload))
		if payload = payload[4:]; n > uint64(len(payload)) {
			return nil, errors.New("a part is cut")
		}
		gobs, payload = append(gobs, payload[:n]), payload[n:]
	}
	if len(gobs) == 0 {
		return nil, errors.New("there is nothing in it")
	}
	parts := make([]catalog.Delta, len(gobs))
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i, b := range gobs {
		all.Go(func() error { return gob.NewDecoder(bytes.NewReader(b)).Decode(&parts[i]) })
	}
	return parts, all.Wait()
}

// loadCopy starts the node from the disk copy.
func (n *Node) loadCopy() {
	started := n.o.Now()
	sweep(n.o.File, started)
	// Nearly all that is allocated now stays: collecting it over and over as it grows
	// would take a third of the time to readiness.
	percent := debug.SetGCPercent(800)
	s, err := ReadCopy(n.o.File)
	debug.SetGCPercent(percent)
	switch {
	case err == nil:
		n.copies.edition.Store(s.Edition().Number)
		n.serve(s)
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
