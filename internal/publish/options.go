package publish

import (
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Options configure a publication.
type Options struct {
	DryRun       bool // tell what would change, write nothing
	AllowRemoval bool // let published items vanish without being retired
	AllowShrink  bool // let the catalog shrink by more than a fifth

	AllowPriceJump bool // let prices move by more than five times

	AllowStale bool     // let files undo what somebody else has published
	Checkout   Checkout // the checkout that holds the files; nil without git

	// Correct lists the slugs of tools whose last change of price or score was a mistake: the new value
	// replaces the published one. Their prices may jump, and their files may be stale.
	Correct []string
	// ExpectEdition, when set, must be the number of the published edition: a plan made over another edition is
	// not published.
	ExpectEdition *int64
	// At, when set, publishes as if on that day: the files as of that day, and all dates accordingly.
	At       catalog.Date
	Now      func() time.Time
	Progress func(done, total int) // progress of reading the files; may be nil
}
