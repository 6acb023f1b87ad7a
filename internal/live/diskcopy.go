package live

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// The disk copy of a snapshot is a line that names the format, Deltas that together are the whole
// catalog, and the SHA-256 of both. The Deltas are in sections, each a stream of gobs after its
// length, so that all processors read sections at once, and a large catalog is written without a
// second copy in memory. One encoder writes all parts of a section and reuses its buffer; an
// encoder for each part would leave several times the catalog to the garbage collector with each
// edition.
//
// A copy in any other format is refused, even an older one. A node fetches nothing of an edition
// that it has, so a field that an older version did not write would be missing until its item
// changes.
const magic = "palmares snapshot 15\n"

// WriteCopy writes the whole snapshot to the file. Whatever happens meanwhile, the file is then
// either the whole old one or the whole new one.
func WriteCopy(path string, s *catalog.Snapshot) error {
	return writeCopy(path, s, nil)
}

// writeCopy is WriteCopy with a pause after each part.
func writeCopy(path string, s *catalog.Snapshot, t *throttle.Throttle) error {
	return writeFile(path, func(w io.Writer) error { return encode(w, s.Whole(), t) })
}

const (
	// partSize is how many items of each kind are encoded at a time: well below a millisecond of
	// work, so that no request waits for it.
	partSize = 16
	// sectionParts is how many parts a section has: a megabyte or two, written with one call.
	sectionParts = 32
)

func encode(f io.Writer, d catalog.Delta, t *throttle.Throttle) error {
	return writeSealed(f, magic, func(w io.Writer) error {
		var section bytes.Buffer
		first := true // the first part also has all that is not split into parts
		items := func() int { return len(d.Tools) + len(d.Comparisons) + len(d.Retired) + len(d.Histories) + len(d.Log) }
		for first || items() > 0 {
			section.Reset()
			enc := gob.NewEncoder(&section)
			for range sectionParts {
				part := catalog.Delta{}
				if first {
					part, first = d, false
				}
				part.Tools, part.Comparisons = take(&d.Tools), take(&d.Comparisons)
				part.Retired, part.Log = take(&d.Retired), take(&d.Log)
				part.Histories = take(&d.Histories)
				if err := enc.Encode(part); err != nil {
					return fmt.Errorf("encoding: %w", err)
				}
				t.Pause()
				if items() == 0 {
					break
				}
			}
			if err := writeSection(w, section.Bytes()); err != nil {
				return err
			}
			t.Pause()
		}
		return nil
	})
}

func writeSection(w io.Writer, section []byte) error {
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(section))) //nolint:gosec // of a few thousand items
	if _, err := w.Write(size[:]); err != nil {
		return err
	}
	_, err := w.Write(section)
	return err
}

func take[T any](list *[]T) []T {
	n := min(len(*list), partSize)
	part := (*list)[:n:n]
	*list = (*list)[n:]
	return part
}

// ReadCopy reads a snapshot that WriteCopy wrote. The error is fs.ErrNotExist if there is none,
// ErrOtherVersion after an upgrade, and ErrCorrupt if it cannot be trusted.
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
	sections, err := decodeSections(payload)
	if err != nil {
		return d, fmt.Errorf("decoding: %w", err)
	}
	d = sections[0]
	for _, section := range sections[1:] {
		join(&d, section)
	}
	return d, nil
}

// join adds the items of another part.
func join(d *catalog.Delta, part catalog.Delta) {
	d.Tools = append(d.Tools, part.Tools...)
	d.Comparisons = append(d.Comparisons, part.Comparisons...)
	d.Retired = append(d.Retired, part.Retired...)
	d.Histories = append(d.Histories, part.Histories...)
	d.Log = append(d.Log, part.Log...)
}

func decodeSections(payload []byte) ([]catalog.Delta, error) {
	var gobs [][]byte
	for len(payload) > 0 {
		if len(payload) < 4 {
			return nil, errors.New("a section is cut")
		}
		n := uint64(binary.BigEndian.Uint32(payload))
		if payload = payload[4:]; n > uint64(len(payload)) {
			return nil, errors.New("a section is cut")
		}
		gobs, payload = append(gobs, payload[:n]), payload[n:]
	}
	if len(gobs) == 0 {
		return nil, errors.New("there is nothing in it")
	}
	sections := make([]catalog.Delta, len(gobs))
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i, b := range gobs {
		all.Go(func() error { return decodeSection(b, &sections[i]) })
	}
	return sections, all.Wait()
}

func decodeSection(b []byte, d *catalog.Delta) error {
	dec := gob.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(d); err != nil {
		return err
	}
	for {
		var part catalog.Delta
		switch err := dec.Decode(&part); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		join(d, part)
	}
}
