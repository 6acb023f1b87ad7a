package api

import (
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/turns"
)

const (
	exportPath     = export.Path
	embeddingsFile = "/api/embeddings/export.jsonl"

	// maxDownloads is how many files one network downloads at once. One more place is left to others.
	maxDownloads = 8
	// firstWait is how long the very first request for a file waits for it to be made.
	firstWait = 25 * time.Second
)

// pace cuts off whoever takes less than 64 KB in 30 seconds: they keep a place from others.
var pace = web.Pace{Piece: 30 * time.Second, Whole: 15 * time.Minute}

// newDownloads gives out the places for downloads. Nobody waits for one.
func newDownloads() *turns.Gate {
	return turns.New(turns.Options{Slots: maxDownloads + 1, PerClient: maxDownloads})
}

// getPackage is GET /api/v1/export/datapackage.json.
func getPackage(s source, _ string) (*web.Response, error) {
	body, err := export.Package(s.Snapshot)
	if err != nil {
		return nil, err
	}
	r := respond(catalog.NewDocument(body))
	r.Fields = append(r.Fields, fileFields(export.PackageName, s.Cursor())...)
	return r, nil
}

// fileFields are the headers of a download: its name, and the end of the change log as of its edition.
func fileFields(name string, c catalog.Cursor) []web.Field {
	return []web.Field{
		web.NewField("Content-Disposition", `attachment; filename="`+name+`"`),
		web.NewField("X-Changes-Cursor", c.String()),
	}
}
