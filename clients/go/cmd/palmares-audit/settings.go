package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// An ignore is a dependency whose findings do not fail until a day.
type ignore struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Until  day    `json:"until"`
	used   bool
}

// is reports whether it is about an id of the tool of this slug.
func (i *ignore) is(id, slug string) bool { return keyOf(i.ID) == keyOf(id) || i.ID == slug }

// readIgnores reads palmares-audit.json. A file that nobody named need not be there.
func readIgnores(path string, named bool) ([]*ignore, error) {
	var settings struct {
		Ignores []*ignore `json:"ignores"`
	}
	if err := readJSON(path, &settings); err != nil {
		if !named && errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	for n, i := range settings.Ignores {
		if i == nil || i.ID == "" || i.Reason == "" || !i.Until.valid() {
			return nil, fmt.Errorf("%s: entry %d of ignores needs an id, a reason and until, a day such as 2027-01-31", path, n+1)
		}
	}
	return settings.Ignores, nil
}

// A baseline is what was accepted: the findings of a day, and the prices of then.
type baseline struct {
	Day      day                 `json:"day"` // of the catalogue
	Accepted map[string]accepted `json:"accepted"`
}

type accepted struct {
	Slug        string   `json:"slug"`
	Findings    []string `json:"findings"`
	EndsAt      day      `json:"ends_at"`
	Score       *float64 `json:"score"`
	PriceCents  *int64   `json:"price_cents"`
	PricePeriod string   `json:"price_period"`
}

// has reports whether a finding was accepted, as it is today.
func (b *accepted) has(kind string, r row) bool {
	if b == nil || kind == dearer { // what is dearer is so since then
		return false
	}
	for _, k := range b.Findings {
		if k == kind && b.Slug == r.Slug {
			return kind == retired || kind == ending && b.EndsAt == r.EndsAt ||
				kind == lowScore && b.Score != nil && r.Score != nil && *r.Score >= *b.Score
		}
	}
	return false
}

func readBaseline(path string) (*baseline, error) {
	var b baseline
	if err := readJSON(path, &b); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("there is no baseline %s: --accept writes it", path)
		}
		return nil, err
	}
	if !b.Day.valid() || b.Accepted == nil {
		return nil, fmt.Errorf("%s is no baseline: --accept writes one", path)
	}
	return &b, nil
}

func (b baseline) write(path string) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err == nil {
		err = write(path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, plainly(err))
	}
	return nil
}

// readJSON decodes a file that has no other field than v.
func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, plainly(err))
	}
	decode := json.NewDecoder(bytes.NewReader(text))
	decode.DisallowUnknownFields()
	if err := decode.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
