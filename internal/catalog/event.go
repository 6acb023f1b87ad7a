package catalog

import (
	"bytes"
	"cmp"
	"slices"
)

// Events returns the events of the changes. A change whose Object equals its Previous has none: if
// all that the API shows of an edit is its date, a second edit on the same day has no event.
func (c Changes) Events() []Event {
	events := []Event{c.catalogEvent()} // first: the others may be in a new category
	retired, revived := make(map[string]*Retired), make(map[string]*Retired)
	for _, ch := range c.Retired {
		if ch.Added() {
			retired[ch.Slug] = ch.New
		}
		if ch.Removed() {
			revived[ch.RenamedTo] = ch.Old // if it is a tool now
		}
	}
	for _, ch := range c.Tools {
		switch {
		case !ch.Removed():
			events = append(events, c.toolEvents(ch, nil, revived[ch.Slug])...)
		case ch.RenamedTo == "":
			events = append(events, c.toolEvents(ch, retired[ch.Slug], nil)...)
		case retired[ch.RenamedTo] != nil:
			events = append(events, c.renamedAndRetired(ch, retired[ch.RenamedTo])...)
		default: // reported with its new slug
		}
	}
	for _, ch := range c.Comparisons {
		events = append(events, c.comparisonEvents(ch)...)
	}
	for _, ch := range c.Retired {
		toldByTool := ch.Added() && c.oldTools[cmp.Or(ch.RenamedFrom, ch.Slug)] != nil && c.newTools[ch.Slug] == nil
		switch {
		case toldByTool || ch.Removed() && ch.RenamedTo != "":
		case ch.Former != nil:
			events = append(events, renamedEvents(cemeteryKind, ch.Former.Slug, cemeteryEvent(Change[*Retired]{Slug: ch.Slug, Old: ch.Former, New: ch.New}))...)
		default:
			events = append(events, cemeteryEvent(ch))
		}
	}
	return slices.DeleteFunc(events, func(e Event) bool { return bytes.Equal(e.Object, e.Previous) })
}

// renameTypes are the event types of a rename, and of the removal and creation that follow it for
// clients that do not know renames.
type renameTypes struct{ renamed, removed, created EventType }

var (
	toolKind       = renameTypes{ToolRenamed, ToolRemoved, ToolCreated}
	comparisonKind = renameTypes{ComparisonRenamed, ComparisonUnpublished, ComparisonPublished}
	cemeteryKind   = renameTypes{CemeteryRenamed, CemeteryRemoved, CemeteryAdded}
)

// renamedEvents returns the three events of a rename. e holds the item before and after.
func renamedEvents(types renameTypes, from string, e Event) []Event {
	renamed, removed, created := e, e, e
	renamed.Type, renamed.RenamedFrom, renamed.RenamedTo = types.renamed, from, e.Slug
	removed.Type, removed.Slug, removed.RenamedTo = types.removed, from, e.Slug
	removed.Object, removed.Correction = nil, 0
	created.Type, created.RenamedFrom = types.created, from
	created.Previous, created.Correction = nil, 0
	return []Event{renamed, removed, created}
}

// renamedAndRetired returns the events of a tool retired under another slug: it is renamed, then
// retired.
func (c Changes) renamedAndRetired(ch Change[*Tool], retired *Retired) []Event {
	between := *ch.Old
	between.Slug = retired.Slug
	return slices.Concat(
		c.toolEvents(Change[*Tool]{Slug: between.Slug, New: &between, Former: ch.Old, RenamedFrom: ch.Slug}, nil, nil),
		c.toolEvents(Change[*Tool]{Slug: between.Slug, Old: &between}, retired, nil))
}

