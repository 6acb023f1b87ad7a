package publish

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// A Store holds the published catalog.
type Store interface {
	// Current reads the published state.
	Current(ctx context.Context) (*catalog.Contents, catalog.Edition, error)

	// Past returns access to the publications before Current.
	Past() catalog.Past

	// Publish calls decide with the published state and commits the changes that it returns as the next
	// edition, while other publications wait. It writes nothing if there are no changes.
	Publish(ctx context.Context, now func() time.Time,
		decide func(ctx context.Context, current *catalog.Contents, edition catalog.Edition, past catalog.Past) (catalog.Changes, error),
	) (catalog.Edition, error)
}

// Outcome is the result of a publication or of a dry run.
type Outcome struct {
	Changes  catalog.Changes
	Edition  catalog.Edition // the published edition afterwards
	Before   catalog.Edition
	Warnings []content.Fault
	Files    int // read
	Decoded  int // files decoded; the others were published unchanged
}

// Written reports whether an edition was written.
func (o Outcome) Written() bool { return o.Edition.Number > o.Before.Number }

// EditionError is returned when the published edition is not the expected one.
type EditionError struct{ Expected, Published int64 }

func (e *EditionError) Error() string {
	published := fmt.Sprintf("edition %d is published", e.Published)
	if e.Published == 0 {
		published = "nothing is published yet"
	}
	return fmt.Sprintf("%s, not edition %d as expected: look at the plan again with --dry-run, then publish with --expect-edition %d",
		published, e.Expected, e.Published)
}

// A DayError says why nothing can be published as of a day.
type DayError struct{ Reason string }

func (e *DayError) Error() string { return e.Reason }

// dayError returns a *DayError if nothing can be published from dir as of the day, after the last edition. Its
// other errors come from reading the directory.
func dayError(dir string, day catalog.Date, last catalog.Edition, now time.Time) error {
	if today := catalog.DateOf(now); day > today {
		return &DayError{fmt.Sprintf("%s is in the future: in UTC, today is %s", day, today)}
	}
	if last.Number > 0 && day < last.Date() {
		return &DayError{fmt.Sprintf("edition %d was published on %s, and %s is before it", last.Number, last.Date(), day)}
	}
	days, err := content.History(dir, now)
	if err != nil {
		return fmt.Errorf("reading the content: %w", err)
	}
	if len(days) > 0 && day < days[0] {
		return &DayError{fmt.Sprintf("the older states of the files begin on %s, and %s is before them", days[0], day)}
	}
	return nil
}

// clockError returns an error if the clock is behind the last edition: editions must not go back in time.
func clockError(last catalog.Edition, now time.Time) error {
	if !now.Before(last.PublishedAt) {
		return nil
	}
	return fmt.Errorf("edition %d was published on %s, after this machine's clock (%s): set the clock first",
		last.Number, last.PublishedAt.Format(time.RFC3339), now.Format(time.RFC3339))
}

// Moment returns the time of publication for an edition published as of a day: noon UTC, or now if the day is
// today. It is never before the last edition.
func Moment(day catalog.Date, last catalog.Edition, now time.Time) time.Time {
	const noon = 12 * time.Hour
	at := day.Time().Add(noon)
	if day == catalog.DateOf(now) {
		at = now.UTC()
	}
	if at.Before(last.PublishedAt) {
		at = last.PublishedAt.UTC()
	}
	return at
}

// FaultsError is returned when the content has errors; nothing was published. Faults includes the warnings.
type FaultsError struct{ Faults []content.Fault }

func (e *FaultsError) Error() string {
	n := 0
	for _, f := range e.Faults {
		if !f.Warning {
			n++
		}
	}
	if n == 1 {
		return "the content has a fault: nothing was published"
	}
	return fmt.Sprintf("the content has %d faults: nothing was published", n)
}

// Run checks the content of dir and publishes it. It returns a *FaultsError, *EditionError, *DayError,
// *CorrectionError or *GuardError when it refuses to; the Outcome then holds what is known so far.
func Run(ctx context.Context, store Store, dir string, o Options) (Outcome, error) {
	var out Outcome
	files := &reading{checkout: o.Checkout, singles: make(map[string]string)}
	var now time.Time // read once, so that the edition and its items have the same day
	decide := func(
		ctx context.Context, current *catalog.Contents, edition catalog.Edition, before catalog.Past,
	) (catalog.Changes, error) {
		out.Before, out.Edition = edition, edition
		if o.ExpectEdition != nil && *o.ExpectEdition != edition.Number {
			return catalog.Changes{}, &EditionError{*o.ExpectEdition, edition.Number}
		}
		if now = o.Now().UTC(); o.At != "" {
			if err := dayError(dir, o.At, edition, now); err != nil {
				return catalog.Changes{}, err
			}
			now = Moment(o.At, edition, now)
		}
		// An unchanged file is read but not decoded again, so the work grows with what changed.
		result, err := content.Load(ctx, dir, content.Options{
			Known: current, Progress: o.Progress, Read: files.read, At: o.At, Now: o.Now,
		})
		if err != nil {
			return catalog.Changes{}, fmt.Errorf("reading the content: %w", err)
		}
		out.Files, out.Decoded = result.Files, result.Decoded
		if result.HasErrors() {
			return catalog.Changes{}, &FaultsError{result.Faults}
		}
		out.Warnings = result.Faults
		if err := clockError(edition, now); err != nil {
			return catalog.Changes{}, err
		}
		out.Changes = catalog.Diff(current, result.Contents, catalog.DateOf(now))
		out.Warnings = slices.Concat(out.Warnings, outdated(out.Changes), unchecked(out.Changes))
		if err := amend(ctx, before, &out.Changes, result.Contents, o.Correct); err != nil {
			return catalog.Changes{}, err
		}
		filePasts, err := files.changes(ctx, before, &out.Changes, current)
		if err != nil {
			return catalog.Changes{}, err
		}
		found, err := stale(ctx, &out.Changes, past{Past: before, current: current, next: result.Contents, files: filePasts}, o)
		if err != nil {
			return catalog.Changes{}, err
		}
		out.Warnings = append(out.Warnings, found.warnings...)
		return out.Changes, guard(out.Changes, current, result.Contents, found, o)
	}

	if o.DryRun {
		current, edition, err := store.Current(ctx)
		if err != nil {
			return out, err
		}
		_, err = decide(ctx, current, edition, store.Past())
		return out, err
	}
	edition, err := store.Publish(ctx, func() time.Time { return now }, decide)
	if err != nil {
		return out, err
	}
	out.Edition = edition
	return out, nil
}
