package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// amend applies corrections to the changes, and then checks the days since which prices are stated: a correction may move
// what came before.
func amend(ctx context.Context, past catalog.Past, c *catalog.Changes, next *catalog.Contents, slugs []string) error {
	if err := correct(ctx, past, c, next, slugs); err != nil {
		return err
	}
	return stated(ctx, past, *c)
}

// stated returns a *FaultsError for prices whose since is not that of the price: it is the same as that of the price
// before, or not after the day on which that one began.
func stated(ctx context.Context, past catalog.Past, c catalog.Changes) error {
	var asked []catalog.Bearer
	var faults []content.Fault
	fault := func(slug, message string) {
		faults = append(faults, content.Fault{File: pathOf(toolsFolder, slug), Line: 1, Column: 1, Message: message})
	}
	replaces := func(ch catalog.Change[*catalog.Tool]) bool { // and does not correct
		before := ch.Before()
		return before == nil || (before.Pricing != ch.New.Pricing || before.Price != ch.New.Price) && c.Corrections[ch.Slug].Price == nil
	}
	for _, ch := range c.Tools {
		switch before := ch.Before(); {
		case ch.Removed() || ch.New.Since == "":
		case before != nil && before.Since == ch.New.Since && replaces(ch):
			fault(ch.Slug, fmt.Sprintf("the price changes, and since is still %s: write since when the new one is true, or remove the line", ch.New.Since))
		case before == nil || before.Since != ch.New.Since:
			asked = append(asked, catalog.Bearer{Slug: ch.Slug, Formerly: ch.New.Formerly})
		}
	}
	if len(asked) > 0 {
		histories, err := past.Histories(ctx, asked)
		if err != nil {
			return err
		}
		for _, ch := range c.Tools {
			if !slices.ContainsFunc(asked, func(b catalog.Bearer) bool { return b.Slug == ch.Slug }) {
				continue
			}
			if from := previousFrom(histories[ch.Slug], replaces(ch)); from != "" && ch.New.Since <= from {
				fault(ch.Slug, fmt.Sprintf("since %s is not after %s, when the price before began: write a later day, or remove the line", ch.New.Since, from))
			}
		}
	}
	if len(faults) > 0 {
		return &FaultsError{faults}
	}
	return nil
}

// previousFrom returns the day on which the price before the one that is published began; "" if there is none or it is
// not known. added reports whether the published price comes after those of the history.
func previousFrom(h catalog.History, added bool) catalog.Date {
	var prices []catalog.Interval // the newest first
	for _, i := range h.Intervals() {
		if i.Field == catalog.PriceHistory {
			prices = append(prices, i)
		}
	}
	if !added && len(prices) > 0 {
		prices = prices[1:]
	}
	if len(prices) == 0 {
		return ""
	}
	return prices[0].From
}
