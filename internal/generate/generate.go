package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// ErrNotEmpty is returned by Write for a directory that already holds something.
var ErrNotEmpty = errors.New("directory is not empty")

// Write makes a catalog in dir, which it creates unless it exists and is empty.
//
// catalog.yaml comes last: a catalog that was cut short has none, and so cannot
// be taken for a whole one.
func Write(ctx context.Context, dir string, o Options) (Summary, error) {
	p, err := newPlan(o)
	if err != nil {
		return Summary{}, err
	}
	entries, err := os.ReadDir(dir)
	if len(entries) > 0 {
		err = ErrNotEmpty
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Summary{}, fmt.Errorf("%s: %w", dir, err)
	}
	for _, sub := range []string{toolsDir, comparisonsDir, retiredDir} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return Summary{}, fmt.Errorf("make a directory: %w", err)
		}
	}
	var mu sync.Mutex
	done := 0
	write := func(f file) error {
		data := f.content()
		if err := os.WriteFile(filepath.Join(dir, f.path), []byte(data), 0o644); err != nil {
			return fmt.Errorf("write a content file: %w", err)
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		p.sum.Bytes += int64(len(data))
		if o.Progress != nil && (done == p.sum.Files || done%max(1, p.sum.Files/200) == 0) {
			o.Progress(done, p.sum.Files)
		}
		return nil
	}
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	last := len(p.files) - 1
	for i := 0; i < last && running.Err() == nil; i++ {
		group.Go(func() error { return write(p.files[i]) })
	}
	if err := cmp.Or(group.Wait(), ctx.Err()); err != nil {
		return Summary{}, fmt.Errorf("cut short: %w", err)
	}
	err = write(p.files[last])
	return p.sum, err
}

// Contents makes in memory what Write writes of each item but its long text: reviews, and the notes of
// comparisons and retired tools. It is for what is measured in memory.
func Contents(_ context.Context, o Options) (*catalog.Contents, error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	return p.Contents, nil
}
