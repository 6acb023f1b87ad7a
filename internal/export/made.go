package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A Made file is one of an edition, compressed.
type Made struct {
	File
	Edition catalog.Edition
	Service catalog.Service
	Cursor  catalog.Cursor // the end of the change log as of the edition
	Rows    int
	Size    int    // as it is, in bytes
	Tag     string // of its bytes as they are: the same on every node, and in every edition with these rows
	Gzip    []byte
}

// MaxKept is how many bytes of files are kept. One that is larger by itself is not made.
const MaxKept = 64 << 20

var errStopped = errors.New("the node is stopping")

// Make makes a file of a snapshot. It gives up once stop is closed.
func Make(f File, s *catalog.Snapshot, t *throttle.Throttle, stop <-chan struct{}) (*Made, error) {
	return compress(f, s, t, stop, MaxKept)
}

// compress makes a file that is no larger than most.
func compress(f File, s *catalog.Snapshot, t *throttle.Throttle, stop <-chan struct{}, most int) (*Made, error) {
	m := &Made{File: f, Edition: s.Edition(), Service: s.Service(), Cursor: s.Cursor()}
	into := &compressor{sum: sha256.New(), stop: stop, most: most}
	var err error
	// 64 KB are compressed at once, whatever is written: at the fastest level that is short enough for the requests that
	// wait meanwhile.
	if into.zip, err = gzip.NewWriterLevel(&into.out, gzip.BestSpeed); err != nil {
		return nil, err // cannot be: there is such a level
	}
	if m.Rows, err = Write(into, f, s, t); err != nil {
		return nil, err
	}
	if err := into.zip.Close(); err != nil {
		return nil, err // cannot be: it writes into memory
	}
	m.Size, m.Gzip = into.size, bytes.Clone(into.out.Bytes()) // without the room that it has grown into
	m.Tag = base64.RawURLEncoding.EncodeToString(into.sum.Sum(nil)[:16])
	return m, nil
}

// A compressor packs a file and takes its digest.
type compressor struct {
	zip  *gzip.Writer
	out  bytes.Buffer
	sum  hash.Hash
	size int
	most int // of what comes out
	stop <-chan struct{}
}

// Write implements io.Writer.
func (p *compressor) Write(b []byte) (int, error) {
	select {
	case <-p.stop:
		return 0, errStopped
	default:
	}
	if p.out.Len() > p.most {
		return 0, fmt.Errorf("compressed, it is larger than the %d bytes for all files", p.most)
	}
	p.size += len(b)
	p.sum.Write(b)
	return p.zip.Write(b)
}
