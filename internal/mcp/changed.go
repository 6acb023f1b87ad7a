package mcp

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// ChangedArguments are the arguments of what_changed.
type ChangedArguments struct {
	Since    string  `json:"since,omitempty" jsonschema:"what next said in the last answer; absent for the newest changes"`
	Type     *string `json:"type,omitempty" jsonschema:"the only type of change to list, such as price.changed or tool.retired"`
	Category string  `json:"category,omitempty" jsonschema:"slug of the only category to list"`
	Limit    *int    `json:"limit,omitempty" jsonschema:"number of changes, 1 to 20, 10 if absent"`
}

func narrowChanged(s *jsonschema.Schema) {
	bound(s, "since", maxLength(64))
	bound(s, "category", maxLength(catalog.MaxSlug))
	bound(s, "type", oneOf(webhook.Types()))
	narrowLimit(s)
}

// A Change is an entry of the change log.
type Change struct {
	Seq       int64    `json:"seq"`
	Timestamp string   `json:"timestamp"`
	Type      string   `json:"type"`
	Slug      string   `json:"slug"`
	Changed   []string `json:"changed" jsonschema:"names of the fields that are different; empty where an item came or went"`

	RenamedFrom string `json:"renamed_from,omitempty" jsonschema:"slug that the item had before it was renamed"`
	RenamedTo   string `json:"renamed_to,omitempty" jsonschema:"slug that the item has since it was renamed"`
}

// A ChangedAnswer is the answer of what_changed: a page of the change log.
type ChangedAnswer struct {
	Origin
	Changes []Change `json:"changes" jsonschema:"the oldest first"`
	Next    string   `json:"next" jsonschema:"send it as since to learn what comes after these"`
	More    bool     `json:"more" jsonschema:"there is more after these already"`
}

func whatChanged(c *call, a ChangedArguments) (ChangedAnswer, error) {
	v := url.Values{"limit": {strconv.Itoa(rows(a.Limit))}}
	for name, value := range map[string]string{"since": a.Since, "type": deref(a.Type), "category": a.Category} {
		if value != "" {
			v.Set(name, value)
		}
	}
	p, err := params.ParseChanges(v.Encode())
	if err != nil {
		return ChangedAnswer{}, err
	}
	page, held := changes.FromSnapshot(c.Snapshot, p.Query())
	if !held { // only the database has these entries
		err = limit.Outside(c.ctx, func(ctx context.Context) (err error) {
			page, err = c.changes.Read(ctx, changes.Asker(limit.CallerOf(ctx)), c.Snapshot, p.Query())
			return err
		})
	}
	switch {
	case errors.Is(err, changes.ErrGone):
		return ChangedAnswer{}, errors.New("since: this cursor is not of this log, or what follows it is no longer kept: ask again without since")
	case errors.Is(err, context.Canceled):
		return ChangedAnswer{}, err
	case err != nil:
		return ChangedAnswer{}, errors.New("the change log cannot be read at the moment: try again shortly")
	}
	answer := ChangedAnswer{Origin: c.origin("/api/v1/changes?" + p.Values().Encode()), Changes: []Change{}, Next: page.Next.String(), More: page.More}
	for _, e := range page.Entries {
		change := Change{e.Seq, e.At.UTC().Format(time.RFC3339), string(e.Type), e.Slug, e.Changed(), e.RenamedFrom, e.RenamedTo}
		if change.Changed == nil {
			change.Changed = []string{}
		}
		answer.Changes = append(answer.Changes, change)
	}
	return answer, nil
}
