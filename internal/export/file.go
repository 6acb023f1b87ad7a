package export

import (
	"slices"
	"strings"
)

// A Format is how a table is written.
type Format string

// The formats. French is CSV as spreadsheets in French read it: semicolons, a decimal comma and a byte order mark.
const (
	JSONL  Format = "jsonl"
	CSV    Format = "csv"
	French Format = "fr.csv"
)

// Formats lists every format, in the order the documentation gives them.
func Formats() []Format { return []Format{JSONL, CSV, French} }

// ContentType is the media type of the format.
func (f Format) ContentType() string {
	if f == JSONL {
		return "application/jsonl; charset=utf-8"
	}
	return "text/csv; charset=utf-8; header=present"
}

// Path is where files are, in the API.
const Path = "/api/v1/export"

// A File is a table in a format.
type File struct {
	Table  string
	Format Format
}

// Embeddings is the file with the chunks of all reviews of the embeddings set. It is no table.
var Embeddings = File{embeddings, JSONL}

// Name is the file's name.
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

// Find finds the file of a table by its name.
func Find(name string) (File, bool) {
	table, format, _ := strings.Cut(name, ".")
	f := File{table, Format(format)}
	return f, slices.Contains(Files(), f)
}
