package api

import (
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
)

const changesPath = "/api/v1/changes"

// errNotHeld says that a snapshot cannot answer alone.
var errNotHeld = errors.New("the snapshot does not have it")

// respondChanges makes the response of a page of the log. A full page after a cursor never changes. Any other
// is the last one, which the next edition changes: its tag is the cursor that it ends with, and nobody keeps it.
func respondChanges(baseURL string, p params.Changes, page changes.Page) *web.Response {
	if !page.More {
		r := web.NewResponse(http.StatusOK, jsonType, page.Next.String(), page.Body)
		r.Plain, r.Passing = true, page.Count == 0
		return r
	}
	r := respond(catalog.NewDocument(page.Body))
	p.Since = page.Next.String()
	r.Fields = append(r.Fields, web.NewField("Link", "<"+baseURL+changesPath+"?"+p.Values().Encode()+`>; rel="next"`))
	return r
}

// errGone is the response to a cursor that the log has nothing after.
func errGone() error {
	return web.Errorf(http.StatusGone, "since: this cursor is not of this log, or what follows it is no longer kept: "+
		"start again from the download")
}
