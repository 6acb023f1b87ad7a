package machine

import "github.com/palmares-hq/palmares/internal/layout"

// Texts are the sentences of the files.
func Texts() layout.Texts {
	return layout.Join(feedTexts, endingTexts, dcatTexts, badgeTexts, cardTexts, llmsTexts)
}
