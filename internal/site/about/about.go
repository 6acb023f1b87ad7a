// Package about has the pages about the service itself: its plans, its status, and the pages that the
// operator writes.
//
// Begin with Plans, Written, Privacy, Method and Status: each makes a page, from facts that some of them get once, at
// the start. The package measures nothing in the background: a Status queries its sources only when a reader requests
// the page, and never more often than every 15 s.
package about

import (
	"embed"

	"github.com/palmares-hq/palmares/internal/layout"
)

// Templates are the templates of the pages, and of the table of plans, which other pages show too.
//
//go:embed templates
var Templates embed.FS

// Texts returns the sentences of the pages.
func Texts() layout.Texts {
	return layout.Join(plansTexts, endContractTexts, wordsTexts, freshnessTexts, statusTexts)
}
