package preview

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/publish"
)

// replay publishes the older states of a content directory in memory, each on its day, as palmares
// publish --at would. It stops at a state with errors, which are the faults.
func replay(
	ctx context.Context, dir string, today *catalog.Contents, now time.Time,
) (*catalog.Snapshot, []content.Fault, error) {
	snapshot := catalog.Empty()
	days, err := content.History(dir, now)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the older states: %w", err)
	}
	known := today // most files are as they were
	for _, day := range days {
		result, err := content.Load(ctx, dir, content.Options{
			Known: known, At: day, Now: func() time.Time { return now },
		})
		if err != nil {
			return nil, nil, fmt.Errorf("reading the files of %s: %w", day, err)
		}
		if result.HasErrors() {
			return snapshot, result.Faults, nil
		}
		changes := catalog.Diff(snapshot.Contents(), result.Contents, day)
		if !changes.Empty() {
			at := publish.Moment(day, snapshot.Edition(), now)
			snapshot = snapshot.Apply(nextEdition(snapshot, changes, at))
		}
		known = snapshot.Contents()
	}
	return snapshot, nil, nil
}

// nextEdition is what leads from a snapshot to the next edition of a preview.
func nextEdition(s *catalog.Snapshot, changes catalog.Changes, at time.Time) catalog.Delta {
	number := s.Edition().Number + 1
	edition := catalog.Edition{
		Number: number, ID: "preview-" + strconv.FormatInt(number, 10), PublishedAt: at,
	}
	delta := changes.Delta(edition)
	delta.From, delta.Log = number-1, changes.LogEntries(edition, s.LastChange())
	return delta
}
