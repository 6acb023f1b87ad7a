package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A LoggedItem is a tool, a comparison, a retired tool or a price, as a log entry shows it. Fields
// that the item lacks are zero.
type LoggedItem struct {
	Name          string     `json:"name"`
	Domain        string     `json:"domain"`
	Category      string     `json:"category"`
	ICP           ICP        `json:"icp"`
	Pricing       Pricing    `json:"pricing"`
	Price         string     `json:"price"`
	Score         Measure    `json:"score"`
	Verifiability Measure    `json:"verifiability"`
	Tagline       string     `json:"tagline"`
	ReviewURL     string     `json:"avis_url"`
	URL           string     `json:"canonical_url"`
	Reason        Reason     `json:"reason"`
	RetiredAt     Date       `json:"retired_at"`
	EndsAt        Date       `json:"ends_at"`
	From          Date       `json:"from"`
	Note          string     `json:"note"`
	Title         string     `json:"title"`
	Winner        string     `json:"winner"`
	WinnerNote    string     `json:"winner_note"`
	ToolA         LoggedTool `json:"tool_a"`
	ToolB         LoggedTool `json:"tool_b"`
}

// A LoggedCatalog is the catalog itself, as a log entry shows it.
type LoggedCatalog struct {
	Name       string           `json:"name"`
	URL        string           `json:"url"`
	Categories []LoggedCategory `json:"categories"`
}

// A LoggedCategory is a category, as a log entry shows it.
type LoggedCategory struct {
	Slug  string `json:"slug"`
	Label string `json:"label"`
}

// A LoggedTool is one of the two tools of a comparison.
type LoggedTool struct {
	Name  string  `json:"name"`
	Score Measure `json:"score"`
}

// Items decodes the item before and after an entry. Either may be the zero item.
func (e *LogEntry) Items() (was, is LoggedItem, err error) { return logged[LoggedItem](e) }

// Catalogs decodes the catalog before and after an entry about the catalog itself.
func (e *LogEntry) Catalogs() (was, is LoggedCatalog, err error) { return logged[LoggedCatalog](e) }

func logged[T any](e *LogEntry) (was, is T, err error) {
	for _, side := range []struct {
		text []byte
		item *T
	}{{e.Previous, &was}, {e.Object, &is}} {
		if len(side.text) == 0 {
			continue
		}
		if err := json.Unmarshal(side.text, side.item); err != nil {
			var none T
			return none, none, fmt.Errorf("reading entry %d of the change log: %w", e.Seq, err)
		}
	}
	return was, is, nil
}

// Scores returns the scores of a tool before and after an entry about it. They are those of Items,
// read without decoding: every edition reads the scores of the whole log, and decoding each entry
// would take most of that time.
func (e *LogEntry) Scores() (before, after Measure) { return scoreIn(e.Previous), scoreIn(e.Object) }

// scoreIn returns the score in the JSON of a tool. A string cannot contain the key, since its
// quotes are escaped.
func scoreIn(tool []byte) Measure {
	_, rest, _ := bytes.Cut(tool, []byte(`"score":`))
	if end := bytes.IndexAny(rest, ",}"); end >= 0 {
		rest = rest[:end]
	}
	m, _ := ParseMeasure(string(bytes.TrimSpace(rest))) // absent when it is null
	return m
}

// Changed returns the names of the fields in which Object and Previous differ, sorted, including
// those that a LoggedItem leaves out. It returns nil if one is missing or they are not of one kind.
func (e *Event) Changed() []string {
	updated := e.Type == PriceChanged || e.Type == PriceAnnounced || e.Type == ToolEnding ||
		strings.HasSuffix(string(e.Type), ".updated") || strings.HasSuffix(string(e.Type), ".renamed")
	if !updated || len(e.Object) == 0 || len(e.Previous) == 0 {
		return nil
	}
	object, readable := fieldsOf(e.Object)
	previous, wasReadable := fieldsOf(e.Previous)
	if !readable || !wasReadable {
		return nil
	}
	names := []string{} // old log entries may not differ at all
	for name, value := range object {
		if was, ok := previous[name]; !ok || !bytes.Equal(value, was) {
			names = append(names, name)
		}
	}
	for name := range previous {
		if _, ok := object[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fieldsOf returns the fields of an item without white space, so that equal values are equal bytes.
func fieldsOf(item []byte) (map[string]json.RawMessage, bool) {
	var compact bytes.Buffer
	var all map[string]json.RawMessage
	if json.Compact(&compact, item) != nil || json.Unmarshal(compact.Bytes(), &all) != nil {
		return nil, false
	}
	return all, true
}
