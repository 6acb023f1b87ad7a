package catalog

import (
	"bytes"
	"slices"
)

// An EventType names what happened to an item.
type EventType string

// The events of the log.
const (
	ToolCreated           EventType = "tool.created"
	ToolUpdated           EventType = "tool.updated"
	ToolRetired           EventType = "tool.retired"
	ToolRemoved           EventType = "tool.removed" // taken out without being retired
	PriceChanged          EventType = "price.changed"
	ComparisonPublished   EventType = "comparatif.published"
	ComparisonUpdated     EventType = "comparatif.updated"
	ComparisonUnpublished EventType = "comparatif.unpublished"
	EmbeddingsUpdated     EventType = "embeddings.updated"
)

// An Event is one entry of the append-only log of what was published. Object is
// the item as the API shows it, Previous what it was before, both JSON; either may
// be empty.
type Event struct {
	Type       EventType
	Slug       string
	Categories []string
	Object     []byte
	Previous   []byte
}

// Events lists what the changes mean to those who follow the catalog. A change that
// shows in nothing an event has, as the second edit of a day may be (the first had the
// new date to show), is none.
func (c Changes) Events() []Event {
	var events []Event
	buried := make(map[string]*Retired)
	for _, ch := range c.Retired {
		if ch.Added() {
			buried[ch.Slug] = ch.New
		}
	}
	for _, ch := range c.Tools {
		events = append(events, c.toolEvents(ch, buried[ch.Slug])...)
	}
	for _, ch := range c.Comparisons {
		events = append(events, c.comparisonEvent(ch))
	}
	return slices.DeleteFunc(events, func(e Event) bool { return bytes.Equal(e.Object, e.Previous) })
}

func (c Changes) toolEvents(ch Change[*Tool], grave *Retired) []Event {
	event := func(t EventType, object, previous []byte) Event {
		e := Event{Type: t, Slug: ch.Slug, Object: object, Previous: previous}
		for _, tool := range []*Tool{ch.New, ch.Old} {
			if tool != nil && !slices.Contains(e.Categories, tool.Category) {
				e.Categories = append(e.Categories, tool.Category)
			}
		}
		return e
	}
	var events []Event
	switch {
	case ch.Removed() && grave != nil:
		events = append(events, event(ToolRetired, encodeRetired(grave), encodeTool(c.oldService, ch.Old)))
	case ch.Removed():
		events = append(events, event(ToolRemoved, nil, encodeTool(c.oldService, ch.Old)))
	case ch.Added():
		events = append(events, event(ToolCreated, encodeTool(c.Service, ch.New), nil))
	case ch.Visible:
		events = append(events, event(ToolUpdated, encodeTool(c.Service, ch.New), encodeTool(c.oldService, ch.Old)))
		if ch.Old.Pricing != ch.New.Pricing || ch.Old.Price != ch.New.Price {
			events = append(events, event(PriceChanged, encodePriceItem(ch.New), encodePriceItem(ch.Old)))
		}
	}
	if before, after := vectors(ch.Old), vectors(ch.New); before != after {
		events = append(events, event(EmbeddingsUpdated, encodeVectors(ch.New), encodeVectors(ch.Old)))
	}
	return events
}

// vectors is the hash of a tool's chunks, or "" outside the embeddings set.
func vectors(t *Tool) string {
	if t == nil || !t.Embedded {
		return ""
	}
	return t.Review.Hash
}

// encodeVectors says which chunks a tool has, without their texts: an event must
// stay small, and the embeddings operation has the rest.
func encodeVectors(t *Tool) []byte {
	if vectors(t) == "" {
		return nil
	}
	o := newObject()
	o.string("slug", t.Slug)
	o.string("name", t.Name)
	o.string("hash", t.Review.Hash)
	o.string("updated_at", string(t.UpdatedAt))
	return o.close()
}

func (c Changes) comparisonEvent(ch Change[*Comparison]) Event {
	e := Event{Slug: ch.Slug}
	show := func(s Service, x *Comparison, tools map[string]*Tool) []byte {
		if x == nil {
			return nil
		}
		m := matchup{x, tools[x.ToolA], tools[x.ToolB]}
		for _, t := range []*Tool{m.a, m.b} {
			if !slices.Contains(e.Categories, t.Category) {
				e.Categories = append(e.Categories, t.Category)
			}
		}
		o := newObject()
		o.string("slug", m.Slug)
		o.string("title", m.Title)
		o.raw("tool_a", encodeCompared(m.a))
		o.raw("tool_b", encodeCompared(m.b))
		o.string("winner", m.winner())
		o.string("winner_note", m.Note)
		o.string("updated_at", string(m.UpdatedAt))
		o.string("canonical_url", expand(s.Site.Comparison, m.Slug))
		return o.close()
	}
	e.Object = show(c.Service, ch.New, c.newTools)
	e.Previous = show(c.oldService, ch.Old, c.oldTools)
	switch {
	case ch.Added():
		e.Type = ComparisonPublished
	case ch.Removed():
		e.Type = ComparisonUnpublished
	default:
		e.Type = ComparisonUpdated
	}
	return e
}

// encodeCompared is encodeContender with the slug: who follows the catalog must know
// which tool it is, and names are not unique.
func encodeCompared(t *Tool) []byte {
	o := newObject()
	o.string("slug", t.Slug)
	o.string("name", t.Name)
	o.measure("score", t.Score)
	return o.close()
}
