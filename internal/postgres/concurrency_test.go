package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// joining decides to add one tool to whatever is published.
func (b *bench) joining(t *catalog.Tool) decision {
	return func(ctx context.Context, current *catalog.Contents, e catalog.Edition) (catalog.Changes, error) {
		next := contents(append(slices.Clone(current.Tools), t)...)
		return b.toward(next)(ctx, current, e)
	}
}

// Twenty publishers at once, from several processes, also where the server would
// by default give each the state from before it waited.
func TestPublicationsWaitForOneAnother(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"read committed", "serializable"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			const publishers = 20
			b := newBench(t)
			b.exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = %L', current_database(), '` + level + `'); END $$`)

			stop := make(chan struct{})
			var watching sync.WaitGroup
			watching.Go(func() { b.watchLog(stop) })

			var wg sync.WaitGroup
			var mu sync.Mutex
			var numbers []int64
			for p := range 4 {
				db := b.open()
				for i := range publishers / 4 {
					wg.Go(func() {
						e, err := db.Publish(t.Context(), b.clock, b.joining(tool(fmt.Sprintf("outil-%d-%d", p, i))))
						if err != nil {
							t.Error(err)
						}
						mu.Lock()
						defer mu.Unlock()
						numbers = append(numbers, e.Number)
					})
				}
			}
			wg.Wait()
			close(stop)
			watching.Wait()

			slices.Sort(numbers)
			want := []int64{}
			for n := range int64(publishers) {
				want = append(want, n+1)
			}
			wantSame(t, "the editions", numbers, want)
			wantEqual(t, "the tools", len(b.whole().Tools), publishers)
			wantSame(t, "the numbers of events", ask[int64](b, `SELECT seq FROM events ORDER BY seq`), want)
			wantSame(t, "their editions", ask[int64](b, `SELECT edition FROM events ORDER BY seq`), want)
		})
	}
}

// watchLog reads the log while it grows: commit order means that a reader never
// sees a number before all those below it.
func (b *bench) watchLog(stop <-chan struct{}) {
	conn := b.conn()
	for {
		var events, last, edition, current int64
		err := conn.QueryRow(b.Context(), `
			SELECT count(*), coalesce(max(seq), 0), coalesce(max(edition), 0),
			       coalesce((SELECT number FROM current_edition), 0)
			FROM events`).Scan(&events, &last, &edition, &current)
		if err != nil {
			b.Error(err)
			return
		}
		if events != last || edition != current {
			b.Errorf("%d events up to number %d of edition %d, while the edition is %d", events, last, edition, current)
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}
