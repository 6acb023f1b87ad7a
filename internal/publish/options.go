package publish

import (
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Options say how to publish.
type Options struct {
	DryRun       bool // tell what would change, write nothing
	AllowRemoval bool // let published items vanish without being retired
	AllowShrink  bool // let the catalog shrink by more than a fifth

	AllowPriceJump bool // let prices move by more than five times

	AllowStale bool     // let files take back what somebody else has published
	Checkout   Checkout // that the files are in; nil without git

	// Correct names the tools whose last change of price or score was a slip: what is published
	// takes its place. Their prices may jump, and their files go back.
	Correct []string
	// ExpectEdition, when set, is the edition that must be the published one: what was
	// planned over another is not published.
	ExpectEdition *int64
	// At, when set, publishes as if on that day: the files as they were, and every date.
	At       catalog.Date
	Now      func() time.Time
	Progress func(done, total int) // of reading the files; may be nil
}
