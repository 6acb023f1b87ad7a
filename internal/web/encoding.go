package web

import (
	"bytes"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// An Encoding is a content coding that the service can answer in.
type Encoding uint8

// The encodings, the preferred one last.
const (
	Identity Encoding = iota
	Gzip
	Zstd
)

// Encodings lists every encoding.
func Encodings() []Encoding { return []Encoding{Identity, Gzip, Zstd} }

// String is the coding's name in Content-Encoding, where Identity is left out.
func (e Encoding) String() string {
	switch e {
	case Gzip:
		return "gzip"
	case Zstd:
		return "zstd"
	default:
		return "identity"
	}
}

// suffix tells the encodings apart in entity tags.
func (e Encoding) suffix() string {
	switch e {
	case Gzip:
		return "-gzip"
	case Zstd:
		return "-zstd"
	default:
		return ""
	}
}

// ETag is the strong entity tag of one encoding of what opaque names: bytes that
// differ need tags that differ.
func (e Encoding) ETag(opaque string) string { return `"` + opaque + e.suffix() + `"` }

// Negotiate chooses the encoding for an Accept-Encoding header (RFC 9110, section
// 12.5.3): the one with the highest weight, zstd before gzip before identity
// among equals, and identity when nothing fits. Codings that are not named have the
// weight of *, if there is one. Elements that are malformed count for nothing.
func Negotiate(acceptEncoding string) Encoding {
	const unset = -1
	weights := [...]int{Identity: unset, Gzip: unset, Zstd: unset}
	others := unset // the weight of *
	for rest := acceptEncoding; rest != ""; {
		var element string
		element, rest, _ = strings.Cut(rest, ",")
		coding, weight, ok := parseCoding(element)
		switch {
		case !ok:
		case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
			weights[Gzip] = weight
		case strings.EqualFold(coding, "zstd"):
			weights[Zstd] = weight
		case strings.EqualFold(coding, "identity"):
			weights[Identity] = weight
		case coding == "*":
			others = weight
		}
	}
	best, bestWeight := Identity, 0
	for i, weight := range weights {
		if weight == unset {
			weight = others
		}
		if weight > 0 && weight >= bestWeight {
			best, bestWeight = Encoding(i), weight
		}
	}
	return best
}

// parseCoding reads one element, as "gzip" or "gzip;q=0.5". Weights are in
// thousandths.
func parseCoding(element string) (coding string, weight int, ok bool) {
	const ows = " \t"
	coding, parameter, weighted := strings.Cut(element, ";")
	coding = strings.Trim(coding, ows)
	if !weighted {
		return coding, 1000, coding != ""
	}
	parameter = strings.Trim(parameter, ows)
	if len(parameter) < 3 || parameter[0]|0x20 != 'q' || parameter[1] != '=' {
		return "", 0, false
	}
	weight, ok = parseWeight(parameter[2:])
	return coding, weight, ok
}

// parseWeight reads a qvalue: 0 to 1 with at most three decimals.
func parseWeight(s string) (int, bool) {
	if len(s) > len("0.000") || s[0] != '0' && s[0] != '1' || len(s) > 1 && s[1] != '.' {
		return 0, false
	}
	weight, unit := int(s[0]-'0')*1000, 100
	for i := 2; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		weight += int(s[i]-'0') * unit
		unit /= 10
	}
	return weight, weight <= 1000
}

// Compress gives body in an encoding, at the fast level of each: a slice of its
// own, with little capacity to spare, or body itself for Identity.
func Compress(e Encoding, body []byte) []byte {
	switch e {
	case Gzip:
		return compressGzip(body)
	case Zstd:
		return compressZstd(body)
	default:
		return body
	}
}

// The compressors carry tables of hundreds of kilobytes: they are worth keeping.
var (
	gzipPool = sync.Pool{New: func() any {
		w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is a constant
		}
		return &gzipWriter{w: w}
	}}
	zstdPool = sync.Pool{New: func() any {
		// Bodies are complete before they are compressed, so an encoder never
		// needs goroutines, nor a window larger than a body.
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
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

func compressGzip(body []byte) []byte {
	g := gzipPool.Get().(*gzipWriter)
	defer gzipPool.Put(g)
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
