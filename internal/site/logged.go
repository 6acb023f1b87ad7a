package site

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A loggedItem is a tool, a comparison or a retired tool as the log has it.
type loggedItem struct {
	Name          string          `json:"name"`
	Domain        string          `json:"domain"`
	Category      string          `json:"category"`
	ICP           catalog.ICP     `json:"icp"`
	Pricing       catalog.Pricing `json:"pricing"`
	Price         string          `json:"price"`
	Score         json.Number     `json:"score"`
	Verifiability json.Number     `json:"verifiability"`
	Tagline       string          `json:"tagline"`
	ReviewURL     string          `json:"avis_url"`
	URL           string          `json:"canonical_url"`
	Reason        catalog.Reason  `json:"reason"`
	Note          string          `json:"note"`
	Title         string          `json:"title"`
	Winner        string          `json:"winner"`
	WinnerNote    string          `json:"winner_note"`
	ToolA         loggedTool      `json:"tool_a"`
	ToolB         loggedTool      `json:"tool_b"`
}

// A loggedTool is one of the two tools that a comparison compares.
type loggedTool struct {
	Name  string      `json:"name"`
	Score json.Number `json:"score"`
}

// decodeEntry decodes an entry: what there was and what there is. Either may be nothing.
func decodeEntry(e *catalog.LogEntry) (was, is *loggedItem, err error) {
	read := func(text []byte) *loggedItem {
		item := new(loggedItem)
		if len(text) > 0 && err == nil {
			err = json.Unmarshal(text, item)
		}
		return item
	}
	was, is = read(e.Previous), read(e.Object)
	if err != nil {
		return nil, nil, fmt.Errorf("reading entry %d of the change log: %w", e.Seq, err)
	}
	return was, is, nil
}

func (i *loggedItem) offer() offer { return offer{i.Pricing, i.Price} }

// scoreIn is the score of a tool in its JSON. Decoding all of it would take most of the time that
// an edition takes; a string cannot hold the key, for its quotes are escaped.
func scoreIn(tool []byte) catalog.Measure {
	_, rest, _ := bytes.Cut(tool, []byte(`"score":`))
	if end := bytes.IndexAny(rest, ",}"); end >= 0 {
		rest = rest[:end]
	}
	m, _ := catalog.ParseMeasure(string(rest)) // absent when it is null
	return m
}
