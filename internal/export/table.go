package export

import (
	"strconv"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A Kind is what the cells of a column are.
type Kind string

// The kinds, as Table Schema names them.
const (
	Text    Kind = "string"
	Number  Kind = "number"
	Integer Kind = "integer"
	Day     Kind = "date"
	Boolean Kind = "boolean"
)

// A Column is a column of a table. Its name is the field's in JSON; a dot stands between an object and its field.
type Column struct {
	Name     string
	Kind     Kind
	URL      bool
	Nullable bool
	Values   []string // all that there are; nil for any
	Of       string   // the table whose slug it is
}

// A Table is a kind of items, by slug or by another key: a line of JSON each, and a row of CSV or several.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // the columns that tell rows of CSV apart

	count func(*catalog.Snapshot) int
	// csvRows is how many rows of CSV there are; nil for one per item.
	csvRows func(*catalog.Snapshot) int
	slugs   func(*catalog.Snapshot, *throttle.Throttle) []string
	line    func(b []byte, s *catalog.Snapshot, slug string) []byte    // the row as JSON
	cells   func(rows []cell, s *catalog.Snapshot, slug string) []cell // of all rows of an item, one row after the other
}

// Rows is how many rows the table has in a format.
func (t Table) Rows(s *catalog.Snapshot, f Format) int {
	if f != JSONL && t.csvRows != nil {
		return t.csvRows(s)
	}
	return t.count(s)
}

// A cell is one value of a row. A null is an empty text.
type cell struct {
	text   string
	number bool // with a point before its decimals
}

func text[T ~string](s T) cell { return cell{text: string(s)} }

func boolean(b bool) cell { return cell{text: strconv.FormatBool(b)} }

func integer(n int) cell { return cell{strconv.Itoa(n), true} }

func measure(m catalog.Measure) cell { return cell{m.String(), true} }

// amount is a price in cents and the period that they are for: a text cannot be summed.
func amount(price string) (cents, period cell) {
	p, ok := catalog.ParsePrice(price)
	if !ok { // checked when the file was read
		return cell{}, cell{}
	}
	return cell{strconv.FormatInt(p.Cents, 10), true}, text(p.Period)
}

// appendAmount adds a price in cents and its period to an object that is not closed.
func appendAmount(b []byte, price string) []byte {
	cents, period := amount(price)
	if cents.text == "" {
		return append(b, `,"price_cents":null,"price_period":null`...)
	}
	b = append(append(b, `,"price_cents":`...), cents.text...)
	return catalog.AppendString(append(b, `,"price_period":`...), period.text)
}
