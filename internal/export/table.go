package export

import (
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A Kind is the type of a column's cells.
type Kind string

// The kinds, as Table Schema names them.
const (
	Text    Kind = "string"
	Number  Kind = "number"
	Integer Kind = "integer"
	Day     Kind = "date"
	Boolean Kind = "boolean"
)

// A Column is a column of a table, named after the field in JSON. A dot separates an object from
// its field.
type Column struct {
	Name     string
	Kind     Kind
	URL      bool
	Nullable bool
	Values   []string // all possible values; nil if any is
	Of       string   // the table whose slug it refers to
}

// A Table has one line of JSON for each item or key, and one or several rows of CSV.
type Table struct {
	Name    string
	Columns []Column
	Key     []string // the columns that identify a CSV row

	count func(*catalog.Snapshot) int
	// csvRows returns the number of CSV rows; nil means one per item.
	csvRows func(*catalog.Snapshot) int
	slugs   func(*catalog.Snapshot, *throttle.Throttle) []string
	line    func(b []byte, s *catalog.Snapshot, slug string) []byte    // the row as JSON
	cells   func(rows []Cell, s *catalog.Snapshot, slug string) []Cell // of all rows of an item, one row after the other
}

// Rows returns the number of rows in a format.
func (t Table) Rows(s *catalog.Snapshot, f Format) int {
	if f != JSONL && t.csvRows != nil {
		return t.csvRows(s)
	}
	return t.count(s)
}

// header returns the names of the columns.
func (t Table) header() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// A Cell is one value of a row of CSV. A null is an empty text.
type Cell struct {
	Text   string
	Number bool // Text is a number, with a decimal point in every format
}

func text[T ~string](s T) Cell { return Cell{Text: string(s)} }

func boolean(b bool) Cell { return Cell{Text: strconv.FormatBool(b)} }

func integer(n int) Cell { return Cell{strconv.Itoa(n), true} }

func measure(m catalog.Measure) Cell { return Cell{m.String(), true} }

// amount returns a price as cents and its period, since texts cannot be summed.
func amount(price string) (cents, period Cell) {
	p, ok := catalog.ParsePrice(price)
	if !ok { // checked when the file was read
		return Cell{}, Cell{}
	}
	return Cell{strconv.FormatInt(p.Cents, 10), true}, text(p.Period)
}

// appendAmount appends a price, as cents and its period, to a JSON object without its closing
// brace.
func appendAmount(b []byte, price string) []byte {
	cents, period := amount(price)
	if cents.Text == "" {
		return append(b, `,"price_cents":null,"price_period":null`...)
	}
	b = append(append(b, `,"price_cents":`...), cents.Text...)
	return catalog.AppendString(append(b, `,"price_period":`...), period.Text)
}

// A Format is a file format of tables.
type Format string

// The formats. French is CSV as spreadsheets in French read it: semicolons, a decimal comma and a byte order mark.
const (
	JSONL  Format = "jsonl"
	CSV    Format = "csv"
	French Format = "fr.csv"
)

// Formats lists every format, in the order the documentation gives them.
func Formats() []Format { return []Format{JSONL, CSV, French} }

// ContentType returns the media type of the format.
func (f Format) ContentType() string {
	if f == JSONL {
		return "application/jsonl; charset=utf-8"
	}
	return "text/csv; charset=utf-8; header=present"
}

// Path is the path of the files in the API.
const Path = "/api/v1/export"

// A File is a table in a format.
type File struct {
	Table  string
	Format Format
}

// Embeddings is the file with the chunks of all reviews of the embeddings set. It is not a table.
var Embeddings = File{embeddings, JSONL}

// Name returns the file's name.
func (f File) Name() string { return f.Table + "." + string(f.Format) }

// Files lists the files of all tables, table by table.
func Files() []File {
	var all []File
	for _, t := range Tables() {
		for _, format := range Formats() {
			all = append(all, File{t.Name, format})
		}
	}
	return all
}

// Find returns the file of a table by its name.
func Find(name string) (File, bool) {
	table, format, _ := strings.Cut(name, ".")
	f := File{table, Format(format)}
	return f, slices.Contains(Files(), f)
}
