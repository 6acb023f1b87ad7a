package api

import (
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// getEmbeddings is GET /api/embeddings/{slug}.
func getEmbeddings(r request) (answer, error) {
	slug := r.PathValue("slug")
	d, err := r.snapshot.Embeddings(slug)
	switch {
	case errors.Is(err, catalog.ErrUnknownTool):
		return answer{}, toolNotFound(r.snapshot, slug)
	case err != nil:
		return answer{}, web.Errorf(http.StatusNotFound, "the tool %s is not in the embeddings set, which has %d tools at most", quote(slug), catalog.EmbeddingsSize)
	}
	return item(d), nil
}
