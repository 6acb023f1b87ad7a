package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// Compare returns what a dry run of Run on dir would return if the content of old had been published today as
// the first edition. Nothing can be corrected or stale, because there is no earlier edition. Options.DryRun is
// implied. When a directory has errors, it returns an *InvalidError.
func Compare(ctx context.Context, old, dir string, o Options) (Outcome, error) {
	before, err := content.Load(ctx, old, content.Options{Now: o.Now})
	if err != nil {
		return Outcome{}, fmt.Errorf("reading the older content: %w", err)
	}
	published := &catalog.Contents{} // empty if old has errors: enough to find the faults of dir
	if !before.HasErrors() {
		published = firstEdition(before.Contents, catalog.DateOf(o.Now()))
	}
	o.DryRun = true
	out, err := Run(ctx, first{published}, dir, o)
	var faulty *FaultsError
	switch {
	case errors.As(err, &faulty):
		return out, &InvalidError{Old: before.Faults, New: faulty.Faults}
	case before.HasErrors():
		return out, &InvalidError{Old: before.Faults}
	}
	return out, err
}

// InvalidError is returned when one or both of two compared directories have errors. The list of a directory
// without errors holds its warnings, if any.
type InvalidError struct{ Old, New []content.Fault }

func (e *InvalidError) Error() string { return "the content has faults: nothing can be compared" }

// firstEdition returns the contents as they are once published: without drafts, and with the values that a
// publication sets.
func firstEdition(c *catalog.Contents, day catalog.Date) *catalog.Contents {
	d := catalog.Diff(&catalog.Contents{}, c, day).Delta(catalog.Edition{})
	return &catalog.Contents{
		Service: d.Service, Categories: d.Categories, Incidents: d.Incidents,
		Tools: d.Tools, Comparisons: d.Comparisons, Retired: d.Retired, Files: d.Files,
	}
}

// first is a Store in memory for dry runs only.
type first struct{ published *catalog.Contents }

func (s first) Current(context.Context) (*catalog.Contents, catalog.Edition, error) {
	return s.published, catalog.Edition{}, nil
}

func (first) Past() catalog.Past { return noPast{} }

func (first) Publish(context.Context, func() time.Time,
	func(context.Context, *catalog.Contents, catalog.Edition, catalog.Past) (catalog.Changes, error),
) (catalog.Edition, error) {
	return catalog.Edition{}, errors.New("nothing is published in memory")
}

// noPast is a catalog.Past without any publication.
type noPast struct{}

func (noPast) LastMoves(context.Context, []catalog.Bearer) (map[string]catalog.LastMoves, error) {
	return nil, nil
}

func (noPast) LastValues(context.Context, []catalog.Bearer) (map[string]map[string]string, error) {
	return nil, nil
}

func (noPast) Histories(context.Context, []catalog.Bearer) (map[string]catalog.History, error) {
	return nil, nil
}

func (noPast) Files(context.Context, []string) (map[string]catalog.FilePast, error) { return nil, nil }

func (noPast) Commits(context.Context) ([]string, error) { return nil, nil }
