package docs

import (
	"embed"

	"github.com/palmares-hq/palmares/internal/layout"
)

// Templates are those of the pages.
//
//go:embed templates
var Templates embed.FS

// Texts are the sentences of the pages.
func Texts() layout.Texts { return layout.Join(guidesTexts, referenceTexts, dataTexts, agentsTexts) }
