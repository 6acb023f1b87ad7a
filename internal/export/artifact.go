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

// An Artifact is a file of an edition, compressed.
type Artifact struct {
	File
	Edition catalog.Edition
	Service catalog.Service
	Cursor  catalog.Cursor // the end of the change log as of the edition
	Rows    int
	Size    int    // uncompressed, in bytes
	Tag     string // of the uncompressed bytes: the same on every node, and in every edition with these rows
	Gzip    []byte
}

// MaxCached is the maximum total size of cached files, compressed, in bytes. A larger file cannot
// be made.
const MaxCached = 64 << 20

var errStopped = errors.New("the node is stopping")

// Make makes a file of a snapshot. It gives up when stop is closed.
func Make(f File, s *catalog.Snapshot, t *throttle.Throttle, stop <-chan struct{}) (*Artifact, error) {
	return compress(f, s, t, stop, MaxCached)
}

// compress makes a file. It returns an error once the compressed file is larger than most bytes.
func compress(f File, s *catalog.Snapshot, t *throttle.Throttle, stop <-chan struct{}, most int) (*Artifact, error) {
	m := &Artifact{File: f, Edition: s.Edition(), Service: s.Service(), Cursor: s.Cursor()}
	into := &compressor{sum: sha256.New(), stop: stop, most: most}
	var err error
	// gzip compresses 64 KB at once. At the fastest level, waiting requests hardly notice.
	if into.zip, err = gzip.NewWriterLevel(&into.out, gzip.BestSpeed); err != nil {
		return nil, err // cannot happen: the level exists
	}
	if m.Rows, err = Write(into, f, s, t); err != nil {
		return nil, err
	}
	if err := into.zip.Close(); err != nil {
		return nil, err // cannot happen: it writes to memory
	}
	m.Size, m.Gzip = into.size, bytes.Clone(into.out.Bytes()) // without spare capacity
	m.Tag = base64.RawURLEncoding.EncodeToString(into.sum.Sum(nil)[:16])
	return m, nil
}

// A compressor compresses a file and computes its digest.
type compressor struct {
	zip  *gzip.Writer
	out  bytes.Buffer
	sum  hash.Hash
	size int
	most int // compressed bytes
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
