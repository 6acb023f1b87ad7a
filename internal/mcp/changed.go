package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// ChangedArguments are the arguments of what_changed.
type ChangedArguments struct {
	Since    string  `json:"since,omitempty" jsonschema:"a day (YYYY-MM-DD, UTC) or the next of an answer; absent for the newest changes"`
	Type     *string `json:"type,omitempty"`
	Category string  `json:"category,omitempty" jsonschema:"{categories}"`
	Limit    *int    `json:"limit,omitempty" jsonschema:"10 if absent"`
}

func narrowChanged(s *jsonschema.Schema) {
	bound(s, "since", maxLength(64))
	bound(s, "category", maxLength(longest))
	bound(s, "type", oneOf(webhook.Types()))
	narrowLimit(s)
}

// A Change is an entry of the change log.
type Change struct {
	Seq       int64    `json:"seq"`
	Timestamp string   `json:"timestamp"`
	Type      string   `json:"type"`
	Slug      string   `json:"slug"`
	Changed   []string `json:"changed"` // names of the fields that are different; empty where an item came or went

	// The values after the change and before it: of the fields in Changed, or of the main ones where an item came or went.
	Object   *values `json:"object"` // null where there is none
	Previous *values `json:"previous,omitempty"`

	RenamedFrom string `json:"renamed_from,omitempty"`
	RenamedTo   string `json:"renamed_to,omitempty"`
}

// values are fields of an item, by name.
type values map[string]any

// mainFields are the fields that a change shows of an item that came or went.
var mainFields = []string{"name", "title", "category", "pricing", "price", "score", "winner", "reason", "retired_at", "ends_at", "successor"}

// valuesOf returns some fields of the item in a log entry; nil if there is no item.
func valuesOf(item []byte, names []string) *values {
	if len(item) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(item))
	d.UseNumber()
	var all map[string]any
	if d.Decode(&all) != nil {
		return nil
	}
	some := make(values)
	for _, name := range names {
		if v, ok := all[name]; ok {
			some[name] = plainly(v)
		}
	}
	return &some
}

// plainly returns a decoded value with its strings as plain text.
func plainly(v any) any {
	switch x := v.(type) {
	case string:
		return plain(x)
	case []any:
		for i := range x {
			x[i] = plainly(x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = plainly(x[name])
		}
	}
	return v
}

func changeOf(e *catalog.LogEntry) Change {
	changed := e.Changed()
	shown := changed
	if changed == nil {
		changed, shown = []string{}, mainFields
	}
	return Change{
		Seq: e.Seq, Timestamp: e.At.UTC().Format(time.RFC3339), Type: string(e.Type), Slug: e.Slug, Changed: changed,
		Object: valuesOf(e.Object, shown), Previous: valuesOf(e.Previous, shown), RenamedFrom: e.RenamedFrom, RenamedTo: e.RenamedTo,
	}
}

// A ChangedAnswer is the answer of what_changed: a page of the change log.
type ChangedAnswer struct {
	Origin
	LogBegins string   `json:"log_begins,omitempty"` // the day on which the log begins, if since is an earlier one
	Changes   []Change `json:"changes"`              // the oldest first
	Next      string   `json:"next"`                 // send it as since to learn what comes after these
	More      bool     `json:"more"`                 // there is more after these already
}

// query returns the parameters of the API for the arguments, and the query of the log. since is a cursor in the former; in
// the latter it may be the beginning of a day.
func (c *call) query(a ChangedArguments) (p params.Changes, q changes.Query, err error) {
	category, err := c.categories(a.Category)
	if err != nil {
		return p, q, err
	}
	since := a.Since
	day, notDay := catalog.ParseDate(since)
	if _, isCursor := catalog.ParseCursor(since); since != "" && !isCursor && notDay != nil {
		return p, q, fmt.Errorf("since: %s is neither a day, YYYY-MM-DD, nor the next of an answer", web.Quote(since))
	}
	if notDay == nil {
		since = ""
	}
	v := url.Values{"limit": {strconv.Itoa(rows(a.Limit))}}
	for name, value := range map[string]string{"since": since, "type": deref(a.Type), "category": category} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if p, err = params.ParseChanges(v.Encode()); err != nil {
		return p, q, err
	}
	q = p.Query()
	if notDay == nil {
		q.Newest, q.From = false, day.Time()
	}
	return p, q, nil
}

func whatChanged(c *call, a ChangedArguments) (ChangedAnswer, error) {
	p, q, err := c.query(a)
	if err != nil {
		return ChangedAnswer{}, err
	}
	page, held := changes.FromSnapshot(c.Snapshot, q)
	if !held { // only the database has these entries
		err = limit.Outside(c.ctx, func(ctx context.Context) (err error) {
			page, err = c.changes.Read(ctx, changes.Asker(limit.CallerOf(ctx)), c.Snapshot, q)
			return err
		})
	}
	switch {
	case errors.Is(err, changes.ErrGone):
		return ChangedAnswer{}, errors.New("since: this cursor is not of this log, or what follows it is no longer kept: " +
			"ask again without since, or with a day")
	case errors.Is(err, context.Canceled):
		return ChangedAnswer{}, err
	case err != nil:
		return ChangedAnswer{}, errors.New("the change log cannot be read at the moment: try again shortly")
	}
	if !q.From.IsZero() {
		p.Since = page.Since.String()
	}
	answer := ChangedAnswer{Origin: c.origin("/api/v1/changes?" + p.Values().Encode()), Changes: []Change{}, Next: page.Next.String(), More: page.More}
	if begins := catalog.DateOf(page.Begins); begins > catalog.DateOf(q.From) {
		answer.LogBegins = string(begins)
	}
	for _, e := range page.Entries {
		answer.Changes = append(answer.Changes, changeOf(e))
	}
	return answer, nil
}
