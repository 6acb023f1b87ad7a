package live_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// large is the catalog of 10,000 tools that tests share; nobody changes it.
var large = sync.OnceValue(func() *catalog.Contents { return contents(*tools) })

// contents makes a catalog of n tools, with n/5 comparisons or so and n/20 retired.
func contents(n int) *catalog.Contents {
	c := &catalog.Contents{Service: catalog.Service{
		Name: "Palmarès", URL: "https://palmares.example",
		Site: catalog.Site{
			Tool:         "https://palmares.example/outils/{slug}",
			Review:       "https://palmares.example/avis/{slug}",
			Alternatives: "https://palmares.example/alternatives/{slug}",
			Comparison:   "https://palmares.example/comparatifs/{slug}",
		},
	}}
	for _, slug := range []string{"agents", "chat", "code", "image", "video", "voix"} {
		c.Categories = append(c.Categories, catalog.Category{Slug: slug, Label: strings.ToUpper(slug)})
	}
	for i := range n {
		c.Tools = append(c.Tools, tool(i, c.Categories[i%len(c.Categories)].Slug))
		if i%5 == 1 && i+1 < n && c.Tools[i-1].Score.Known() && c.Tools[i].Score.Known() {
			a, b := c.Tools[i-1], c.Tools[i]
			c.Comparisons = append(c.Comparisons, &catalog.Comparison{
				Slug: a.Slug + "-vs-" + b.Slug, Title: a.Name + " ou " + b.Name, ToolA: a.Slug, ToolB: b.Slug, Winner: b.Slug,
				Note: "Plus sûr à l'usage.", Source: "c", UpdatedAt: "2026-01-02",
			})
		}
		if i%20 == 0 {
			c.Retired = append(c.Retired, &catalog.Retired{
				Slug: fmt.Sprintf("ancien-%05d", i), Name: fmt.Sprintf("Ancien %d", i), Category: "code",
				Reason:    catalog.Reasons()[i/20%len(catalog.Reasons())],
				RetiredAt: catalog.DateOf(time.Date(2025, 1, 1+i%700, 0, 0, 0, 0, time.UTC)), Note: "Arrêté.", Source: "r",
			})
		}
	}
	c.Sort()
	return c
}

func tool(i int, category string) *catalog.Tool {
	t := &catalog.Tool{
		Slug: fmt.Sprintf("outil-%05d", i), Name: fmt.Sprintf("Outil %d é", i), Domain: fmt.Sprintf("outil-%d.example", i),
		Category: category, ICP: catalog.ICPs()[i%3], Pricing: catalog.Paid, Price: fmt.Sprintf("%d €/mois", 5+i%90),
		Obsolescence: catalog.Hundredths(i % 1001), Tagline: "Un outil « d'essai ».", Tier: 1 + i%40, Mainstream: i%2 == 0,
		Source: "t", UpdatedAt: "2026-01-02",
	}
	if i%7 != 0 {
		t.Score, t.Verifiability = catalog.Hundredths(1+i*37%1000), catalog.Hundredths(i*53%1001)
	}
	if i%3 == 1 {
		text := strings.Repeat("Une phrase de test. ", 10)
		t.Review = catalog.NewReview(t.Name, []catalog.Section{
			{ID: catalog.SummaryID, Heading: "Résumé", Text: text}, {ID: "prise-en-main", Heading: "Prise en main", Text: text},
		})
	}
	if i%11 == 0 {
		t.History = []catalog.PriceChange{{
			ChangedAt: "2025-06-01", OldPricing: catalog.Free, OldPrice: "0 €/mois", NewPricing: t.Pricing, NewPrice: t.Price,
		}}
	}
	return t
}

// snapshot shows the contents as the edition of that number.
func snapshot(c *catalog.Contents, number int64, id string) *catalog.Snapshot {
	e := catalog.Edition{Number: number, ID: id, PublishedAt: time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)}
	return catalog.Empty().Apply(catalog.Diff(&catalog.Contents{}, c, e.Date()).Delta(e))
}

