package about

import (
	"embed"

	"github.com/palmares-hq/palmares/internal/layout"
)

// Templates are those of the pages, and the table of plans, which other pages show too.
//
//go:embed templates
var Templates embed.FS

// Texts are the sentences of the pages.
func Texts() layout.Texts {
	return layout.Join(plansTexts, endContractTexts, wordsTexts, freshnessTexts, statusTexts)
}
