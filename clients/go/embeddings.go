package palmares

import (
	"context"
	"errors"
	"iter"
	"net/http"
)

// fewDocuments is how many documents are asked for one by one. More cost one request, by the download.
const fewDocuments = 3

// An EmbeddingsChange is what to do with the vectors of one tool.
type EmbeddingsChange struct {
	Slug     string
	Document *EmbeddingsDocument // what to embed, and its hash to keep; nil if the tool's vectors are to be removed
}

// SyncEmbeddings compares what you have, a hash for each slug, with the embeddings set, and returns the documents that are
// new or changed, then what has left the set. Keep the hash of each document once its vectors are stored: a sync that was
// interrupted goes on where it ended. If nothing changed, it is one request. It needs a key.
func (c *Client) SyncEmbeddings(ctx context.Context, have map[string]string) iter.Seq2[EmbeddingsChange, error] {
	return func(yield func(EmbeddingsChange, error) bool) {
		set, err := c.ListEmbeddings(ctx)
		if err != nil {
			yield(EmbeddingsChange{}, err)
			return
		}
		gone, wanted := map[string]bool{}, map[string]string{}
		for slug := range have {
			gone[slug] = true
		}
		for _, item := range set.Data {
			delete(gone, item.Slug)
			if have[item.Slug] != item.Hash {
				wanted[item.Slug] = item.Hash
			}
		}
		for document, err := range c.documents(ctx, set.Data, wanted) {
			var refused *Error
			if errors.As(err, &refused) && refused.Status == http.StatusNotFound { // it left the set a moment ago
				if _, had := have[document.Slug]; had {
					gone[document.Slug] = true
				}
				continue
			}
			if !yield(EmbeddingsChange{Slug: document.Slug, Document: document}, err) || err != nil {
				return
			}
		}
		for slug := range gone {
			if !yield(EmbeddingsChange{Slug: slug}, nil) {
				return
			}
		}
	}
}

// documents returns the documents of wanted, in the order of the set. With an error, the document has the slug alone.
func (c *Client) documents(
	ctx context.Context, set []EmbeddingsItem, wanted map[string]string,
) iter.Seq2[*EmbeddingsDocument, error] {
	return func(yield func(*EmbeddingsDocument, error) bool) {
		if len(wanted) > fewDocuments {
			file, err := c.DownloadEmbeddings(ctx)
			if err != nil {
				yield(&EmbeddingsDocument{}, err)
				return
			}
			for document, err := range Rows[EmbeddingsDocument](file) {
				if err == nil && wanted[document.Slug] != document.Hash { // known, or not yet of this edition
					continue
				}
				delete(wanted, document.Slug)
				if !yield(&document, err) || err != nil {
					return
				}
			}
		}
		for _, item := range set {
			if wanted[item.Slug] == "" {
				continue
			}
			document, err := c.GetEmbeddings(ctx, item.Slug)
			if err != nil {
				document = &EmbeddingsDocument{Slug: item.Slug}
			}
			if !yield(document, err) {
				return
			}
		}
	}
}
