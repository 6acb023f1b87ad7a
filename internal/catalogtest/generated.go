package catalogtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Generated returns a catalog of n tools, about n/7 comparisons and n/20 retired tools. Equal n
// give equal catalogs. Some tools lack a score, most lack a review, and more than 300 of 10,000
// qualify for the embeddings set.
func Generated(n int) *catalog.Contents {
	c := &catalog.Contents{Service: Service()}
	for _, slug := range []string{"agents", "chat", "code", "image", "video", "voix"} {
		c.Categories = append(c.Categories, catalog.Category{Slug: slug, Label: strings.ToUpper(slug), Synonyms: catalog.Synonyms{French: []string{"banc d’essai " + slug}}})
	}
	for i := range n {
		c.Tools = append(c.Tools, GeneratedTool(i, c.Categories[i%len(c.Categories)].Slug))
		if i%5 == 1 && i+1 < n && c.Tools[i-1].Score.Known && c.Tools[i].Score.Known {
			a, b := c.Tools[i-1], c.Tools[i]
			c.Comparisons = append(c.Comparisons, &catalog.Comparison{
				Slug: a.Slug + "-vs-" + b.Slug, Title: a.Name + " ou " + b.Name,
				ToolA: a.Slug, ToolB: b.Slug, Winner: b.Slug,
				Note: "Plus sûr à l'usage.", Source: "c", UpdatedAt: "2026-01-02", Formerly: []string{a.Slug + "-ou-" + b.Slug},
				English: catalog.ComparisonEnglish{
					Title: catalog.Translation{Text: a.Name + " or " + b.Name, Of: "o"},
					Note:  catalog.Translation{Text: "Safer in use.", Of: "o"}, Source: "c",
				},
			})
		}
		if i%20 == 0 {
			c.Retired = append(c.Retired, &catalog.Retired{
				Slug: fmt.Sprintf("ancien-%05d", i), Name: fmt.Sprintf("Ancien %d", i), Category: "code",
				Reason:    catalog.Reasons()[i/20%len(catalog.Reasons())],
				RetiredAt: catalog.DateOf(time.Date(2025, 1, 1+i%700, 0, 0, 0, 0, time.UTC)),
				Domain:    fmt.Sprintf("ancien-%d.example", i), Packages: []string{fmt.Sprintf("pkg:npm/ancien-%d", i)},
				Note: "Arrêté.", Source: "r", Formerly: []string{fmt.Sprintf("tres-ancien-%d", i)}, Successor: "outil-00000", Facts: catalog.RetiredFacts{RetiredAt: Fact(i)},
				English: catalog.RetiredEnglish{Note: catalog.Translation{Text: "Stopped.", Of: "o"}, Source: "r"},
			})
		}
	}
	c.Sort()
	return c
}

// GeneratedTool returns the ith tool of a generated catalog.
func GeneratedTool(i int, category string) *catalog.Tool {
	t := Tool(fmt.Sprintf("outil-%05d", i), Named(fmt.Sprintf("Outil %d é", i)), In(category), Tier(1+i%40),
		Priced(catalog.Paid, fmt.Sprintf("%d €/mois", 5+i%90)), Tagline("Un outil « d'essai »."))
	t.Domain, t.ICP, t.Mainstream = fmt.Sprintf("outil-%d.example", i), catalog.ICPs()[i%3], i%2 == 0
	t.Score, t.Verifiability, t.Obsolescence = catalog.Measure{}, catalog.Measure{}, catalog.Hundredths(i%1001)
	t.Source, t.UpdatedAt = "t", "2026-01-02"
	if i%5 == 0 {
		t.Tested = catalog.Tested{By: fmt.Sprintf("Testeur %d", i%3), On: catalog.Date(fmt.Sprintf("2025-12-%02d", 1+i%28))}
	}
	if i%4 == 0 {
		t.Packages = []string{fmt.Sprintf("pkg:npm/outil-%d", i), fmt.Sprintf("pkg:pypi/outil-%d", i)}
	}
	if i%6 == 1 {
		t.Keywords = catalog.Synonyms{French: []string{"essai au long cours", fmt.Sprintf("banc %d", i)}, English: []string{"trial"}}
	}
	if i%10 == 3 {
		t.Formerly = []string{fmt.Sprintf("jadis-%d", i), fmt.Sprintf("hier-%d", i)}
	}
	t.Facts = catalog.ToolFacts{Price: Fact(i), Domain: Fact(i + 1)}
	if i%50 == 7 {
		t.Ending = catalog.Ending{At: Fact(i).Checked, Source: Fact(i).Source, Successor: "outil-00000"}
	}
	if i%50 == 9 {
		t.Since = Fact(i).Checked
		t.Next = catalog.NextPrice{Pricing: t.Pricing, Price: "99 €/mois", From: Fact(i).Checked, Source: Fact(i).Source}
	}
	if i%7 != 0 {
		t.Facts.Score = Fact(i + 2)
		t.Score = catalog.Hundredths(1 + i*37%1000)
		t.Verifiability = catalog.Hundredths(i * 53 % 1001)
	}
	if i%3 == 1 {
		text := strings.Repeat("Une phrase de test. ", 10)
		t.Review = catalog.NewReview(t.Name, []catalog.Section{
			{ID: catalog.SummaryID, Heading: "Résumé", Text: text},
			{ID: "prise-en-main", Heading: "Prise en main", Text: text},
		})
		Written(Markdown(i))(t)
	}
	if i%13 == 1 {
		Translated("A tool “to try”.", "**Tool.**\n\n## What jams\n\nLittle.\n")(t)
		t.English.Tagline.Of, t.English.Review.Of, t.English.Review.Opening = "o", "o", "Tool."
	}
	if i%11 == 0 {
		t.History = []catalog.PriceChange{{
			ChangedAt: "2025-06-01", OldPricing: catalog.Free, OldPrice: "0 €/mois",
			NewPricing: t.Pricing, NewPrice: t.Price,
		}}
	}
	return t
}
