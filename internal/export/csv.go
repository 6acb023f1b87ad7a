package export

import "strings"

// A dialect is how CSV is written. Rows end with CR and LF, and quotes are doubled within quotes (RFC 4180).
type dialect struct {
	begin     string // what stands before the header
	separator byte
	comma     bool // before decimals, instead of a point
}

var (
	plainCSV  = dialect{separator: ','}
	frenchCSV = dialect{begin: "\ufeff", separator: ';', comma: true}
)

func (d dialect) header(b []byte, columns []Column) []byte {
	b = append(b, d.begin...)
	row := make([]cell, len(columns))
	for i, c := range columns {
		row[i] = text(c.Name)
	}
	return d.row(b, row)
}

func (d dialect) row(b []byte, row []cell) []byte {
	for i, c := range row {
		if i > 0 {
			b = append(b, d.separator)
		}
		b = d.cell(b, c)
	}
	return append(b, "\r\n"...)
}

func (d dialect) cell(b []byte, c cell) []byte {
	s := c.text
	switch {
	case c.number && d.comma:
		s = strings.Replace(s, ".", ",", 1)
	case !c.number:
		s = disarm(s)
	}
	if strings.IndexByte(s, d.separator) < 0 && !strings.ContainsAny(s, "\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// disarm keeps spreadsheets from taking a text for a formula: whoever may write a text of the catalog could
// otherwise have a program run where it is opened.
func disarm(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		return "'" + s
	}
	return s
}
