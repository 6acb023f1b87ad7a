package catalog

import "slices"

// Correct makes what the changes do to the price and the score of a tool a correction of the last
// moves: the price history gets no entry of its own, and the events name those that they correct. It
// reports whether there is anything to correct.
func (c *Changes) Correct(slug string, last LastMoves) bool {
	i := slices.IndexFunc(c.Tools, func(ch Change[*Tool]) bool { return ch.Slug == slug })
	if i < 0 || c.Tools[i].Added() || c.Tools[i].Removed() {
		return false
	}
	old, t := c.Tools[i].Old, c.Tools[i].New
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

// led reports whether the move led to the price of a tool. It does not where an older program published
// in between, or the log lost that the tool came back.
func (m *PriceMove) led(t *Tool) bool {
	return m != nil && (m.Row == nil || m.Row.NewPricing == t.Pricing && m.Row.NewPrice == t.Price)
}

// correctedComparison is the number of the comparatif.updated that showed a score of one of the tools
// which is corrected now.
func (c Changes) correctedComparison(ch Change[*Comparison]) int64 {
	if ch.Added() || ch.Removed() {
		return 0
	}
	for _, slug := range []string{ch.New.ToolA, ch.New.ToolB} {
		if move := c.Corrections[slug].Score; move != nil && move.Comparisons[ch.Slug] > 0 {
			return move.Comparisons[ch.Slug]
		}
	}
	return 0
}
