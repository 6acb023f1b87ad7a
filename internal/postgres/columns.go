package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A column maps one value of an item T to a column of its table. One list of columns serves for reading
// and for writing, so that both have the same values in the same order.
type column[T any] struct {
	name  string
	value func(*T) any // returns a pointer to the value, to scan into and to write from
	read  string       // the SQL that reads it; "" for the name alone
	merge string       // the SQL that updates it in an existing row; "" for the new value
}

type columns[T any] []column[T]

// factColumns returns the columns for the source of a field: price_source, price_checked and so on.
func factColumns[T any](field catalog.FactField, of func(*T) *catalog.Fact) columns[T] {
	name := string(field)
	return columns[T]{
		{name: name + "_source", value: func(item *T) any { return &of(item).Source }},
		{
			name: name + "_checked", value: func(item *T) any { return (*day)(&of(item).Checked) },
			read: name + "_checked::text",
		},
		{name: name + "_text", value: func(item *T) any { return &of(item).Text }},
		{name: name + "_note", value: func(item *T) any { return &of(item).Note }},
	}
}

// names returns the names of the columns.
func (c columns[T]) names() []string {
	names := make([]string, len(c))
	for i, col := range c {
		names[i] = col.name
	}
	return names
}

// list returns the names as SQL, separated by commas.
func (c columns[T]) list() string { return strings.Join(c.names(), ", ") }

// selected returns the SQL of what a SELECT reads.
func (c columns[T]) selected() string {
	list := c.names()
	for i, col := range c {
		if col.read != "" {
			list[i] = col.read
		}
	}
	return strings.Join(list, ", ")
}

// merged returns the SQL of what ON CONFLICT sets: all columns but the first, which is the key.
func (c columns[T]) merged() string {
	var list []string
	for _, col := range c[1:] {
		set := "excluded." + col.name
		if col.merge != "" {
			set = col.merge
		}
		list = append(list, col.name+" = "+set)
	}
	return strings.Join(list, ", ")
}

// scan returns a function that reads rows of what selected lists. It scans all of them into one place and
// copies each from there: a catalog has many rows, and making pointers to the values of each would be as
// much work as the values.
func (c columns[T]) scan() pgx.RowToFunc[*T] {
	var place, zero T
	values := c.values(&place, 0)
	return func(row pgx.CollectableRow) (*T, error) {
		place = zero // or items would share what their slices point to
		err := row.Scan(values...)
		item := place
		return &item, err
	}
}

// values returns pointers to the values of an item, with room to append more.
func (c columns[T]) values(item *T, more int) []any {
	values := make([]any, len(c), len(c)+more)
	for i, col := range c {
		values[i] = col.value(item)
	}
	return values
}

// readItems reads the items of a table that changed after the edition, which is $1.
func readItems[T any](
	ctx context.Context, q querier, table string, c columns[T], after int64, args ...any,
) ([]*T, error) {
	return collect(ctx, q, c.scan(),
		`SELECT `+c.selected()+` FROM `+table+` WHERE edition > $1 ORDER BY slug`,
		append([]any{after}, args...)...)
}

// writeItems copies items into a table that has these columns and the column edition.
func writeItems[T any](w editionWriter, table string, c columns[T], items []*T) error {
	rows := make([][]any, len(items))
	for i, item := range items {
		rows[i] = append(c.values(item, 1), w.edition)
	}
	return w.copy(table, append(c.names(), "edition"), rows)
}

// written returns the items that the changes add or update.
func written[T any](changes []catalog.Change[*T]) []*T {
	var items []*T
	for _, ch := range changes {
		if !ch.Removed() {
			items = append(items, ch.New)
		}
	}
	return items
}

// The types below give values of the catalog a form in the database where pgx has none.

// measure is stored as NULL or a number with two decimals, which is read in hundredths.
type measure catalog.Measure

// ScanInt64 implements pgtype.Int64Scanner.
func (m *measure) ScanInt64(n pgtype.Int8) error {
	*m = measure{}
	if n.Valid {
		*m = measure(catalog.Hundredths(int(n.Int64)))
	}
	return nil
}

// NumericValue implements pgtype.NumericValuer.
func (m *measure) NumericValue() (pgtype.Numeric, error) {
	if !m.Known {
		return pgtype.Numeric{}, nil
	}
	return pgtype.Numeric{Int: big.NewInt(int64(m.Hundredths)), Exp: -2, Valid: true}, nil
}

// day is stored as NULL or a date, which is read as text.
type day catalog.Date

// ScanText implements pgtype.TextScanner. Without it pgx would convert every pointer by reflection.
func (d *day) ScanText(t pgtype.Text) error {
	*d = day(t.String)
	return nil
}

// DateValue implements pgtype.DateValuer.
func (d *day) DateValue() (pgtype.Date, error) {
	if *d == "" {
		return pgtype.Date{}, nil
	}
	return pgtype.Date{Time: catalog.Date(*d).Time(), Valid: true}, nil
}

// sections are the sections of a review, stored as JSON, or as NULL if they are nil.
type sections []catalog.Section

// section is the JSON form of one section.
type section struct {
	ID      string `json:"id"`
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// ScanBytes implements pgtype.BytesScanner.
func (s *sections) ScanBytes(text []byte) error {
	*s = nil
	if text == nil {
		return nil
	}
	var list []section
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for _, x := range list {
		*s = append(*s, catalog.Section(x))
	}
	return nil
}

// Value implements driver.Valuer.
func (s *sections) Value() (driver.Value, error) {
	if *s == nil {
		return nil, nil //nolint:nilnil // NULL
	}
	list := make([]section, len(*s))
	for i, x := range *s {
		list[i] = section(x)
	}
	return json.Marshal(list)
}
