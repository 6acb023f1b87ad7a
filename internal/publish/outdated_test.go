package publish_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// translate writes a text of every kind in both languages; by is the end of each in French.
func (d *desk) translate(by string) {
	d.write("categories.yaml", fmt.Sprintf("- slug: code\n  label: {fr: Code%s, en: Programming}\n", by))
	d.write("tools/outil-0.md", fmt.Sprintf(`---
name: Zéro
domain: zero.example
category: code
icp: mixte
pricing: payant
price: 10 €/mois
score: 7.5
tagline: {fr: Un outil%s, en: A tool}
obsolescence: 2
tier: 3
mainstream: false
---
Un avis%s.

## Prix

Dix euros.
`, by, by))
	d.write("tools/outil-0.en.md", "A review.\n\n## Price\n\nTen euros.\n")
	d.write("comparatifs/duel.md", fmt.Sprintf(`---
title: {fr: Zéro ou Un%s, en: Zero or One}
tool_a: outil-0
tool_b: outil-1
winner: outil-0
status: published
---
Plus juste%s.
`, by, by))
	d.write("comparatifs/duel.en.md", "Closer to the truth.\n")
	d.write("cimetiere/feu.md", fmt.Sprintf("---\nname: Feu\ncategory: code\nreason: mort\nretired_at: 2026-02-28\n---\nFermé%s.\n", by))
	d.write("cimetiere/feu.en.md", "Closed.\n")
}

func lines(faults []content.Fault) string {
	var all []string
	for _, f := range faults {
		all = append(all, f.String())
	}
	return strings.Join(all, "\n")
}

// A publication warns of the English that the French leaves behind, also in a dry run, once.
func TestOutdatedEnglishIsAWarning(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	d.translate("")
	out := d.publish(publish.Options{})
	testkit.Equal(t, "the first publication", lines(out.Warnings), "")
	if !slices.ContainsFunc(out.Changes.FileChanges, func(f catalog.FileChange) bool { return f.Path == "tools/outil-0.en.md" }) {
		t.Errorf("the files: %+v", out.Changes.FileChanges)
	}

	d.now = d.now.AddDate(0, 0, 1)
	d.translate(" !")
	const says = ": translate the change; until then pages say that it is of an earlier version"
	want := strings.Join([]string{
		`categories.yaml:1:1: warning: the French changes and its label in English, of "code", does not` + says,
		`tools/outil-0.md:1:1: warning: the French changes and its tagline in English does not` + says,
		`tools/outil-0.en.md:1:1: warning: the French changes and this text does not` + says,
		`comparatifs/duel.md:1:1: warning: the French changes and its title in English does not` + says,
		`comparatifs/duel.en.md:1:1: warning: the French changes and this text does not` + says,
		`cimetiere/feu.en.md:1:1: warning: the French changes and this text does not` + says,
	}, "\n")
	testkit.Equal(t, "a dry run", lines(d.publish(publish.Options{DryRun: true}).Warnings), want)
	testkit.Equal(t, "the publication", lines(d.publish(publish.Options{}).Warnings), want)
	c, _ := d.published()
	testkit.Equal(t, "the review is outdated", c.Tools[0].English.Review.Outdated(c.Tools[0].Review.Markdown), true)

	d.now = d.now.AddDate(0, 0, 1)
	out = d.publish(publish.Options{})
	testkit.Equal(t, "the same again", lines(out.Warnings), "")
	testkit.Equal(t, "no edition", out.Written(), false)

	// English alone makes an edition, and neither an event nor a date.
	d.write("tools/outil-0.en.md", "A review!\n\n## Price\n\nTen euros.\n")
	out = d.publish(publish.Options{})
	testkit.Equal(t, "the warnings", lines(out.Warnings), "")
	testkit.Equal(t, "the events", len(out.Changes.Events()), 0)
	testkit.Equal(t, "an edition", out.Written(), true)
	c, _ = d.published()
	testkit.Equal(t, "the date", c.Tools[0].UpdatedAt, catalog.Date("2026-03-02"))
	testkit.Equal(t, "the review is outdated", c.Tools[0].English.Review.Outdated(c.Tools[0].Review.Markdown), false)
	testkit.Equal(t, "the tagline is outdated", c.Tools[0].English.Tagline.Outdated(c.Tools[0].Tagline), true)

	// Other bytes that say the same are no edition, and are read no more.
	d.write("cimetiere/feu.en.md", "Closed.\r\n")
	out = d.publish(publish.Options{})
	testkit.Equal(t, "an edition of other bytes", out.Written(), false)
	out = d.publish(publish.Options{})
	testkit.Equal(t, "files decoded", out.Decoded, 2)

	// What goes is gone, and with the French of before it is in step again.
	d.remove("tools/outil-0.en.md")
	d.translate("")
	d.remove("tools/outil-0.en.md")
	testkit.Equal(t, "back", lines(d.publish(publish.Options{AllowStale: true}).Warnings), "")
	c, _ = d.published()
	testkit.Equal(t, "the English", fmt.Sprint(c.Tools[0].English.Review.Exists(), c.Tools[0].English.Tagline.Outdated(c.Tools[0].Tagline)), "false false")
}

// A publication warns of a price or a score that changes while the day of its check stays.
func TestUncheckedValueIsAWarning(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	write := func(price, score, checked string) {
		d.write("tools/outil-0.md", fmt.Sprintf(`---
name: Zéro
domain: zero.example
category: code
icp: mixte
pricing: payant
price: %s
score: %s
tagline: Un outil
obsolescence: 2
tier: 3
mainstream: false
sources:
  price: {url: https://zero.example/prix, checked: %s}
---
`, price, score, checked))
	}
	write("10 €/mois", "7.5", "2026-01-10")
	testkit.Equal(t, "the first publication", lines(d.publish(publish.Options{}).Warnings), "")

	d.now = d.now.AddDate(0, 0, 1)
	write("11 €/mois", "7.6", "2026-01-10") // the score has no source to look at
	const want = "tools/outil-0.md:1:1: warning: price changes, and its source is still that of 2026-01-10: " +
		"look at the source again and move checked, or correct the value"
	testkit.Equal(t, "a dry run", lines(d.publish(publish.Options{DryRun: true}).Warnings), want)
	write("11 €/mois", "7.6", "2026-01-11")
	out := d.publish(publish.Options{})
	testkit.Equal(t, "with another check", lines(out.Warnings), "")

	updated := out.Changes.Tools[0].New.UpdatedAt
	d.now = d.now.AddDate(0, 0, 1)
	write("11 €/mois", "7.6", "2026-01-12")
	out = d.publish(publish.Options{})
	testkit.Equal(t, "a check alone", fmt.Sprint(lines(out.Warnings), out.Changes.Tools[0].Fields, len(out.Changes.Events())),
		"[{sources.price.checked 2026-01-11 2026-01-12}] 0")
	testkit.Equal(t, "updated_at", out.Changes.Tools[0].New.UpdatedAt, updated)
}
