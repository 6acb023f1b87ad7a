package catalogtest

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Service returns the identity of every catalog built here.
func Service() catalog.Service {
	return catalog.Service{
		Name: "Palmarès",
		URL:  "https://palmares.example",
		Site: catalog.Site{
			Tool:         "https://palmares.example/outils/{slug}",
			Review:       "https://palmares.example/avis/{slug}",
			Alternatives: "https://palmares.example/alternatives/{slug}",
			Comparison:   "https://palmares.example/comparatifs/{slug}",
		},
	}
}

// Categories returns code, image, voix and vide. No tool is in vide.
func Categories() []catalog.Category {
	return []catalog.Category{
		{Slug: "code", Label: "Code"},
		{Slug: "image", Label: "Image"},
		{Slug: "voix", Label: "Voix et son"},
		{Slug: "vide", Label: "Catégorie sans outil"},
	}
}

// Edition returns the nth edition, published n days after 1 March 2026.
func Edition(n int64) catalog.Edition {
	return catalog.Edition{
		Number:      n,
		ID:          "edition-" + strconv.FormatInt(n, 10),
		PublishedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, int(n)),
	}
}

// written are the fields of a tool that its makers and World write by name. All others of the kinds that others can
// write get a value from others.
var written = map[string]bool{
	"Slug": true, "Name": true, "Domain": true, "Category": true, "ICP": true, "Pricing": true, "Price": true, "Score": true,
	"Verifiability": true, "Obsolescence": true, "Tagline": true, "Tier": true, "Source": true, "UpdatedAt": true, "Since": true,
}

// others gives each text, number and measure of a tool that is not in written a value with a number in it, so that a
// field that is added needs no line here.
func others(t *catalog.Tool, n int) {
	for f, v := range reflect.ValueOf(t).Elem().Fields() {
		switch _, measured := reflect.TypeAssert[catalog.Measure](v); {
		case written[f.Name]:
		case measured:
			v.Set(reflect.ValueOf(catalog.Hundredths(100 + n%900)))
		case v.Kind() == reflect.String:
			v.SetString(fmt.Sprint(f.Name, " ", n))
		case v.CanInt():
			v.SetInt(int64(n))
		}
	}
}

// Tool returns a plain scored tool without a review, after the edits.
func Tool(slug string, edits ...func(*catalog.Tool)) *catalog.Tool {
	t := &catalog.Tool{
		Slug: slug, Name: "Outil " + slug, Domain: slug + ".example", Category: "code",
		ICP: catalog.Mixed, Pricing: catalog.Paid, Price: "20 €/mois",
		Score: catalog.Hundredths(700), Verifiability: catalog.Hundredths(600),
		Obsolescence: catalog.Hundredths(200), Tagline: "Un outil", Tier: 3,
		Source: "digest-" + slug, UpdatedAt: "2026-01-15",
	}
	others(t, 1)
	for _, edit := range edits {
		edit(t)
	}
	return t
}

// Named sets the name of a tool. Apply it before Reviewed: the hash of a review covers the name.
func Named(name string) func(*catalog.Tool) { return func(t *catalog.Tool) { t.Name = name } }

// In puts a tool into a category.
func In(category string) func(*catalog.Tool) {
	return func(t *catalog.Tool) { t.Category = category }
}

// Tier sets the tier of a tool.
func Tier(n int) func(*catalog.Tool) { return func(t *catalog.Tool) { t.Tier = n } }

// Mainstream makes a tool mainstream.
func Mainstream(t *catalog.Tool) { t.Mainstream = true }

// Packaged sets the packages of a tool.
func Packaged(packages ...string) func(*catalog.Tool) {
	return func(t *catalog.Tool) { t.Packages = packages }
}

// Unscored removes the score of a tool.
func Unscored(t *catalog.Tool) { t.Score = catalog.Measure{} }

// Scored sets the score of a tool: Scored(910) is 9.1.
func Scored(hundredths int) func(*catalog.Tool) {
	return func(t *catalog.Tool) { t.Score = catalog.Hundredths(hundredths) }
}

// Priced sets the pricing model and the price of a tool.
func Priced(p catalog.Pricing, price string) func(*catalog.Tool) {
	return func(t *catalog.Tool) { t.Pricing, t.Price = p, price }
}

// Tagline sets the tagline of a tool.
func Tagline(text string) func(*catalog.Tool) {
	return func(t *catalog.Tool) { t.Tagline = text }
}

