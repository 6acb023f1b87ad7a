package export

import (
	"encoding/json"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// PackageName is the file name of the description of all files.
const PackageName = "datapackage.json"

// A dataPackage is a Data Package of Frictionless Data, version 1, which allows additional members:
// the edition, the cursor and the credit line.
type dataPackage struct {
	Profile   string     `json:"profile"`
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Homepage  string     `json:"homepage"`
	Version   string     `json:"version"`
	Created   string     `json:"created"`
	Edition   int64      `json:"edition"`
	Cursor    string     `json:"changes_cursor"`
	Credit    string     `json:"attribution"`
	Licenses  []license  `json:"licenses,omitempty"`
	Sources   []source   `json:"sources"`
	Resources []resource `json:"resources"`
}

type license struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Path  string `json:"path"`
}

type source struct {
	Title string `json:"title"`
	Path  string `json:"path"`
}

type resource struct {
	Name      string       `json:"name"`
	Path      string       `json:"path"` // relative to datapackage.json
	Profile   string       `json:"profile"`
	Format    string       `json:"format"`
	MediaType string       `json:"mediatype"`
	Encoding  string       `json:"encoding"`
	Rows      int          `json:"rows"`
	Dialect   *csvDialect  `json:"dialect,omitempty"`
	Schema    *tableSchema `json:"schema,omitempty"`
}

// A csvDialect is a CSV Dialect.
type csvDialect struct {
	Delimiter      string `json:"delimiter"`
	LineTerminator string `json:"lineTerminator"` //nolint:tagliatelle // Frictionless calls it so
	QuoteChar      string `json:"quoteChar"`      //nolint:tagliatelle // Frictionless calls it so
	DoubleQuote    bool   `json:"doubleQuote"`    //nolint:tagliatelle // Frictionless calls it so
	Header         bool   `json:"header"`
}

// A tableSchema is a Table Schema.
type tableSchema struct {
	Fields        []field      `json:"fields"`
	MissingValues []string     `json:"missingValues"`         //nolint:tagliatelle // Frictionless calls it so
	PrimaryKey    []string     `json:"primaryKey"`            //nolint:tagliatelle // Frictionless calls it so
	ForeignKeys   []foreignKey `json:"foreignKeys,omitempty"` //nolint:tagliatelle // Frictionless calls it so
}

type field struct {
	Name        string       `json:"name"`
	Type        Kind         `json:"type"`
	Format      string       `json:"format,omitempty"`
	DecimalChar string       `json:"decimalChar,omitempty"` //nolint:tagliatelle // Frictionless calls it so
	Constraints *constraints `json:"constraints,omitempty"`
}

type constraints struct {
	Required bool     `json:"required,omitempty"`
	Unique   bool     `json:"unique,omitempty"`
	Enum     []string `json:"enum,omitempty"`
}

type foreignKey struct {
	Fields    string    `json:"fields"`
	Reference reference `json:"reference"`
}

type reference struct {
	Resource string `json:"resource"`
	Fields   string `json:"fields"`
}

// Package returns datapackage.json, which describes all files of the snapshot.
func Package(s *catalog.Snapshot) ([]byte, error) {
	service, edition := s.Service(), s.Edition()
	p := dataPackage{
		Profile: "data-package", Name: "catalogue", Title: service.Name, Homepage: service.URL,
		Version: string(edition.Date()), Created: edition.PublishedAt.UTC().Format(time.RFC3339),
		Edition: edition.Number, Cursor: s.Cursor().String(), Credit: service.Credit(),
		Sources: []source{{service.Name, service.URL}},
	}
	if l := service.License; l != "" {
		p.Licenses = []license{{string(l), l.Title(), l.URL()}}
	}
	for _, t := range Tables() {
		for _, f := range Formats() {
			p.Resources = append(p.Resources, newResource(t, f, t.Rows(s, f)))
		}
	}
	return json.Marshal(p)
}

// resourceName returns a file's name as a resource, which has neither capitals nor dots.
func resourceName(table string, f Format) string {
	switch f {
	case JSONL:
		return table + "-jsonl"
	case French:
		return table + "-fr"
	default:
		return table
	}
}

func newResource(t Table, f Format, rows int) resource {
	r := resource{
		Name: resourceName(t.Name, f), Path: File{t.Name, f}.Name(), Profile: "data-resource",
		Format: "jsonl", MediaType: "application/jsonl", Encoding: "utf-8", Rows: rows,
	}
	if f == JSONL {
		return r
	}
	r.Profile, r.Format, r.MediaType = "tabular-data-resource", "csv", "text/csv"
	r.Dialect = &csvDialect{Delimiter: ",", LineTerminator: "\r\n", QuoteChar: `"`, DoubleQuote: true, Header: true}
	if f == French {
		r.Dialect.Delimiter = ";"
	}
	r.Schema = newSchema(t, f)
	return r
}

func newSchema(t Table, f Format) *tableSchema {
	schema := &tableSchema{MissingValues: []string{""}, PrimaryKey: t.Key}
	for _, c := range t.Columns {
		made := field{Name: c.Name, Type: c.Kind}
		if c.URL {
			made.Format = "uri"
		}
		if c.Kind == Number && f == French {
			made.DecimalChar = ","
		}
		if limits := (constraints{Required: !c.Nullable, Unique: len(t.Key) == 1 && c.Name == t.Key[0], Enum: c.Values}); limits.Required {
			made.Constraints = &limits
		}
		schema.Fields = append(schema.Fields, made)
		if c.Of != "" {
			key := foreignKey{c.Name, reference{resourceName(c.Of, f), "slug"}}
			schema.ForeignKeys = append(schema.ForeignKeys, key)
		}
	}
	return schema
}
