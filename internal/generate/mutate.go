package generate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// MutateOptions say what Mutate changes.
type MutateOptions struct {
	Tools int // how many tools change
	Seed  uint64
}

// A MutateSummary counts the tools that Mutate changed and what it changed of
// them; one tool may have several changes.
type MutateSummary struct {
	Tools    int
	Prices   int
	Scores   int
	Taglines int
	Reviews  int
}

func (m *MutateSummary) add(o MutateSummary) {
	m.Tools += o.Tools
	m.Prices += o.Prices
	m.Scores += o.Scores
	m.Taglines += o.Taglines
	m.Reviews += o.Reviews
}

// Mutate changes as many tools of a generated catalog as asked, in place, as a
// day's work of the editors would: prices, scores, taglines, a sentence of a
// review. The same files and options give the same result. Comparisons keep
// their winner even if the scores no longer agree.
func Mutate(ctx context.Context, dir string, o MutateOptions) (MutateSummary, error) {
	files, err := os.ReadDir(filepath.Join(dir, toolsDir)) // sorted
	if err != nil {
		return MutateSummary{}, fmt.Errorf("list the tools: %w", err)
	}
	if o.Tools < 0 || o.Tools > len(files) {
		return MutateSummary{}, fmt.Errorf("tools to change: %d, but %s holds %d", o.Tools, dir, len(files))
	}
	chosen := newRand(o.Seed, mutation, -1).Perm(len(files))[:o.Tools]
	var (
		mu  sync.Mutex
		sum MutateSummary
	)
	err = share(ctx, len(chosen), func(s *speaker, i int) error {
		path := filepath.Join(dir, toolsDir, files[chosen[i]].Name())
		changes, err := mutateFile(s, newRand(o.Seed, mutation, chosen[i]), path)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		sum.add(changes)
		return nil
	})
	if err != nil {
		return MutateSummary{}, err
	}
	return sum, nil
}
