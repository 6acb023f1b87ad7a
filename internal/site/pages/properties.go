package pages

import (
	"html/template"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// A compareRow is a property of the tools.
type compareRow struct {
	Name  string
	Cells []compareCell
	Gap   string // of two tools, in words
	key   string // of its text
}

// A compareCell is the value of a property of one tool. The zero value means that it has none.
type compareCell struct {
	Tool  string // its name
	Value template.HTML
	Note  string // beneath the value
	Scale template.HTML
	Best  bool
	equal string // cells of equal values have the same
}

// plain returns the cell as text.
func (c compareCell) plain() string {
	switch {
	case c.Value != "":
		return plainHTML(c.Value)
	case c.Note != "":
		return c.Note
	}
	return "–"
}

// A compareTable collects the properties of tools.
type compareTable struct {
	tools  []catalog.ComparedTool
	living int
	rows   []compareRow
	equal  []string // the names of properties that are equal, in lower case
}

// compareRows returns the properties in which the tools differ, scores and the price in any case, and the names of
// those that are equal, joined by commas. A retired tool has only a category.
func compareRows(v *view.View, tools []catalog.ComparedTool) (rows []compareRow, same string) {
	b := compareTable{tools: tools}
	for _, t := range tools {
		if t.Tool != nil {
			b.living++
		}
	}
	word := func(family, value string) compareCell {
		return compareCell{Value: view.Escaped(v.Text.Must(family + value)), equal: value}
	}
	category := func(slug string) compareCell { return compareCell{Value: v.MarkedCategory(slug), equal: slug} }
	add := func(name string, always bool, value func(*catalog.Tool) compareCell) {
		b.add(v, name, always, value, func(*catalog.Retired) compareCell { return compareCell{} })
	}
	measure := func(name string, of func(*catalog.Tool) catalog.Measure, unknown compareCell) {
		ahead := firstAlone(tools, of)
		add(name, true, func(t *catalog.Tool) compareCell {
			m := of(t)
			if !m.Known {
				return unknown
			}
			return compareCell{Value: view.Escaped(v.Text.Measure(m)), Scale: scale(m), Best: t == ahead, equal: m.String()}
		})
	}
	measure("comparison.score", scoreOf, compareCell{Note: v.Text.Must("comparison.unscored"), equal: "unscored"})
	measure("comparison.verifiability", verifiabilityOf, compareCell{})
	measure("comparison.obsolescence", func(t *catalog.Tool) catalog.Measure { return fresh(t.Obsolescence) }, compareCell{})
	cheapest := cheapestAlone(tools)
	add("comparison.price", true, func(t *catalog.Tool) compareCell {
		return compareCell{Value: view.Escaped(v.Price(t.Price)), Note: monthly(v, t), Best: t == cheapest, equal: t.Price}
	})
	add("comparison.pricing", false, func(t *catalog.Tool) compareCell { return word("pricing.", string(t.Pricing)) })
	add("comparison.icp", false, func(t *catalog.Tool) compareCell { return word("icp.", string(t.ICP)) })
	b.add(v, "comparison.category", b.living == 0, func(t *catalog.Tool) compareCell { return category(t.Category) },
		func(r *catalog.Retired) compareCell { return category(r.Category) })
	return b.rows, strings.Join(b.equal, ", ")
}

func scoreOf(t *catalog.Tool) catalog.Measure         { return t.Score }
func verifiabilityOf(t *catalog.Tool) catalog.Measure { return t.Verifiability }

// firstAlone returns the tool with the highest measure; nil if several share it, or if another has none.
func firstAlone(tools []catalog.ComparedTool, of func(*catalog.Tool) catalog.Measure) (first *catalog.Tool) {
	known, tied := 0, false
	for _, t := range tools {
		if t.Tool == nil || !of(t.Tool).Known {
			continue
		}
		known++
		switch {
		case first == nil || of(t.Tool).Hundredths > of(first).Hundredths:
			first, tied = t.Tool, false
		case of(t.Tool) == of(first):
			tied = true
		}
	}
	if known < 2 || tied {
		return nil
	}
	return first
}

// cheapestAlone returns the tool with the lowest price; nil if several share it, or if one is not billed by month or
// year.
func cheapestAlone(tools []catalog.ComparedTool) (first *catalog.Tool) {
	living, tied, lowest := 0, false, int64(0)
	for _, t := range tools {
		if t.Tool == nil {
			continue
		}
		cents, ok := monthlyCents(t.Tool.Price)
		if !ok {
			return nil
		}
		switch living++; {
		case first == nil || cents < lowest:
			first, tied, lowest = t.Tool, false, cents
		case cents == lowest:
			tied = true
		}
	}
	if living < 2 || tied {
		return nil
	}
	return first
}

// add adds a property. Only values that differ have a row, unless always is set. One that no tool has is left out.
func (b *compareTable) add(v *view.View, key string, always bool, living func(*catalog.Tool) compareCell, retired func(*catalog.Retired) compareCell) {
	row := compareRow{Name: v.Text.Must(key), key: key}
	values := make(map[string]bool) // those that tools have
	for _, t := range b.tools {
		var c compareCell
		if t.Retired != nil {
			c = retired(t.Retired)
		} else {
			c = living(t.Tool)
		}
		if t.Tool != nil || c.equal != "" {
			values[c.equal] = true
		}
		c.Tool = t.Name()
		row.Cells = append(row.Cells, c)
	}
	switch {
	case len(values) == 0, len(values) == 1 && values[""]:
	case len(values) > 1 || always || b.living == 1:
		b.rows = append(b.rows, row)
	default:
		b.equal = append(b.equal, strings.ToLower(row.Name))
	}
}
