package docs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/jsonld"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// A Data page lists the files that can be downloaded.
type Data struct {
	keeper *export.Keeper // nil where nobody makes files: sizes are then unknown
}

// NewData makes the page of a keeper's files.
func NewData(k *export.Keeper) *Data { return &Data{k} }

// sizesWait is how long a reader waits for files that are not made yet. A small catalog has them in milliseconds.
const sizesWait = time.Second

// Files are those that were made, by name.
type Files map[export.File]*export.Made

// Measure has all files of the edition made, and gives those that are there.
func (d *Data) Measure(ctx context.Context) Files {
	found := make(Files)
	if d.keeper == nil {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, sizesWait)
	defer cancel()
	for _, f := range export.Files() {
		if made, err := d.keeper.Get(ctx, f); err == nil { // or it is late: the page says so
			found[f] = made
		}
	}
	return found
}

type dataBody struct {
	Tables        []dataTable
	Credit, Guide string
	License       catalog.License
}

type dataTable struct {
	Name, Title, What string
	Rows, Date        string
	Columns           []string
	Files             []dataFile
}

type dataFile struct {
	Name, Path, For, Size, Packed string // sizes are "" where they are unknown
}

// Page is the page.
func (d *Data) Page(v *view.View, made Files) (*view.Document, error) {
	service, day := v.Catalog.Service(), v.Catalog.Edition().PublishedAt.UTC()
	body := dataBody{
		Credit:  v.Text.Must("data.credit.line", service.Credit(), locale.French.Date(day)),
		License: service.License, Guide: v.Path(address.Guide, v.Text.Must("data.guide.slug")),
	}
	for _, t := range export.Tables() {
		shown := dataTable{
			Name: t.Name, Title: v.Text.Must("data." + t.Name), What: v.Text.Must("data.what." + t.Name),
			Rows: v.Text.Integer(t.Rows(v.Catalog, export.CSV)), Date: v.Text.Date(day),
		}
		for _, c := range t.Columns {
			shown.Columns = append(shown.Columns, c.Name)
		}
		for _, format := range export.Formats() {
			f := export.File{Table: t.Name, Format: format}
			row := dataFile{Name: f.Name(), Path: export.Path + "/" + f.Name(), For: v.Text.Must("data.for." + strings.ReplaceAll(string(format), ".", "-"))}
			if m := made[f]; m != nil {
				row.Size, row.Packed = size(v, m.Size), size(v, len(m.Gzip))
			}
			shown.Files = append(shown.Files, row)
		}
		body.Tables = append(body.Tables, shown)
	}
	return &view.Document{
		Template: "data", Section: address.Guides, Title: v.Text.Must("data.title"),
		Description: v.Text.Must("data.description"), Data: jsonld.Dataset(v, v.Text.Must("data.title"), v.Text.Must("data.description")), Body: body,
	}, nil
}

// size writes a number of bytes: 940 octets, 12 ko, 3,4 Mo.
func size(v *view.View, n int) string {
	const kilo, mega = 1000, 1000 * 1000
	switch {
	case n < kilo:
		return v.Text.Many("data.bytes", n)
	case n < mega:
		return v.Text.Must("data.kilobytes", v.Text.Integer((n+kilo/2)/kilo))
	}
	s := strconv.FormatFloat(float64(n)/mega, 'f', 1, 64)
	if v.Text.Language == locale.French {
		s = strings.ReplaceAll(s, ".", ",")
	}
	return v.Text.Must("data.megabytes", s)
}
