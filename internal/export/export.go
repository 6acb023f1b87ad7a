// Package export makes the files in which the whole catalog can be downloaded: one per table and
// format, from a snapshot and nothing else, so that every node makes the same bytes.
//
// Begin with Tables, which says what the files hold, and with Write, which writes one. A Cache makes
// files in the background and holds them. The package answers no request.
package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// blockSize is how many bytes are written at a time. Compressing them takes about as long as work
// between two pauses may take.
const blockSize = 32 << 10

// Write writes a file of the snapshot, and returns its number of rows.
func Write(w io.Writer, f File, s *catalog.Snapshot, t *throttle.Throttle) (rows int, err error) {
	table, found := TableOf(f.Table)
	if f == Embeddings {
		table, found = chunks, true
	}
	if !found {
		return 0, fmt.Errorf("there is no file %s", f.Name())
	}
	block := make([]byte, 0, blockSize+4<<10)
	flush := func() error {
		_, err := w.Write(block)
		block = block[:0]
		t.Pause()
		return err
	}
	var cells []Cell
	appendRow := func(b []byte, slug string) []byte {
		rows++
		return append(table.line(b, s, slug), '\n')
	}
	if f.Format != JSONL {
		block = f.Format.AppendHeader(block, table.header())
		appendRow = func(b []byte, slug string) []byte {
			cells = table.cells(cells[:0], s, slug)
			for row := range slices.Chunk(cells, len(table.Columns)) {
				b = f.Format.AppendRow(b, row)
				rows++
			}
			return b
		}
	}
	for _, slug := range table.slugs(s, t) {
		if block = appendRow(block, slug); len(block) >= blockSize {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	return rows, flush()
}

// A dialect is a form of CSV. Rows end with CR and LF, and quotes are doubled within quotes (RFC
// 4180).
type dialect struct {
	begin     string // what stands before the header
	separator byte
	comma     bool // decimal comma instead of a point
}

var (
	plainCSV  = dialect{separator: ','}
	frenchCSV = dialect{begin: "\ufeff", separator: ';', comma: true}
)

func (f Format) dialect() dialect {
	if f == French {
		return frenchCSV
	}
	return plainCSV
}

// AppendHeader appends the beginning of a file in CSV or French, with the names of its columns.
func (f Format) AppendHeader(b []byte, names []string) []byte {
	b = append(b, f.dialect().begin...)
	row := make([]Cell, len(names))
	for i, name := range names {
		row[i] = text(name)
	}
	return f.AppendRow(b, row)
}

// AppendRow appends a row of a file in CSV or French. It escapes texts that spreadsheets would take
// for formulas.
func (f Format) AppendRow(b []byte, row []Cell) []byte {
	d := f.dialect()
	for i, c := range row {
		if i > 0 {
			b = append(b, d.separator)
		}
		b = d.cell(b, c)
	}
	return append(b, "\r\n"...)
}

func (d dialect) cell(b []byte, c Cell) []byte {
	s := c.Text
	switch {
	case c.Number && d.comma:
		s = strings.Replace(s, ".", ",", 1)
	case !c.Number:
		s = disarm(s)
	}
	if strings.IndexByte(s, d.separator) < 0 && !strings.ContainsAny(s, "\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// disarm escapes a text that spreadsheets would take for a formula: a formula could run a program
// on the computer that opens the file.
func disarm(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		return "'" + s
	}
	return s
}
