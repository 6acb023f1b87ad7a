package pages

import (
	"fmt"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Columns say how many decimals the figures of a table have: as many in all rows as in the row that has
// most, so that they stand under each other.
type columns struct{ Score, Verifiability int }

// newColumns looks at the rows of a table.
func newColumns(rows any) (columns, error) {
	c := columns{1, 1}
	add := func(t *catalog.Tool) {
		c.Score, c.Verifiability = max(c.Score, decimals(t.Score)), max(c.Verifiability, decimals(t.Verifiability))
	}
	switch rows := rows.(type) {
	case []*catalog.Tool:
		for _, t := range rows {
			add(t)
		}
	case []ranked:
		for _, t := range rows {
			add(t.Tool)
		}
	case []toolRow:
		for _, t := range rows {
			add(t.Tool)
		}
	case []alternative:
		for _, t := range rows {
			add(t.Tool)
		}
	default:
		return c, fmt.Errorf("%T are no rows of tools", rows)
	}
	return c, nil
}

// decimals is how many decimals a measure needs.
func decimals(m catalog.Measure) int {
	if m.Known && m.Hundredths%10 != 0 {
		return 2
	}
	return 1
}
