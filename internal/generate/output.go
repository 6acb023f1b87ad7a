package generate

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// An output writes the files and counts them.
type output struct {
	total    int
	progress func(done, total int)

	mu    sync.Mutex
	done  int
	bytes int64
}

// each writes n files, one goroutine per processor. What a file holds depends on
// its number alone, so the sharing out does not show in the result.
func (o *output) each(ctx context.Context, n int, render func(s *speaker, i int) (string, []byte)) error {
	return share(ctx, n, func(s *speaker, i int) error {
		path, data := render(s, i)
		return o.write(path, data)
	})
}

func (o *output) write(path string, data []byte) error {
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("write a content file: %w", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done++
	o.bytes += int64(len(data))
	if o.progress != nil && (o.done == o.total || o.done%max(1, o.total/200) == 0) {
		o.progress(o.done, o.total)
	}
	return nil
}

// share calls work for every number below n from one goroutine per processor,
// each with a speaker of its own, and stops at the first error.
func share(ctx context.Context, n int, work func(s *speaker, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var (
		next  atomic.Int64
		group sync.WaitGroup
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			s := newSpeaker()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := work(s, i); err != nil {
					stop(err)
				}
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("cut short: %w", err)
	}
	return nil
}
