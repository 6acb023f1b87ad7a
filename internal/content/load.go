package content

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Load reads a content directory. Faults of the content are in the result. The error is only for a directory
// that cannot be read at all, or a cancelled context.
func Load(ctx context.Context, dir string, o Options) (Result, error) {
	l, err := openLoader(dir, o)
	if err != nil {
		return Result{}, err
	}
	defer l.close()
	return l.load(ctx)
}

func (l *loader) load(ctx context.Context) (Result, error) {
	if err := errors.Join(l.checkTop(), l.goBack()); err != nil {
		return Result{}, err
	}
	var entries []entry
	for _, folder := range []string{toolFolder, comparisonFolder, retiredFolder} {
		entries = append(entries, l.list(folder)...)
	}
	contents := &catalog.Contents{}
	l.single(catalogFile, func(d *document) { contents.Service = d.service() })
	categoriesKnown := l.single(categoriesFile, func(d *document) { contents.Categories = d.categories() })

	items, err := l.decodeAll(ctx, entries)
	if err != nil {
		return Result{}, err
	}
	for _, it := range items {
		switch {
		case it.tool != nil:
			contents.Tools = append(contents.Tools, it.tool)
		case it.comparison != nil:
			contents.Comparisons = append(contents.Comparisons, it.comparison)
		case it.retired != nil:
			contents.Retired = append(contents.Retired, it.retired)
		}
	}
	contents.Sort()
	c := newCrossCheck(l, contents, entries, categoriesKnown)
	if err := c.run(ctx); err != nil {
		return Result{}, err
	}
	c.packages()
	c.oldSlugs()
	own := l.pages(contents)
	c.deadLinks()
	contents.Sort()
	l.dated()
	sortFaults(l.faults)
	files := len(entries)
	for _, e := range entries {
		if e.english != nil {
			files++
		}
	}
	return Result{
		Contents: contents,
		Faults:   l.faults,
		Files:    files + 2 + own,
		Decoded:  int(l.decoded.Load()) + 2 + own,
	}, nil
}

// single decodes one of the two top-level files and reports whether it has no errors.
func (l *loader) single(name string, decode func(*document)) bool {
	e := entry{name: name}
	if old, ok := l.past[name]; ok {
		e = old
	}
	data, complaint := l.read(e, nil)
	if complaint != "" {
		l.fault(e.path(), "%s", complaint)
		return false
	}
	d := l.openDocument(e, data)
	decode(d)
	l.faults = append(l.faults, d.faults...)
	return !d.failed
}

// openDocument opens a file. For a file from history/, dates after the requested day are in the future. A file
// of today that also stands for an older day may have later dates.
func (l *loader) openDocument(e entry, data []byte) *document {
	d := l.open(e.path(), data)
	if e.from != "" {
		d.latest = l.at
	}
	return d
}

// decodeAll decodes the entries in parallel. The item at index i belongs to the entry at index i.
func (l *loader) decodeAll(ctx context.Context, entries []entry) ([]item, error) {
	const batch = 64 // entries per step, to limit contention between workers
	items := make([]item, len(entries))
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), len(entries)/batch+1) {
		group.Go(func() error {
			var buf []byte
			for {
				end := int(next.Add(batch))
				start := end - batch
				if start >= len(entries) {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return fmt.Errorf("load content: %w", context.Cause(ctx))
				}
				end = min(end, len(entries))
				for i := start; i < end; i++ {
					items[i], buf = l.decode(entries[i], buf)
				}
				l.advance(end-start, len(entries))
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return items, nil
}

func (l *loader) advance(n, total int) {
	if l.progress == nil {
		l.done.Add(int64(n))
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress(int(l.done.Add(int64(n))), total)
}

func (l *loader) decode(e entry, buf []byte) (item, []byte) {
	data, complaint := l.read(e, buf)
	if complaint != "" {
		l.report(l.unread(e, complaint))
		return item{}, data
	}
	source := catalog.Digests{French: Digest(data)}
	var english []byte
	if e.english != nil {
		if english, complaint = l.read(*e.english, nil); complaint != "" {
			l.report(l.unread(*e.english, complaint))
			return item{}, data
		}
		source.English = Digest(english)
	}
	if it, ok := l.known.find(e, source); ok {
		return it, data
	}
	l.decoded.Add(1)
	d := l.openDocument(e, data)
	it := d.decode(e, source.French)
	l.report(d)
	if e.english != nil {
		l.decoded.Add(1)
		d = l.open(e.english.path(), english)
		d.english(e, it, source.English)
		l.report(d)
	}
	return it, data
}

// unread returns a document whose only fault is that the file could not be read.
func (l *loader) unread(e entry, complaint string) *document {
	d := l.open(e.path(), nil)
	d.fault(fileStart, "%s", complaint)
	return d
}