// toolEvents returns the events of a tool. retired is the retired tool that it becomes; revived is
// the retired tool that it was, under another slug. Both may be nil.
func (c Changes) toolEvents(ch Change[*Tool], retired, revived *Retired) []Event {
	event := func(t EventType, object, previous []byte) Event {
		e := Event{Type: t, Slug: ch.Slug, Object: object, Previous: previous}
		for _, tool := range []*Tool{ch.New, ch.Before()} {
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
	case revived != nil: // renamed, then living again
		between := *revived
		between.Slug = ch.Slug
		events = renamedEvents(cemeteryKind, revived.Slug, cemeteryEvent(Change[*Retired]{Slug: ch.Slug, Old: revived, New: &between}))
		events = append(events, event(ToolCreated, encodeTool(c.Service, ch.New), nil), cemeteryEvent(Change[*Retired]{Slug: ch.Slug, Old: &between}))
	case ch.Former != nil:
		update := event(ToolRenamed, encodeTool(c.Service, ch.New), encodeTool(c.oldService, ch.Former))
		update.Correction = correction.update()
		events = append(renamedEvents(toolKind, ch.Former.Slug, update), c.priceEvents(ch, event)...)
	case ch.Added():
		events = append(events, event(ToolCreated, encodeTool(c.Service, ch.New), nil))
	case ch.Visible:
		update := event(ToolUpdated, encodeTool(c.Service, ch.New), encodeTool(c.oldService, ch.Old))
		update.Correction = correction.update()
		events = append(events, update)
		events = append(events, c.priceEvents(ch, event)...)
	}
	if !ch.Removed() { // a tool that is gone has ended
		var was Tool
		if before := ch.Before(); before != nil {
			was = *before
		}
		// A client that removed a renamed tool's old slug also removed what was announced of it.
		announced := func(e Event, changed, known bool) {
			switch {
			case changed:
				events = append(events, e)
			case ch.Former != nil && known:
				e.RenamedFrom = ch.Former.Slug
				events = append(events, e)
			}
		}
		announced(event(PriceAnnounced, encodeNextPrice(ch.New), encodeNextPrice(ch.Before())), was.Next != ch.New.Next, ch.New.Next.Announced())
		announced(event(ToolEnding, encodeEnding(ch.New), encodeEnding(ch.Before())), was.Ending != ch.New.Ending, ch.New.Ending.Announced())
	}
	if before, after := vectors(ch.Before()), vectors(ch.New); before != after {
		events = append(events, event(EmbeddingsUpdated, encodeVectors(ch.New), encodeVectors(ch.Before())))
	}
	return events
}

// priceEvents returns the price.changed event, or nil if the price did not change.
func (c Changes) priceEvents(ch Change[*Tool], event func(t EventType, object, previous []byte) Event) []Event {
	before := ch.Before()
	if before.Pricing == ch.New.Pricing && before.Price == ch.New.Price {
		return nil
	}
	price := event(PriceChanged, encodePriceItem(ch.New), encodePriceItem(before))
	if move := c.Corrections[ch.Slug].Price; move != nil {
		price.Correction = move.Seq
	}
	return []Event{price}
}

// vectors returns the hash of a tool's chunks; "" for nil and for a tool outside the embeddings
// set.
func vectors(t *Tool) string {
	if t == nil || !t.Embedded {
		return ""
	}
	return t.Review.Hash
}

// encodeVectors returns the hash of a tool's chunks without their texts: an event must stay small,
// and the embeddings operation has the rest.
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

func (c Changes) comparisonEvents(ch Change[*Comparison]) []Event {
	if ch.Removed() && ch.RenamedTo != "" {
		return nil // reported with its new slug
	}
	e := Event{Slug: ch.Slug, Correction: c.correctedComparison(ch)}
	show := func(s Service, x *Comparison, tools map[string]*Tool) []byte {
		if x == nil {
			return nil
		}
		m := ComparisonWithTools{x, tools[x.ToolA], tools[x.ToolB]}
		for _, t := range []*Tool{m.A, m.B} {
			if !slices.Contains(e.Categories, t.Category) {
				e.Categories = append(e.Categories, t.Category)
			}
		}
		return encodeLoggedComparison(s, m)
	}
	e.Object = show(c.Service, ch.New, c.newTools)
	e.Previous = show(c.oldService, ch.Before(), c.oldTools)
	switch {
	case ch.Former != nil:
		return renamedEvents(comparisonKind, ch.Former.Slug, e)
	case ch.Added():
		e.Type = ComparisonPublished
	case ch.Removed():
		e.Type = ComparisonUnpublished
	default:
		e.Type = ComparisonUpdated
	}
	return []Event{e}
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

// catalogEvent returns the event of the catalog itself. It belongs to all categories, old and new.
func (c Changes) catalogEvent() Event {
	e := Event{Type: CatalogUpdated, Slug: CatalogSlug, Object: encodeCatalog(c.Service, c.Categories)}
	if c.oldService != (Service{}) { // there was an edition before: every service has a name
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

// LogEntries returns the log entries that an edition adds after number last.
func (c Changes) LogEntries(e Edition, last int64) []*LogEntry {
	events := c.Events()
	entries := make([]*LogEntry, len(events))
	for i, event := range events {
		entries[i] = &LogEntry{Seq: last + int64(i) + 1, Edition: e.Number, EditionID: e.ID, At: e.PublishedAt, Event: event}
	}
	return entries
}
