package catalog

import (
	"bytes"
	"slices"
)

// Events lists the events of the changes. A change that shows in neither Object nor Previous makes
// none: the second edit of a day may be such a change, for its date is that of the first.
func (c Changes) Events() []Event {
	events := []Event{c.catalogEvent()} // first: what follows may be in a category that is new
	retired := make(map[string]*Retired)
	for _, ch := range c.Retired {
		if ch.Added() {
			retired[ch.Slug] = ch.New
		}
	}
	for _, ch := range c.Tools {
		events = append(events, c.toolEvents(ch, retired[ch.Slug])...)
	}
	for _, ch := range c.Comparisons {
		events = append(events, c.comparisonEvent(ch))
	}
	for _, ch := range c.Retired {
		if !ch.Added() || c.oldTools[ch.Slug] == nil || c.newTools[ch.Slug] != nil { // else tool.retired tells it
			events = append(events, cemeteryEvent(ch))
		}
	}
	return slices.DeleteFunc(events, func(e Event) bool { return bytes.Equal(e.Object, e.Previous) })
}

func (c Changes) toolEvents(ch Change[*Tool], retired *Retired) []Event {
	event := func(t EventType, object, previous []byte) Event {
		e := Event{Type: t, Slug: ch.Slug, Object: object, Previous: previous}
		for _, tool := range []*Tool{ch.New, ch.Old} {
			if tool != nil && !slices.Contains(e.Categories, tool.Category) {
				e.Categories = append(e.Categories, tool.Category)
			}
		}
		return e
	}
	correction := c.Corrections[ch.Slug]
	var events []Event
	switch {
	case ch.Removed() && retired != nil:
		events = append(events, event(ToolRetired, encodeRetired(retired), encodeTool(c.oldService, ch.Old)))
	case ch.Removed():
		events = append(events, event(ToolRemoved, nil, encodeTool(c.oldService, ch.Old)))
	case ch.Added():
		events = append(events, event(ToolCreated, encodeTool(c.Service, ch.New), nil))
	case ch.Visible:
		update := event(ToolUpdated, encodeTool(c.Service, ch.New), encodeTool(c.oldService, ch.Old))
		update.Correction = correction.update()
		events = append(events, update)
		if ch.Old.Pricing != ch.New.Pricing || ch.Old.Price != ch.New.Price {
			price := event(PriceChanged, encodePriceItem(ch.New), encodePriceItem(ch.Old))
			if correction.Price != nil {
				price.Correction = correction.Price.Seq
			}
			events = append(events, price)
		}
	}
	if !ch.Removed() && ending(ch.Old) != ch.New.Ending { // a tool that is gone has ended
		events = append(events, event(ToolEnding, encodeEnding(ch.New), encodeEnding(ch.Old)))
	}
	if before, after := vectors(ch.Old), vectors(ch.New); before != after {
		events = append(events, event(EmbeddingsUpdated, encodeVectors(ch.New), encodeVectors(ch.Old)))
	}
	return events
}

func ending(t *Tool) Ending {
	if t == nil {
		return Ending{}
	}
	return t.Ending
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
	e := Event{Slug: ch.Slug, Correction: c.correctedComparison(ch)}
	show := func(s Service, x *Comparison, tools map[string]*Tool) []byte {
		if x == nil {
			return nil
		}
		m := Matchup{x, tools[x.ToolA], tools[x.ToolB]}
		for _, t := range []*Tool{m.A, m.B} {
			if !slices.Contains(e.Categories, t.Category) {
				e.Categories = append(e.Categories, t.Category)
			}
		}
		return encodeLoggedComparison(s, m)
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

func cemeteryEvent(ch Change[*Retired]) Event {
	e := Event{Type: CemeteryUpdated, Slug: ch.Slug}
	for _, r := range []*Retired{ch.New, ch.Old} {
		if r != nil && !slices.Contains(e.Categories, r.Category) {
			e.Categories = append(e.Categories, r.Category)
		}
	}
	if ch.Added() {
		e.Type = CemeteryAdded
	} else {
		e.Previous = encodeRetired(ch.Old)
	}
	if ch.Removed() {
		e.Type = CemeteryRemoved
	} else {
		e.Object = encodeRetired(ch.New)
	}
	return e
}

// catalogEvent tells of the catalog itself. It belongs to all categories, those before and those after.
func (c Changes) catalogEvent() Event {
	e := Event{Type: CatalogUpdated, Slug: CatalogSlug, Object: encodeCatalog(c.Service, c.Categories)}
	if c.oldService != (Service{}) { // there was an edition: no service is without a name
		e.Previous = encodeCatalog(c.oldService, c.oldCategories)
	}
	for _, category := range slices.Concat(c.Categories, c.oldCategories) {
		if !slices.Contains(e.Categories, category.Slug) {
			e.Categories = append(e.Categories, category.Slug)
		}
	}
	return e
}

func encodeCatalog(s Service, categories []Category) []byte {
	o := newObject()
	o.string("name", s.Name)
	o.string("url", s.URL)
	o.raw("categories", appendArray(nil, categories, func(b []byte, c Category) []byte {
		e := newObject()
		e.string("slug", c.Slug)
		e.string("label", c.Label)
		return append(b, e.close()...)
	}))
	return o.close()
}

// LogEntries are the entries of the change log that an edition adds after entry number last.
func (c Changes) LogEntries(e Edition, last int64) []*LogEntry {
	events := c.Events()
	entries := make([]*LogEntry, len(events))
	for i, event := range events {
		entries[i] = &LogEntry{Seq: last + int64(i) + 1, Edition: e.Number, EditionID: e.ID, At: e.PublishedAt, Event: event}
	}
	return entries
}
