package api

import (
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// listEmbeddings is GET /api/embeddings.
func listEmbeddings(s *catalog.Snapshot, _ question) (answer, error) {
	return item(s.EmbeddingsList()), nil
}

// getEmbeddings is GET /api/embeddings/{slug}.
func getEmbeddings(s *catalog.Snapshot, q question) (answer, error) {
	d, err := s.Embeddings(q.slug)
	switch {
	case errors.Is(err, catalog.ErrUnknownTool):
		return answer{}, toolNotFound(s, q.slug)
	case err != nil:
		return answer{}, web.Errorf(http.StatusNotFound, "the tool %s is not in the embeddings set, which has %d tools at most", quote(q.slug), catalog.EmbeddingsSize)
	}
	return item(d), nil
}
