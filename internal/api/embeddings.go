package api

import (
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// listEmbeddings is GET /api/embeddings.
func listEmbeddings(s source) *web.Response { return respond(s.EmbeddingsListJSON()) }

// getEmbeddings is GET /api/embeddings/{slug}.
func getEmbeddings(s source, slug string) (*web.Response, error) {
	d, err := s.EmbeddingsJSON(slug)
	switch {
	case errors.Is(err, catalog.ErrUnknownTool):
		return nil, toolNotFound(s, slug)
	case err != nil:
		return nil, web.Errorf(http.StatusNotFound,
			"the tool %s is not in the embeddings set, which has %d tools at most",
			web.Quote(slug), catalog.EmbeddingsSize)
	}
	return respond(d), nil
}
