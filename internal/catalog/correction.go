package catalog

import "slices"

// A Correction names the earlier moves that the changes of a tool correct. Price or Score is set,
// or both.
type Correction struct {
	Price *PriceMove
	Score *ScoreMove

	// Row replaces Price.Row. It is nil if the row is removed, because the price is again the one
	// before it.
	Row *PriceChange
}

// update returns the number of the tool.updated to correct; 0 for none. If the price and the score
// moved in different entries, it returns that of the score, because the price.changed of the
// correction already names the price's.
func (c Correction) update() int64 {
	switch {
	case c.Score != nil:
		return c.Score.Seq
	case c.Price != nil:
		return c.Price.Update
	default:
		return 0
	}
}

// Correct makes the changes to a tool's price and score a correction of its last moves: they add no
// entry to the price history, and their events name those they correct. It reports whether there
// was anything to correct.
func (c *Changes) Correct(slug string, last LastMoves) bool {
	i := slices.IndexFunc(c.Tools, func(ch Change[*Tool]) bool { return ch.Slug == slug })
	if i < 0 || c.Tools[i].Before() == nil || c.Tools[i].Removed() {
		return false
	}
	old, t := c.Tools[i].Before(), c.Tools[i].New
	var correction Correction
	if old.Score != t.Score {
		correction.Score = last.Score
	}
	if (old.Pricing != t.Pricing || old.Price != t.Price) && last.Price.led(old) {
		correction.Price = last.Price
		t.History = t.History[1:] // without the change of this edition
		if row := last.Price.Row; row != nil {
			t.History = t.History[min(len(t.History), 1):] // a state without history lacks it
			if row.OldPricing != t.Pricing || row.OldPrice != t.Price {
				correction.Row = &PriceChange{row.ChangedAt, row.OldPricing, row.OldPrice, t.Pricing, t.Price}
				t.History = append([]PriceChange{*correction.Row}, t.History...)
			}
		}
	}
	if correction.Price == nil && correction.Score == nil {
		return false
	}
	if c.Corrections == nil {
		c.Corrections = make(map[string]Correction)
	}
	c.Corrections[slug] = correction
	return true
}

// led reports whether the move led to the tool's price. It did not if an older program published in
// between, or if the log lost the entry of the tool's return.
func (m *PriceMove) led(t *Tool) bool {
	return m != nil && (m.Row == nil || m.Row.NewPricing == t.Pricing && m.Row.NewPrice == t.Price)
}

// correctedComparison returns the number of the comparatif.updated that showed a score which these
// changes correct; 0 for none.
func (c Changes) correctedComparison(ch Change[*Comparison]) int64 {
	if ch.Before() == nil || ch.Removed() {
		return 0
	}
	for _, tool := range []string{ch.New.ToolA, ch.New.ToolB} {
		if move := c.Corrections[tool].Score; move != nil {
			for _, slug := range append([]string{ch.Slug}, ch.New.Formerly...) {
				if move.Comparisons[slug] > 0 {
					return move.Comparisons[slug]
				}
			}
		}
	}
	return 0
}
