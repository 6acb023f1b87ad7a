package site

import (
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
)

type texts = layout.Texts

// A writer writes the texts of one language, and what the catalog says in it.
type writer struct{ layout.Writer }

// price writes a price as the catalog has it.
func (w writer) price(s string) string {
	if p, ok := catalog.ParsePrice(s); ok {
		return w.Price(p)
	}
	return s
}
