package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// CorrectionError says why tools cannot be corrected, one line for each.
type CorrectionError struct{ Reasons []string }

func (e *CorrectionError) Error() string { return strings.Join(e.Reasons, "\n") }

// correct turns the changes of the named tools into corrections of their last price and score changes. It
// returns a *CorrectionError if a tool cannot be corrected.
func correct(ctx context.Context, past catalog.Past, c *catalog.Changes, next *catalog.Contents, slugs []string) error {
	if len(slugs) == 0 {
		return nil
	}
	slugs = slices.Clone(slugs)
	slices.Sort(slugs)
	slugs = slices.Compact(slugs)
	bearers := make([]catalog.Bearer, len(slugs))
	for i, slug := range slugs {
		bearers[i].Slug = slug
		if at := slices.IndexFunc(next.Tools, func(t *catalog.Tool) bool { return t.Slug == slug }); at >= 0 {
			bearers[i].Formerly = next.Tools[at].Formerly
		}
	}
	moves, err := past.LastMoves(ctx, bearers)
	if err != nil {
		return err
	}
	var refused CorrectionError
	for _, slug := range slugs {
		switch {
		case !slices.ContainsFunc(next.Tools, func(t *catalog.Tool) bool { return t.Slug == slug }):
			refused.Reasons = append(refused.Reasons, fmt.Sprintf("%s: there is no such tool", slug))
		case !slices.ContainsFunc(c.Tools, func(ch catalog.Change[*catalog.Tool]) bool { return ch.Slug == slug && moved(ch) }):
			refused.Reasons = append(refused.Reasons, fmt.Sprintf(
				"%s: neither its price nor its score changes, so there is nothing to correct: write the right one into tools/%s.md first",
				slug, slug))
		case !c.Correct(slug, moves[slug]):
			refused.Reasons = append(refused.Reasons, fmt.Sprintf(
				"%s: nothing tells how it came to the price or the score that it has, so there is nothing to correct: publish it without --correct",
				slug))
		}
	}
	if len(refused.Reasons) > 0 {
		return &refused
	}
	return nil
}

// moved reports whether a change affects the price, the pricing model or the score of a tool that was published
// before.
func moved(ch catalog.Change[*catalog.Tool]) bool {
	before := ch.Before()
	return before != nil && !ch.Removed() &&
		(before.Pricing != ch.New.Pricing || before.Price != ch.New.Price || before.Score != ch.New.Score)
}

// corrections prints what the corrections do to the price history and the scores.
func corrections(p printer, c catalog.Changes) {
	if len(c.Corrections) == 0 {
		return
	}
	fmt.Fprintf(p, "%s\n", p.paint(bold, "Corrections"))
	for _, ch := range c.Tools {
		correction, found := c.Corrections[ch.Slug]
		if !found {
			continue
		}
		if move := correction.Price; move != nil {
			line := fmt.Sprintf("its first price becomes %s, and the history stays as it is", offer(ch.New.Pricing, ch.New.Price, false))
			if row := move.Row; row != nil {
				models := row.OldPricing != row.NewPricing || row.OldPricing != ch.New.Pricing
				before := offer(row.OldPricing, row.OldPrice, models)
				line = fmt.Sprintf("%s, %s → %s ", row.ChangedAt, before, offer(row.NewPricing, row.NewPrice, models))
				if correction.Row != nil {
					line += fmt.Sprintf("becomes %s → %s", before, p.paint(cyan, offer(ch.New.Pricing, ch.New.Price, models)))
				} else {
					line += p.paint(cyan, "goes from the history")
				}
			}
			fmt.Fprintf(p, "  %s  price: %s (event %d)\n", ch.Slug, line, move.Seq)
		}
		if move := correction.Score; move != nil {
			fmt.Fprintf(p, "  %s  score: %s becomes %s (event %d)\n", ch.Slug,
				orNone(ch.Before().Score.String(), "none"), p.paint(cyan, orNone(ch.New.Score.String(), "none")), move.Seq)
		}
	}
}

// offer formats a price, with its pricing model if models is set.
func offer(pricing catalog.Pricing, price string, models bool) string {
	if models {
		return string(pricing) + " " + price
	}
	return price
}
