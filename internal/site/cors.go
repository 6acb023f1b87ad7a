package site

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/web"
)

// Scripts of any site may read feeds, Markdown, llms.txt and badges, as they may the API.
var (
	anyScript = web.NewField("Access-Control-Allow-Origin", "*")
	// fileHeaders are those of all that is no page.
	fileHeaders = []web.Field{layout.AnyOrigin, anyScript, web.NewField("Access-Control-Expose-Headers", "ETag")}
	// preflightHeaders are what a browser asks for before a script may name a tag.
	preflightHeaders = []web.Field{
		anyScript, layout.NoSniff, layout.CacheNever,
		web.NewField("Allow", "GET, HEAD, OPTIONS"),
		web.NewField("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
		web.NewField("Access-Control-Allow-Headers", "If-None-Match"),
		web.NewField("Access-Control-Max-Age", "86400"),
	}
)

func preflight(w http.ResponseWriter) {
	web.SetFields(w, preflightHeaders...)
	w.WriteHeader(http.StatusNoContent)
}
