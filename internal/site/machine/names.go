package machine

import (
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// maxNames is how many bytes the names that the search field suggests take when they are compressed.
const maxNames = 56 << 10

// Names is the file from which the search field suggests tools: names and slugs, the best ranked first, as many as
// fit. A browser loads it once somebody is about to type.
func Names(v *view.View) (*view.File, error) {
	const first = 4_000
	for most := first; ; most = most * 3 / 4 {
		body, err := names(v, most)
		if err != nil || compressed(body) <= maxNames {
			return &view.File{Type: "application/json", Body: body}, err
		}
	}
}

func names(v *view.View, most int) ([]byte, error) {
	tools := v.Catalog.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: most}}).Items
	pairs := make([][2]string, len(tools))
	for i, t := range tools {
		pairs[i] = [2]string{t.Name, t.Slug}
	}
	body, err := json.Marshal(pairs)
	if err != nil {
		return nil, fmt.Errorf("writing the names of tools: %w", err)
	}
	return body, nil
}

// compressed is how many bytes a text takes when it is compressed.
func compressed(text []byte) int {
	var n counter
	w := gzip.NewWriter(&n)
	_, _ = w.Write(text) // a counter takes all
	_ = w.Close()
	return int(n)
}

// A counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
