package catalog

import (
	"slices"
	"strings"
)

// Histories are those of tools by slug, while log entries are recorded in them.
type Histories map[string][]HistoryRow

// Record adds log entries, oldest first. It does what a function of the database does for published editions
// (record_history), for catalogs that are in no database.
//
// A tool that is removed without being retired leaves nothing: the next tool with its slug begins empty. A renamed
// tool keeps its history, and so does a retired one that returns. A correction replaces the last value.
func (h Histories) Record(entries []*LogEntry) error {
	for _, e := range entries {
		if !strings.HasPrefix(string(e.Type), "tool.") && !strings.HasPrefix(string(e.Type), "cimetiere.") && e.Type != PriceChanged || e.Repeats() {
			continue
		}
		was, is, err := e.Items()
		if err != nil {
			return err
		}
		h.record(e, was, is)
	}
	return nil
}

func (h Histories) record(e *LogEntry, was, is LoggedItem) {
	day := DateOf(e.At)
	switch e.Type {
	case ToolRenamed, CemeteryRenamed:
		h[e.Slug] = h[e.RenamedFrom]
		delete(h, e.RenamedFrom)
	case ToolRemoved:
		delete(h, e.Slug)
	case CemeteryRemoved:
		if life := h.life(e.Slug); life == nil || life.Until != "" { // else the tool has just returned
			delete(h, e.Slug)
		}
	case ToolCreated:
		h.add(e.Slug, HistoryRow{Field: LifeHistory, Day: day})
		h.add(e.Slug, HistoryRow{Field: PriceHistory, Day: day, Pricing: is.Pricing, Price: is.Price})
		if is.Score.Known {
			h.add(e.Slug, HistoryRow{Field: ScoreHistory, Day: day, Score: is.Score})
		}
	case CemeteryAdded:
		h.add(e.Slug, HistoryRow{Field: LifeHistory, Until: is.RetiredAt})
	default: // the history is all that the other types change
	}
	switch e.Type {
	case ToolRetired, CemeteryUpdated, CemeteryRenamed:
		if life := h.life(e.Slug); life != nil {
			life.Until = is.RetiredAt
		}
	case PriceChanged:
		h.change(e, HistoryRow{Field: PriceHistory, Day: day, Pricing: is.Pricing, Price: is.Price})
	case ToolUpdated, ToolRenamed:
		if was.Score != is.Score {
			h.change(e, HistoryRow{Field: ScoreHistory, Day: day, Score: is.Score})
		}
	default:
	}
}

func (h Histories) add(slug string, r HistoryRow) { h[slug] = append(h[slug], r) }

// life returns the last life of a tool; nil for an unknown tool.
func (h Histories) life(slug string) *HistoryRow {
	for i, r := range slices.Backward(h[slug]) {
		if r.Field == LifeHistory {
			return &h[slug][i]
		}
	}
	return nil
}

// change adds a value or, for a correction, replaces the last one. A correction that returns to the value before the
// last removes the last.
func (h Histories) change(e *LogEntry, r HistoryRow) {
	rows := h[e.Slug]
	var own []int // the values of the field in the present life, newest first
	for i, old := range slices.Backward(rows) {
		if old.Field == LifeHistory {
			break
		}
		if old.Field == r.Field {
			own = append(own, i)
		}
	}
	if e.Correction == 0 || len(own) == 0 {
		h.add(e.Slug, r)
		return
	}
	last := &rows[own[0]]
	r.Day, r.Since, r.Corrected = last.Day, last.Since, true
	*last = r
	if len(own) == 1 {
		return
	}
	if before := &rows[own[1]]; before.Pricing == r.Pricing && before.Price == r.Price && before.Score == r.Score {
		before.Corrected = true
		h[e.Slug] = slices.Delete(rows, own[0], own[0]+1)
	}
}

// State sets the day since which the tool has its present price, as its editors state it; "" for none.
func (h Histories) State(slug string, since Date) {
	for i, r := range slices.Backward(h[slug]) {
		if r.Field == PriceHistory {
			h[slug][i].Since = since
			return
		}
	}
}
