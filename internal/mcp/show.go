package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
)

// shownTools are the tools by name, made when the first is shown.
var shownTools = sync.OnceValue(func() map[string]answerer {
	made := make(map[string]answerer, len(tools))
	for _, t := range tools {
		made[t.name] = t.make()
	}
	return made
})

// Show gives the answer of a tool from a snapshot, for the pages about it: as agents get it, and counted nowhere.
func Show(s *catalog.Snapshot, baseURL, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	t, ok := shownTools()[tool]
	if !ok {
		return nil, fmt.Errorf("there is no tool %s", tool)
	}
	out, err := t.answer(&call{s, context.Background(), changes.NewReader(shown{s}, nil), baseURL}, arguments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	return encode(out)
}

// shown is a catalog that stays as it is.
type shown struct{ snapshot *catalog.Snapshot }

func (s shown) Current() *catalog.Snapshot { return s.snapshot }
func (s shown) Swapped() <-chan struct{}   { return nil }
