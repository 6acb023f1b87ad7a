package figures

import (
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// PriceSteps are the prices that a tool had for a day at least, each different from the one before.
func PriceSteps(t *catalog.Tool) []catalog.PriceStep {
	var kept []catalog.PriceStep
	steps := t.PriceSteps()
	for i, s := range steps {
		again := len(kept) > 0 && kept[len(kept)-1].Price == s.Price && kept[len(kept)-1].Pricing == s.Pricing
		if again || i+1 < len(steps) && steps[i+1].Since == s.Since {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// FollowedFrom is the day from which the first price of a tool is drawn: when it entered the
// catalog, or a while before its first change where the change log no longer tells.
func (f *Figures) FollowedFrom(slug string, firstChange catalog.Date) catalog.Date {
	if created := f.ToolLogs[slug].Created; created != "" && created < firstChange {
		return created
	}
	const least = 30 * 24 * time.Hour
	first := firstChange.Time()
	return catalog.DateOf(first.Add(-max(f.Today.Time().Sub(first)/8, least)))
}
