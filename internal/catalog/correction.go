package catalog

import "slices"

// A Correction is what the changes of a tool correct. At least one of its fields is set.
type Correction struct {
	Price *PriceMove
	Score *ScoreMove

	// Row replaces Price.Row. It is nil if the row is removed, because the price is again the one
	// before it.
	Row *PriceChange
}

// update returns the number of the tool.updated that a correction takes back. If one moved the
// price and another the score, it is that of the score: the price.changed of the correction names
// the other.
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

// Correct turns the changes to the price and the score of a tool into a correction of its last
// moves: the price history gets no entry of its own, and the events name those they correct. It
// reports whether there is anything to correct.
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
			t.History = t.History[min(len(t.History), 1):] // which a state without history does not have
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

// led reports whether the move led to the price of a tool. It did not if an older program published
// in between, or if the log lost that the tool came back.
func (m *PriceMove) led(t *Tool) bool {
	return m != nil && (m.Row == nil || m.Row.NewPricing == t.Pricing && m.Row.NewPrice == t.Price)
}

// correctedComparison returns the number of the comparatif.updated that showed a tool's score which
// is now corrected; 0 for none.
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
