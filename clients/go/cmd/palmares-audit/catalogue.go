package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A row is what the catalogue says of an id: a package URL or a domain of a tool, living or retired.
type row struct {
	ID             string   `json:"id"`
	Slug           string   `json:"slug"`
	Name           string   `json:"name"`
	Retired        bool     `json:"retired"`
	EndsAt         day      `json:"ends_at"`
	Successor      string   `json:"successor"`
	Score          *float64 `json:"score"`
	PriceCents     *int64   `json:"price_cents"`
	PricePeriod    string   `json:"price_period"`
	OldPriceCents  *int64   `json:"old_price_cents"`
	OldPricePeriod string   `json:"old_price_period"`
	PriceChangedAt day      `json:"price_changed_at"`
}

// A catalogue is the file of identifiers of one edition, as it was downloaded.
type catalogue struct {
	day    day
	cursor string
	rows   []byte // lines of JSON
}

// lines calls each with every line of the file, until it fails.
func (c catalogue) lines(each func(line []byte) error) error {
	scan := bufio.NewScanner(bytes.NewReader(c.rows))
	scan.Buffer(make([]byte, 64<<10), 1<<20)
	for scan.Scan() {
		if err := each(scan.Bytes()); err != nil {
			return err
		}
	}
	return scan.Err()
}

// A known is what the catalogue has of a project's dependencies.
type known struct {
	ids   map[string][]row // by keyOf
	names map[string][]row // by name in lower case and by slug, a row for each tool
}

// look returns the rows that dependencies may be. Of all others nothing but the id is decoded.
func (c catalogue) look(list []dependency) (known, error) {
	k := known{make(map[string][]row), make(map[string][]row)}
	for _, d := range list {
		for _, id := range d.ids {
			if name, is := strings.CutPrefix(id, "name:"); is {
				k.names[name] = nil
			} else {
				k.ids[keyOf(id)] = nil
			}
		}
	}
	return k, c.lines(func(line []byte) error {
		if len(k.names) == 0 {
			if id, ok := idOf(line); ok {
				if _, wanted := k.ids[keyOf(id)]; !wanted {
					return nil
				}
			}
		}
		var r row
		if err := json.Unmarshal(line, &r); err != nil || r.ID == "" || r.Slug == "" {
			return errors.New("a line of the catalogue is no row with an id and a slug")
		}
		if rows, wanted := k.ids[keyOf(r.ID)]; wanted {
			k.ids[keyOf(r.ID)] = append(rows, r)
		}
		for _, name := range []string{strings.ToLower(r.Name), r.Slug} {
			if rows, wanted := k.names[name]; wanted && !of(rows, r.Slug) {
				k.names[name] = append(rows, r)
			}
		}
		return nil
	})
}

// idOf returns the id with which a line begins, if it is spelt without escapes.
func idOf(line []byte) (string, bool) {
	rest, found := bytes.CutPrefix(line, []byte(`{"id":"`))
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return "", false
	}
	return string(rest[:end]), true
}

func of(rows []row, slug string) bool {
	for _, r := range rows {
		if r.Slug == slug {
			return true
		}
	}
	return false
}

// find returns the rows of a dependency, and the id by which it has them. Several rows are of several tools.
func (k known) find(d dependency) (id string, rows []row) {
	for _, id := range d.ids {
		if name, is := strings.CutPrefix(id, "name:"); is {
			rows = k.names[name]
		} else {
			rows = k.ids[keyOf(id)]
		}
		if len(rows) > 0 {
			return id, rows
		}
	}
	return "", nil
}

// price writes a price in English, such as €19.90/mois; "" for none.
func price(cents *int64, period string) string {
	if cents == nil {
		return ""
	}
	text := fmt.Sprintf("€%d", *cents/100)
	if *cents%100 != 0 {
		text += fmt.Sprintf(".%02d", *cents%100)
	}
	switch period {
	case "mois":
		period = "month"
	case "an":
		period = "year"
	}
	return text + "/" + printable(period)
}
