package postgres

import (
	"context"
	"fmt"
	"runtime"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// readDictionaries reads the dictionaries that were trained after the edition.
func readDictionaries(ctx context.Context, q querier, after int64) ([]catalog.Dictionary, error) {
	scan := func(row pgx.CollectableRow) (d catalog.Dictionary, err error) {
		err = row.Scan(&d.Number, &d.Reviews, &d.Content)
		return d, err
	}
	dictionaries, err := collect(ctx, q, scan, `
		SELECT number, reviews, content FROM review_dictionaries
		WHERE edition > $1 ORDER BY number`, after)
	if err != nil {
		return nil, fmt.Errorf("reading the dictionaries of reviews: %w", err)
	}
	return dictionaries, nil
}

// A reviewKey names the review of a tool in one of its languages.
type reviewKey struct {
	slug    string
	english bool
}

// compressReviews compresses new Markdown with the newest dictionary. If the catalog has
// outgrown that dictionary, it trains another first.
func (w editionWriter) compressReviews(c catalog.Changes) (map[reviewKey][]byte, error) {
	var keys []reviewKey
	var texts []string
	add := func(key reviewKey, was, is catalog.Markdown) {
		if is.Text != "" && was.Hash != is.Hash {
			keys, texts = append(keys, key), append(texts, is.Text)
		}
	}
	for _, ch := range c.Tools {
		if ch.Removed() {
			continue
		}
		var was catalog.Tool
		if !ch.Added() {
			was = *ch.Old
		}
		add(reviewKey{ch.Slug, false}, was.Review.Markdown, ch.New.Review.Markdown)
		add(reviewKey{ch.Slug, true}, was.English.Review.Markdown, ch.New.English.Review.Markdown)
	}
	if len(texts) == 0 {
		return nil, nil
	}
	dictionary, err := w.dictionary(c.Reviews, texts)
	if err != nil {
		return nil, err
	}
	compressor, err := catalog.NewCompressor(dictionary)
	if err != nil {
		return nil, fmt.Errorf("compressing reviews with dictionary %d: %w", dictionary.Number, err)
	}
	frames := make([][]byte, len(texts))
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i, text := range texts {
		all.Go(func() (err error) {
			if frames[i], err = compressor.Compress(text); err != nil {
				return fmt.Errorf("the review of %s: %w", keys[i].slug, err)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	compressed := make(map[reviewKey][]byte, len(keys))
	for i, key := range keys {
		compressed[key] = frames[i]
	}
	return compressed, nil
}

// dictionary returns the newest dictionary, or trains and stores a new one if a catalog of that many
// reviews needs it. It returns the zero Dictionary if there are too few.
func (w editionWriter) dictionary(reviews int, texts []string) (catalog.Dictionary, error) {
	dictionaries, err := readDictionaries(w.ctx, w.tx, 0)
	if err != nil {
		return catalog.Dictionary{}, err
	}
	var newest catalog.Dictionary
	if n := len(dictionaries); n > 0 {
		newest = dictionaries[n-1]
	}
	if !catalog.DictionaryDue(reviews, newest.Reviews) {
		return newest, nil
	}
	samples, err := w.storedReviews(dictionaries, catalog.MaxSamples/2)
	if err != nil {
		return newest, err
	}
	n := min(len(texts), catalog.MaxSamples/2)
	for i := range n {
		samples = append(samples, texts[i*len(texts)/n])
	}
	trained, err := catalog.TrainDictionary(newest.Number+1, reviews, samples)
	if err != nil {
		return newest, nil //nolint:nilerr // reviews are larger without one, and no worse
	}
	_, err = w.tx.Exec(w.ctx, `
		INSERT INTO review_dictionaries (number, reviews, content, edition) VALUES ($1, $2, $3, $4)`,
		trained.Number, trained.Reviews, trained.Content, w.edition)
	if err != nil {
		return newest, fmt.Errorf("writing the dictionary of reviews: %w", err)
	}
	return trained, nil
}

// storedReviews reads the Markdown of up to n published reviews, from all over the catalog.
func (w editionWriter) storedReviews(dictionaries []catalog.Dictionary, n int) ([]string, error) {
	frames, err := collect(w.ctx, w.tx, pgx.RowTo[[]byte], `
		SELECT markdown FROM tools WHERE markdown IS NOT NULL AND markdown_source = source
		ORDER BY md5(slug) LIMIT $1`, n)
	if err != nil {
		return nil, fmt.Errorf("reading reviews to train a dictionary: %w", err)
	}
	decompressor := catalog.NewDecompressor(dictionaries)
	texts := make([]string, 0, n)
	for _, frame := range frames {
		if text, err := decompressor.Decompress(frame); err == nil { // else one sample fewer
			texts = append(texts, text)
		}
	}
	return texts, nil
}
