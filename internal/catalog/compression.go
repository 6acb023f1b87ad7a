package catalog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// MaxMarkdown is the largest size of a review's Markdown, in bytes. No content file is larger.
const MaxMarkdown = 1 << 20

// The maximum sizes of what is stored, in bytes.
const (
	MaxCompressed = MaxMarkdown + 1<<10 // zstd adds less than that to a text that it cannot compress
	MaxDictionary = 128 << 10
)

// A Dictionary holds what reviews have in common. Each review is compressed on its own, because a
// page reads one without the others, and alone it is too short to compress well.
//
// Dictionaries are numbered from 1 in the order of training. A compressed review names its
// dictionary, so a new dictionary does not change the reviews that use an older one.
type Dictionary struct {
	Number  int
	Reviews int    // how many the catalog had when it was trained
	Content []byte // in the format of zstd, which holds its ID
}

// dictionaryID returns the zstd ID of a dictionary. Lower IDs belong to registered dictionaries.
func dictionaryID(number int) uint32 { return uint32(1<<15 + number) } //nolint:gosec // a handful

const (
	// minReviews is the smallest number of reviews worth a dictionary.
	minReviews = 500
	// retrainAt is the factor by which a catalog grows until the next dictionary is due. At least
	// three quarters of its reviews are then newer than the last dictionary.
	retrainAt = 4

	// Measured on generated reviews: a larger dictionary saves little more.
	maxHistory = 112 << 10
	// MaxSamples is the largest number of reviews to train a dictionary on.
	MaxSamples = 1000
	maxTables  = 200      // samples in which the frequencies of symbols are counted
	maxSample  = 64 << 10 // bytes of each
)

// DictionaryDue reports whether a catalog of that many reviews should train a dictionary.
// trainedFor is how many it had when the newest one was trained; 0 without one.
func DictionaryDue(reviews, trainedFor int) bool {
	return reviews >= max(minReviews, retrainAt*trainedFor)
}

// TrainDictionary trains a dictionary on samples of reviews and gives it that number. One half of
// the samples becomes its content, as far as there is room; compressing the other half with it
// yields the frequencies of symbols. Equal samples yield equal dictionaries. It returns an error if
// no dictionary can be made of the samples, as when they are all alike.
//
// Package dict of the zstd module, which looks for frequent strings instead, took a hundred times
// as long and compressed less well.
func TrainDictionary(number, reviews int, samples []string) (d Dictionary, err error) {
	// BuildDict has panicked on uniform input. Without a dictionary the reviews are only larger,
	// which is no reason to refuse a publication.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("training a dictionary: panic: %v", r)
		}
	}()
	samples = slices.Clone(samples)
	same := rand.New(rand.NewPCG(0, 0)) //nolint:gosec // no secret: both halves are to be alike
	same.Shuffle(len(samples), func(i, j int) {
		samples[i], samples[j] = samples[j], samples[i]
	})
	var history []byte
	var others [][]byte
	for i, text := range samples {
		switch {
		case i%2 == 1 && len(others) < maxTables:
			others = append(others, []byte(text[:min(len(text), maxSample)]))
		case i%2 == 0 && len(history)+len(text) <= maxHistory:
			history = append(history, text...)
		}
	}
	content, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID: dictionaryID(number), History: history, Contents: others, Level: compressionLevel,
	})
	if err != nil {
		return Dictionary{}, fmt.Errorf("training a dictionary: %w", err)
	}
	return Dictionary{Number: number, Reviews: reviews, Content: content}, nil
}

// compressionLevel trades time for size: with a dictionary it takes 0.15 ms for a review of 2 KB.
// The next higher level saves nothing more and takes forty times as long.
const compressionLevel = zstd.SpeedBetterCompression

// A Compressor compresses the Markdown of reviews. It is safe for concurrent use.
type Compressor struct {
	encoder *zstd.Encoder
	check   *Decompressor
}

// NewCompressor returns a compressor that uses a dictionary, or none if it is the zero value.
func NewCompressor(d Dictionary) (*Compressor, error) {
	options := []zstd.EOption{
		zstd.WithEncoderLevel(compressionLevel), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)),
		zstd.WithSingleSegment(true), zstd.WithWindowSize(MaxMarkdown),
	}
	c := &Compressor{check: NewDecompressor(nil)}
	if d.Number > 0 {
		options = append(options, zstd.WithEncoderDict(d.Content))
		c.check = NewDecompressor([]Dictionary{d})
	}
	var err error
	if c.encoder, err = zstd.NewWriter(nil, options...); err != nil {
		return nil, fmt.Errorf("preparing to compress: %w", err)
	}
	return c, nil
}

// Compress compresses a text and verifies that it decompresses to the same text.
func (c *Compressor) Compress(text string) ([]byte, error) {
	// A clone, because the buffer that EncodeAll allocates has room for the whole text.
	compressed := slices.Clone(c.encoder.EncodeAll([]byte(text), nil))
	switch again, err := c.check.Decompress(compressed); {
	case err != nil:
		return nil, fmt.Errorf("reading what was compressed: %w", err)
	case again != text:
		return nil, errors.New("what was compressed is not what was written")
	}
	return compressed, nil
}

// A Decompressor decompresses the Markdown of reviews. It is safe for concurrent use.
type Decompressor struct {
	decoder *zstd.Decoder // holds one state per processor, and no goroutine
}

// NewDecompressor returns a decompressor for reviews compressed with any of the dictionaries, or
// with none. It leaves out a dictionary that cannot be used: only the reviews compressed with that
// one become unreadable.
func NewDecompressor(dictionaries []Dictionary) *Decompressor {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(MaxMarkdown)}
	for _, d := range dictionaries {
		if len(d.Content) > MaxDictionary {
			continue
		}
		if x, err := zstd.InspectDictionary(d.Content); err == nil && x.ID() == dictionaryID(d.Number) {
			options = append(options, zstd.WithDecoderDicts(d.Content))
		}
	}
	decoder, err := zstd.NewReader(nil, options...)
	if err != nil {
		panic("catalog: " + err.Error()) // the dictionaries were tried, and the rest is constant
	}
	return &Decompressor{decoder}
}

// Decompress returns the text of a compressed review. It uses no more memory than MaxMarkdown.
func (d *Decompressor) Decompress(compressed []byte) (string, error) {
	text, err := d.decoder.DecodeAll(compressed, nil)
	if err != nil {
		return "", fmt.Errorf("decompressing a review: %w", err)
	}
	return string(text), nil
}

// Markdown is a review as its editor wrote it: everything after the front matter. It has its Text
// if it was read from a file, and Compressed if it was read from the database. In the published
// state that a publication is compared with, it has only its Hash.
type Markdown struct {
	Hash       string // of the text; "" means that there is none, or none yet
	Text       string
	Compressed []byte
}

// NewMarkdown returns the Markdown of a text.
func NewMarkdown(text string) Markdown { return Markdown{Hash: textDigest(text), Text: text} }

// markdownState counts and decompresses the Markdown of a snapshot's reviews.
type markdownState struct {
	reviews      int // that have their Markdown
	dictionaries []Dictionary
	decompressor *Decompressor
}
