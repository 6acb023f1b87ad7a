package negotiate

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Level is how much time to spend on compressing a body.
type Level uint8

// The levels. In gzip, Fast takes half the time and gives a tenth more bytes; in zstd, whose usual
// level is nearly as fast, they are the same.
const (
	Usual Level = iota // for bodies that are sent more than once
	Fast               // for bodies that may be sent only once
)

// Compress returns body in an encoding: a new slice with little spare capacity, or body itself for
// Identity.
func Compress(e Encoding, l Level, body []byte) []byte {
	switch e {
	case Gzip:
		return compressGzip(&gzipPools[l], body)
	case Zstd:
		return compressZstd(body)
	default:
		return body
	}
}

// Compressors are pooled because each has tables of hundreds of kilobytes.
var (
	gzipPools = [...]sync.Pool{
		Usual: {New: func() any { return newGzipWriter(gzip.DefaultCompression) }},
		Fast:  {New: func() any { return newGzipWriter(gzip.BestSpeed) }},
	}
	zstdPool = sync.Pool{New: func() any {
		// Bodies are complete before they are compressed: an encoder needs neither goroutines nor
		// a window larger than a body.
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault),
			zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return &zstdWriter{w: w}
	}}
)

type gzipWriter struct {
	w   *gzip.Writer
	out bytes.Buffer
}

type zstdWriter struct {
	w   *zstd.Encoder
	out []byte
}

func newGzipWriter(level int) *gzipWriter {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // the levels are constants
	}
	return &gzipWriter{w: w}
}

func compressGzip(pool *sync.Pool, body []byte) []byte {
	g := pool.Get().(*gzipWriter)
	defer pool.Put(g)
	g.out.Reset()
	g.w.Reset(&g.out)
	_, _ = g.w.Write(body) // a bytes.Buffer never fails
	_ = g.w.Close()
	return bytes.Clone(g.out.Bytes())
}

func compressZstd(body []byte) []byte {
	z := zstdPool.Get().(*zstdWriter)
	defer zstdPool.Put(z)
	z.out = z.w.EncodeAll(body, z.out[:0])
	return bytes.Clone(z.out)
}
