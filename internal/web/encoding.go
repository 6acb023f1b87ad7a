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

// A Level says how much is spent on making a body small.
type Level uint8

// The levels. In gzip Fast takes half the time and gives a tenth more bytes; in zstd, whose
// usual level is nearly as fast, they are the same.
const (
	Usual Level = iota // for what is sent more than once
	Fast               // for what may never be asked for again
)

// suffix tells encodings and levels apart in entity tags.
func (e Encoding) suffix(l Level) string {
	switch {
	case e == Gzip && l == Fast:
		return "-gzip-fast"
	case e == Gzip:
		return "-gzip"
	case e == Zstd:
		return "-zstd"
	default:
		return ""
	}
}

// ETag is the strong entity tag of what opaque names in one encoding, compressed at a
// level: bytes that differ need tags that differ.
func (e Encoding) ETag(opaque string, l Level) string { return `"` + opaque + e.suffix(l) + `"` }

// Accepted says which encodings a client takes, as weights in thousandths. The zero
// value takes identity alone, as a client does that says nothing.
type Accepted struct {
	weights [Zstd + 1]int16
	told    bool
}

// ParseAccepted reads an Accept-Encoding header (RFC 9110, section 12.5.3), given as
// its lines. Codings that are not named have the weight of *, if there is one;
// identity is taken unless it is refused. Elements that are malformed count for
// nothing.
func ParseAccepted(lines []string) Accepted {
	const unset = -1
	weights := [...]int16{Identity: unset, Gzip: unset, Zstd: unset}
	others := int16(unset) // the weight of *
	for _, rest := range lines {
		for rest != "" {
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
	}
	for i, weight := range weights {
		if weight == unset {
			weights[i] = others
		}
	}
	return Accepted{weights: weights, told: true}
}

// Best is the encoding with the highest weight, zstd before gzip before identity among
// equals, and identity when nothing fits.
func (a Accepted) Best() Encoding {
	best, bestWeight := Identity, int16(0)
	for i, weight := range a.weights {
		if weight > 0 && weight >= bestWeight {
			best, bestWeight = Encoding(i), weight
		}
	}
	return best
}

// Allows reports whether the client takes an encoding.
func (a Accepted) Allows(e Encoding) bool {
	if e == Identity {
		return !a.told || a.weights[Identity] != 0 // taken unless refused
	}
	return a.weights[e] > 0
}

// parseCoding reads one element, as "gzip" or "gzip;q=0.5". Weights are in
// thousandths.
func parseCoding(element string) (coding string, weight int16, ok bool) {
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
func parseWeight(s string) (int16, bool) {
	if len(s) > len("0.000") || s[0] != '0' && s[0] != '1' || len(s) > 1 && s[1] != '.' {
		return 0, false
	}
	weight, unit := int16(s[0]-'0')*1000, int16(100)
	for i := 2; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		weight += int16(s[i]-'0') * unit
		unit /= 10
	}
	return weight, weight <= 1000
}

// Compress gives body in an encoding: a slice of its own, with little capacity to
// spare, or body itself for Identity.
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

// The compressors carry tables of hundreds of kilobytes: they are worth keeping.
var (
	gzipPools = [...]sync.Pool{
		Usual: {New: func() any { return newGzipWriter(gzip.DefaultCompression) }},
		Fast:  {New: func() any { return newGzipWriter(gzip.BestSpeed) }},
	}
	zstdPool = sync.Pool{New: func() any {
		// Bodies are complete before they are compressed, so an encoder never
		// needs goroutines, nor a window larger than a body.
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
