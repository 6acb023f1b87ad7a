package palmares

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
)

// A Download is a file of the catalogue, of one edition. Read it and close it, or range over its Rows. With ListChanges
// and its Cursor you go on from there.
type Download struct {
	io.ReadCloser
	Response Response
}

// DownloadFile returns a table, such as tools.jsonl or pricing.csv: GetDataPackage names them. A file that was cut short
// ends with an error, never as if it were whole. With a Store the file is stored, and held in memory once.
func (c *Client) DownloadFile(ctx context.Context, file string) (*Download, error) {
	return c.download(ctx, item("/api/v1/export/", file))
}

// DownloadEmbeddings returns all chunks: the rows are of EmbeddingsDocument. It needs a key.
func (c *Client) DownloadEmbeddings(ctx context.Context) (*Download, error) {
	return c.download(ctx, "/api/embeddings/export.jsonl")
}

func (c *Client) download(ctx context.Context, path string) (*Download, error) {
	if c.store != nil {
		var text []byte
		r, err := c.fetch(ctx, path, nil, func(h http.Header, body []byte) error {
			text = body
			return isFile(h)
		})
		if err != nil {
			return nil, err
		}
		return &Download{ReadCloser: io.NopCloser(bytes.NewReader(text)), Response: r}, nil
	}
	var response *http.Response
	h, err := c.retry(ctx, func() (_ http.Header, err error) {
		if response, err = c.send(ctx, c.address(path, nil), nil); err != nil {
			return nil, err
		}
		return response.Header, nil
	})
	if err != nil {
		return nil, err
	}
	if err := isFile(h); err != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	return &Download{ReadCloser: response.Body, Response: responseOf(h)}, nil
}

// isFile refuses the page of somebody else.
func isFile(h http.Header) error {
	if h.Get("X-Changes-Cursor") == "" {
		return notOfThisAPI(h)
	}
	return nil
}

// Rows are the lines of a download in JSONL, each as a T: a ToolItem, an EmbeddingsDocument, a map or your own struct. The
// download is closed in the end.
func Rows[T any](d *Download) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer d.Close()
		lines := json.NewDecoder(d)
		for {
			var row T
			err := lines.Decode(&row)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
