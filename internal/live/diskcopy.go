package live

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// The disk copy of a snapshot is a line that names the format, Deltas that together are the whole
// catalog, each a gob after its length, and the SHA-256 of all that. There are many of them so that
// a large catalog is written without being held in memory a second time, and read on all
// processors.
//
// A copy of another format is refused, an older one too. A node fetches nothing of an edition that
// it has, so what an older version did not write would be missing until the item changes.
const magic = "palmares snapshot 3\n"

// WriteCopy writes the whole snapshot to the file. Whatever happens meanwhile, the file is
// afterwards either the old one or the new one.
func WriteCopy(path string, s *catalog.Snapshot) error {
	return writeCopy(path, s, func(time.Duration) {})
}

// writeCopy calls pace after each part, with the time that the part took.
func writeCopy(path string, s *catalog.Snapshot, pace func(time.Duration)) error {
	return writeFile(path, func(w io.Writer) error { return encode(w, s.Whole(), pace) })
}

// partSize is how many items of a kind are encoded at once.
const partSize = 2048

func encode(f io.Writer, d catalog.Delta, pace func(time.Duration)) error {
	return writeSealed(f, magic, func(w io.Writer) error {
		var gobbed bytes.Buffer
		part := d // the first part has all that there is one of
		items := func() int { return len(d.Tools) + len(d.Comparisons) + len(d.Retired) + len(d.Log) }
		for first := true; first || items() > 0; first = false {
			started := time.Now()
			if !first {
				part = catalog.Delta{}
			}
			part.Tools, part.Comparisons = take(&d.Tools), take(&d.Comparisons)
			part.Retired, part.Log = take(&d.Retired), take(&d.Log)
			gobbed.Reset()
			if err := gob.NewEncoder(&gobbed).Encode(part); err != nil {
				return fmt.Errorf("encoding: %w", err)
			}
			size := uint32(gobbed.Len()) //nolint:gosec // of a few thousand items
			head := binary.BigEndian.AppendUint32(nil, size)
			if _, err := w.Write(append(head, gobbed.Bytes()...)); err != nil {
				return err
			}
			pace(time.Since(started))
		}
		return nil
	})
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
	err := readFile(path, func(f io.Reader, size int64) (err error) {
		d, err = decode(f, size)
		return err
	})
	if err != nil {
		return nil, err
	}
	return catalog.Empty().Apply(d), nil
}

func decode(f io.Reader, size int64) (d catalog.Delta, err error) {
	payload, err := readSealed(f, size, magic)
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
		d.Log = append(d.Log, part.Log...)
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
