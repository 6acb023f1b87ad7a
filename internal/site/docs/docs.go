package docs

import (
	"embed"

	"github.com/palmares-hq/palmares/internal/layout"
)

// Templates are the templates of the pages.
//
//go:embed templates
var Templates embed.FS

// Texts returns the sentences of the pages.
func Texts() layout.Texts { return layout.Join(guidesTexts, referenceTexts, dataTexts, agentsTexts) }