// publish commits what edit makes of the published state.
func publish(tb testing.TB, db *postgres.DB, edit func(*catalog.Contents)) catalog.Edition {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	e, err := db.Publish(ctx, time.Now, func(_ context.Context, current *catalog.Contents, _ catalog.Edition) (catalog.Changes, error) {
		next := *current
		next.Categories, next.Tools = slices.Clone(current.Categories), slices.Clone(current.Tools)
		next.Comparisons, next.Retired = slices.Clone(current.Comparisons), slices.Clone(current.Retired)
		edit(&next)
		return catalog.Diff(current, &next, catalog.DateOf(time.Now())), nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// put is the edit that publishes c as it is.
func put(c *catalog.Contents) func(*catalog.Contents) {
	return func(next *catalog.Contents) { *next = *c }
}

// tagline is the edit that gives one tool a new tagline.
func tagline(i int, text string) func(*catalog.Contents) {
	return func(next *catalog.Contents) {
		t := *next.Tools[i]
		t.Tagline = text
		next.Tools[i] = &t
	}
}

// read is what a new node would read of the database.
func read(tb testing.TB, db *postgres.DB) *catalog.Snapshot {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	feed, err := db.Feed(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	defer feed.Close()
	d, err := feed.Since(ctx, catalog.Edition{})
	if err != nil {
		tb.Fatal(err)
	}
	return catalog.Empty().Apply(d)
}

// wantSame compares all that snapshots serve: every list in every order and every
// document.
func wantSame(tb testing.TB, want *catalog.Snapshot, snapshots ...*catalog.Snapshot) {
	tb.Helper()
	b := served(want)
	for _, got := range snapshots {
		a := served(got)
		for _, name := range slices.Sorted(maps.Keys(b)) {
			if a[name] != b[name] {
				tb.Fatalf("%s is\n%.300s\nwant\n%.300s", name, a[name], b[name])
			}
		}
		if len(a) != len(b) {
			tb.Fatalf("%d documents, want %d", len(a), len(b))
		}
	}
}

func served(s *catalog.Snapshot) map[string]string {
	e := s.Edition()
	docs := map[string]string{
		"edition":    fmt.Sprint(e.Number, e.ID, e.PublishedAt.UTC()),
		"service":    fmt.Sprint(s.Service()),
		"categories": string(s.Categories().Body),
		"stats":      string(s.Stats().Body),
		"embeddings": string(s.EmbeddingsList().Body),
	}
	all := catalog.Paging{Page: 1, Limit: 1 << 30}
	whole := s.Whole()
	categories := []string{""}
	for _, c := range whole.Categories {
		categories = append(categories, c.Slug)
	}
	for _, c := range categories {
		for _, order := range catalog.ToolOrders() {
			docs["tools "+c+" "+string(order)] = string(s.Tools(catalog.ToolQuery{Paging: all, Category: c, Order: order}).Document().Body)
		}
		docs["prices "+c] = string(s.Prices(catalog.PriceQuery{Paging: all, Category: c}).Document().Body)
		docs["comparisons "+c] = string(s.Comparisons(catalog.ComparisonQuery{Paging: all, Category: c}).Document().Body)
		for _, r := range append(catalog.Reasons(), "") {
			docs["cemetery "+c+" "+string(r)] = string(s.Cemetery(catalog.CemeteryQuery{Paging: all, Category: c, Reason: r}).Document().Body)
		}
	}
	for _, t := range whole.Tools {
		item, _ := s.Tool(t.Slug)
		price, _ := s.Price(t.Slug)
		chunks, err := s.Embeddings(t.Slug)
		docs["tool "+t.Slug] = fmt.Sprintf("%s%s%s%v", item.Body, price.Body, chunks.Body, err)
	}
	for _, c := range whole.Comparisons {
		doc, _ := s.Comparison(c.Slug)
		docs["comparison "+c.Slug] = string(doc.Body)
	}
	for _, r := range whole.Retired {
		dead, _ := s.Retired(r.Slug)
		docs["retired "+r.Slug] = fmt.Sprint(*dead)
	}
	return docs
}