// Reviewed gives a tool a review of one section per text, with its Markdown.
func Reviewed(texts ...string) func(*catalog.Tool) {
	return func(t *catalog.Tool) {
		var sections []catalog.Section
		for i, text := range texts {
			id := catalog.SummaryID
			if i > 0 {
				id = fmt.Sprint("partie-", i)
			}
			sections = append(sections, catalog.Section{ID: id, Heading: "Titre « " + id + " »", Text: text})
		}
		t.Review = catalog.NewReview(t.Name, sections)
		Written("\n**" + strings.Join(texts, "**\n\n## Partie\n\n**") + "**\n")(t)
	}
}

// Embeddable makes a tool qualify for the embeddings set, with the given score in hundredths.
func Embeddable(hundredths int) func(*catalog.Tool) {
	return func(t *catalog.Tool) {
		t.Tier, t.Score, t.Verifiability = 1, catalog.Hundredths(hundredths), catalog.Hundredths(700)
		if !t.Review.Exists() {
			Reviewed("Le texte de " + t.Slug)(t)
		}
	}
}

// Comparison returns a comparison of the tools a and b in which a wins, after the edits.
func Comparison(slug, a, b string, edits ...func(*catalog.Comparison)) *catalog.Comparison {
	c := &catalog.Comparison{
		Slug: slug, Title: "Match " + slug, ToolA: a, ToolB: b, Winner: a, Note: "Plus sûr.",
		Source: "digest-" + slug, UpdatedAt: "2026-01-20",
	}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

// Fact returns a fact with a source. Each n gives a different one.
func Fact(n int) catalog.Fact {
	return catalog.Fact{
		Source:  fmt.Sprintf("https://source.example/%d", n),
		Checked: catalog.DateOf(time.Date(2025, 6, 1+n%200, 0, 0, 0, 0, time.UTC)),
		Text:    fmt.Sprintf("$%d/month", n), Note: fmt.Sprintf("Remarque %d", n),
	}
}

// Retired returns a retired tool that died, after the edits.
func Retired(slug string, edits ...func(*catalog.Retired)) *catalog.Retired {
	r := &catalog.Retired{
		Slug: slug, Name: "Feu " + slug, Category: "code", Reason: catalog.Dead,
		RetiredAt: "2025-06-01", Note: "Fermé.", Source: "digest-" + slug,
	}
	for _, edit := range edits {
		edit(r)
	}
	return r
}

// Contents returns a state of the catalog with the items: *Tool, *Comparison, *Retired,
// *OperatorFile and Incident. It panics at any other type.
func Contents(items ...any) *catalog.Contents {
	c := &catalog.Contents{Service: Service(), Categories: Categories()}
	for _, item := range items {
		switch x := item.(type) {
		case *catalog.Tool:
			c.Tools = append(c.Tools, x)
		case *catalog.Comparison:
			c.Comparisons = append(c.Comparisons, x)
		case *catalog.Retired:
			c.Retired = append(c.Retired, x)
		case *catalog.OperatorFile:
			c.Files = append(c.Files, x)
		case catalog.Incident:
			c.Incidents = append(c.Incidents, x)
		default:
			panic(fmt.Sprintf("catalogtest: a %T is no item", item))
		}
	}
	c.Sort()
	return c
}

// Clone returns a copy of the contents whose items can be edited without changing c. Only the
// slices Packages, Formerly and Markdown.Compressed of the items are shared.
func Clone(c *catalog.Contents) *catalog.Contents {
	return &catalog.Contents{
		Service: c.Service, Categories: slices.Clone(c.Categories),
		Tools: cloneAll(c.Tools, func(t *catalog.Tool) {
			t.History, t.Review.Sections = slices.Clone(t.History), slices.Clone(t.Review.Sections)
		}),
		Comparisons: cloneAll(c.Comparisons, func(*catalog.Comparison) {}),
		Retired:     cloneAll(c.Retired, func(*catalog.Retired) {}),
		Files:       cloneAll(c.Files, func(*catalog.OperatorFile) {}),
		Incidents:   slices.Clone(c.Incidents),
	}
}

func cloneAll[T any](items []*T, deepen func(*T)) []*T {
	out := slices.Clone(items)
	for i, item := range items {
		x := *item
		deepen(&x)
		out[i] = &x
	}
	return out
}

// Edited returns a copy of the contents after the edit, in slug order again.
func Edited(c *catalog.Contents, edit func(*catalog.Contents)) *catalog.Contents {
	out := Clone(c)
	edit(out)
	out.Sort()
	return out
}

// Find returns the tool with that slug, for an edit to change. It panics if there is none.
func Find(c *catalog.Contents, slug string) *catalog.Tool {
	i := slices.IndexFunc(c.Tools, func(t *catalog.Tool) bool { return t.Slug == slug })
	if i < 0 {
		panic("catalogtest: no tool " + slug)
	}
	return c.Tools[i]
}

// Retire moves a tool to the cemetery and removes its comparisons.
func Retire(c *catalog.Contents, slug string) {
	t := Find(c, slug)
	c.Tools = slices.DeleteFunc(c.Tools, func(t *catalog.Tool) bool { return t.Slug == slug })
	c.Comparisons = slices.DeleteFunc(c.Comparisons, func(x *catalog.Comparison) bool {
		return x.ToolA == slug || x.ToolB == slug
	})
	c.Retired = append(c.Retired, &catalog.Retired{
		Slug: slug, Name: t.Name, Category: t.Category,
		Reason: catalog.Dead, RetiredAt: "2026-11-10", Note: "Fermé.",
	})
	c.Sort()
}

// Whole returns the delta from nothing to the contents, with dates and embeddings set as they are.
func Whole(c *catalog.Contents, e catalog.Edition) catalog.Delta {
	return catalog.Delta{
		Edition: e, Service: c.Service, Categories: c.Categories,
		Tools: c.Tools, Comparisons: c.Comparisons, Retired: c.Retired,
		Files: c.Files, Incidents: c.Incidents,
	}
}

// Snapshot returns edition 1 with the items, with dates and embeddings set as they are.
func Snapshot(items ...any) *catalog.Snapshot {
	return catalog.Empty().Apply(Whole(Contents(items...), Edition(1)))
}

// First returns the snapshot after publishing the contents as the first edition, e. The publication
// decides the dates and the embeddings set.
func First(c *catalog.Contents, e catalog.Edition) *catalog.Snapshot {
	return publish(catalog.Empty(), catalog.Diff(&catalog.Contents{}, c, e.Date()), e)
}

// Amend returns the snapshot after publishing the edit as the edition after s, one day later.
func Amend(s *catalog.Snapshot, edit func(*catalog.Contents)) *catalog.Snapshot {
	last := s.Edition()
	e := catalog.Edition{
		Number:      last.Number + 1,
		ID:          "edition-" + strconv.FormatInt(last.Number+1, 10),
		PublishedAt: last.PublishedAt.AddDate(0, 0, 1),
	}
	current := s.Contents()
	return publish(s, catalog.Diff(current, Edited(current, edit), e.Date()), e)
}

// Correct is Amend for an edit of one tool that is published as a correction. It panics if there is
// nothing to correct.
func Correct(s *catalog.Snapshot, slug string, edit func(*catalog.Tool)) *catalog.Snapshot {
	e := catalog.Edition{
		Number:      s.Edition().Number + 1,
		ID:          "edition-" + strconv.FormatInt(s.Edition().Number+1, 10),
		PublishedAt: s.Edition().PublishedAt.AddDate(0, 0, 1),
	}
	current := s.Contents()
	changes := catalog.Diff(current, Edited(current, func(c *catalog.Contents) { edit(Find(c, slug)) }), e.Date())
	if !changes.Correct(slug, lastMoves(s, slug)) {
		panic("nothing of " + slug + " can be corrected")
	}
	return publish(s, changes, e)
}

// lastMoves returns the moves that a correction takes back, from the log of a snapshot.
func lastMoves(s *catalog.Snapshot, slug string) (last catalog.LastMoves) {
	t, _ := s.Tool(slug)
	var scored *catalog.LogEntry
	for e := range s.RecentChanges() {
		created := e.Type == catalog.ToolCreated && e.Slug == slug
		before, after := e.Scores()
		switch {
		case e.Slug != slug:
		case e.Type == catalog.PriceChanged && last.Price == nil && len(t.History) > 0:
			last.Price = &catalog.PriceMove{Row: &t.History[0], Seq: e.Seq, Update: e.Seq - 1}
		case created || e.Type == catalog.ToolUpdated && scored == nil && before != after:
			if scored == nil {
				scored = e
				last.Score = &catalog.ScoreMove{Seq: e.Seq, Comparisons: make(map[string]int64)}
			}
			if created && last.Price == nil {
				last.Price = &catalog.PriceMove{Seq: e.Seq, Update: e.Seq}
			}
		}
	}
	// An edition logs its comparisons after its tools. The loop above, newest entry first, passed
	// them before it set scored.
	for e := range s.RecentChanges() {
		if scored != nil && e.Edition == scored.Edition && e.Type == catalog.ComparisonUpdated {
			last.Score.Comparisons[e.Slug] = e.Seq
		}
	}
	return last
}

// publish returns the snapshot after the changes, with their entries in the change log.
func publish(s *catalog.Snapshot, changes catalog.Changes, e catalog.Edition) *catalog.Snapshot {
	d := changes.Delta(e)
	d.Log = changes.LogEntries(e, s.LastChange())
	var err error
	if d.Histories, err = s.RecordHistory(d.Log, d.Tools); err != nil {
		panic(err)
	}
	return s.Apply(d)
}
