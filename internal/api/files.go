package api

import (
	"cmp"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/web"
)

const (
	exportPath     = export.Path
	embeddingsFile = "/api/embeddings/export.jsonl"

	// firstWait is how long the very first request for a file waits for it to be made.
	firstWait = 25 * time.Second
)

// newPace cuts off whoever is so slow that they keep a place from others.
func newPace(slack time.Duration) web.Pace {
	return web.Pace{Rate: 16 << 10, Slack: cmp.Or(slack, 30*time.Second), Whole: 15 * time.Minute}
}

// newDownloads makes the places: the best plan has all of them.
func newDownloads() *web.Gate { return web.NewGate(account.Pro.Limits().Downloads) }

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
