package postgres_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
)

// A file of the operator that changes makes an edition and no event, and only that file is written.
// One that is removed is gone from nodes that had it.
func TestOperatorFiles(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	terms, theme := catalog.NewOperatorFile("conditions.md", "Avant.\n"), catalog.NewOperatorFile("theme.css", "")
	c := ct.Contents(ct.Tool("lumen"), terms, theme)
	first := db.publish(c)
	wantEqual(t, "edition again", db.publish(c).Number, first.Number)

	c = ct.Contents(ct.Tool("lumen"), catalog.NewOperatorFile("conditions.md", "Après.\n"), theme)
	second := db.publish(c)
	d := db.since(first)
	wantEqual(t, "edition", second.Number, first.Number+1)
	wantEqual(t, "files", len(d.Files), 1)
	wantEqual(t, "text", d.Files[0].Text, "Après.\n")
	wantEqual(t, "tools", len(d.Tools), 0)
	wantEqual(t, "events", len(d.Log), 0)

	incident := catalog.Incident{At: time.Date(2026, 2, 3, 4, 5, 0, 0, time.UTC), Title: catalog.Localized{French: "Panne"}}
	third := db.publish(ct.Contents(ct.Tool("lumen"), theme, incident))
	d = db.since(second)
	wantEqual(t, "edition", third.Number, second.Number+1)
	wantSame(t, "gone", d.GoneFiles, []string{"conditions.md"})
	wantEqual(t, "files", len(d.Files), 0)
	wantSame(t, "incidents", d.Incidents, []catalog.Incident{incident})

	db.publish(c) // the file comes back, and the incident was none
	d = db.since(third)
	wantEqual(t, "gone", len(d.GoneFiles), 0)
	wantEqual(t, "files", len(d.Files), 1)
	wantEqual(t, "incidents", len(d.Incidents), 0)
}

// A picture keeps its bytes, and a mail reads it by its name.
func TestOperatorFile_Picture(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	data := []byte("\x89PNG\r\n\x1a\n\x00\xff")
	db.publish(ct.Contents(ct.Tool("lumen"), catalog.NewOperatorPicture("logo.png", data)))
	f, err := db.Catalog.OperatorFile(t.Context(), "logo.png")
	if err != nil || f == nil {
		t.Fatalf("the picture is %v (%v)", f, err)
	}
	wantEqual(t, "bytes", string(f.Picture()), string(data))
	if f, err := db.Catalog.OperatorFile(t.Context(), "theme.css"); f != nil || err != nil {
		t.Errorf("a file that is not there is %v (%v)", f, err)
	}
}
