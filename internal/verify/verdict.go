package verify

import "github.com/palmares-hq/palmares/internal/catalog"

// A Verdict is what looking at the source of a fact came to.
type Verdict string

// The verdicts.
const (
	Found      Verdict = "found"       // the page says it
	Absent     Verdict = "absent"      // the page was read, and does not say it
	Gone       Verdict = "gone"        // there is no such page any more
	Moved      Verdict = "moved"       // the page is on another host now; Detail says on which
	NotChecked Verdict = "not checked" // the page could not be read; Detail says why
)

// A Result is the verdict on one fact.
type Result struct {
	catalog.ItemFact
	Verdict Verdict
	Detail  string // printable, and never what a page says
}

// String is the verdict with its detail.
func (r Result) String() string {
	switch {
	case r.Detail == "":
		return string(r.Verdict)
	case r.Verdict == Moved:
		return "moved to " + r.Detail
	default:
		return string(r.Verdict) + ": " + r.Detail
	}
}
