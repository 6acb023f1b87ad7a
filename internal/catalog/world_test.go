package catalog

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A world is a catalog under random edits that keep it valid. Items are replaced,
// never modified, and what was touched is remembered until the next delta.
type world struct {
	*rand.Rand

	service     Service
	categories  []Category
	tools       map[string]*Tool
	comparisons map[string]*Comparison
	retired     map[string]*Retired
	serial      int

	touchedTools, touchedComparisons, touchedRetired map[string]bool
}

func newWorld(seed uint64, tools int) *world {
	w := &world{
		Rand:        rand.New(rand.NewPCG(seed, 42)),
		service:     testService(),
		categories:  testCategories(),
		tools:       map[string]*Tool{},
		comparisons: map[string]*Comparison{},
		retired:     map[string]*Retired{},
	}
	w.forget()
	for range tools {
		w.addTool()
	}
	for range tools / 2 {
		w.addComparison()
		w.addRetired()
	}
	return w
}

func (w *world) forget() {
	w.touchedTools, w.touchedComparisons, w.touchedRetired = map[string]bool{}, map[string]bool{}, map[string]bool{}
}

func pick[T any](w *world, list []T) T { return list[w.IntN(len(list))] }

// anyOf picks a slug of the map, or "" when there is none. Sorted, because the
// order of a map would not follow from the seed.
func anyOf[T any](w *world, m map[string]T) string {
	if len(m) == 0 {
		return ""
	}
	return pick(w, slices.Sorted(maps.Keys(m)))
}

func (w *world) date() Date {
	return Date(fmt.Sprintf("2026-%02d-%02d", 1+w.IntN(2), 1+w.IntN(9)))
}

func (w *world) category() string { return pick(w, []string{"code", "image", "voix"}) }

// measure is often absent or shared by others, so that ties are common.
func (w *world) measure(known bool) Measure {
	if !known && w.IntN(4) == 0 {
		return 0
	}
	if w.IntN(2) == 0 {
		return Hundredths(700 + 50*w.IntN(5))
	}
	return Hundredths(1 + w.IntN(1000))
}

// name is unlike any other, so that what a comparison shows tells its tools apart.
func (w *world) name() string {
	w.serial++
	return pick(w, []string{"âme", "Ame", "Éclair", "eclipse", "œuvre", "Zed", "10x", "L'atelier", "ami"}) + fmt.Sprint(" ", w.serial)
}

func (w *world) putTool(t *Tool) { w.tools[t.Slug], w.touchedTools[t.Slug] = t, true }
func (w *world) putComparison(c *Comparison) {
	w.comparisons[c.Slug], w.touchedComparisons[c.Slug] = c, true
}
func (w *world) putRetired(r *Retired) { w.retired[r.Slug], w.touchedRetired[r.Slug] = r, true }

func (w *world) addTool() { w.serial++; w.create(fmt.Sprintf("outil-%d", w.serial)) }

func (w *world) create(slug string) {
	t := tool(slug, named(w.name()), in(w.category()), tier(1+w.IntN(3)))
	t.Score, t.Verifiability, t.Obsolescence = w.measure(false), w.measure(false), w.measure(false)
	t.Mainstream, t.UpdatedAt = w.IntN(2) == 0, w.date()
	if w.IntN(3) > 0 {
		reviewed(fmt.Sprint("Texte ", w.serial), "Suite")(t)
	}
	w.putTool(t)
}

func (w *world) addComparison() {
	a, b := anyOf(w, w.tools), anyOf(w, w.tools)
	if a == "" || a == b || !w.tools[a].Score.Known() || !w.tools[b].Score.Known() {
		return
	}
	w.serial++
	w.putComparison(comparison(fmt.Sprintf("match-%d", w.serial), a, b, func(c *Comparison) {
		c.Winner, c.UpdatedAt = pick(w, []string{a, b}), w.date()
	}))
}

func (w *world) addRetired() {
	w.serial++
	w.bury(fmt.Sprintf("feu-%d", w.serial))
}

func (w *world) bury(slug string) {
	w.putRetired(retired(slug, func(r *Retired) { r.Category, r.Reason, r.RetiredAt = w.category(), pick(w, Reasons()), w.date() }))
}

// removeTool takes its comparisons along, as the publication's guards demand.
func (w *world) removeTool(slug string) {
	delete(w.tools, slug)
	w.touchedTools[slug] = true
	for _, c := range w.comparisons {
		if c.ToolA == slug || c.ToolB == slug {
			w.removeComparison(c.Slug)
		}
	}
}

func (w *world) removeComparison(slug string) {
	delete(w.comparisons, slug)
	w.touchedComparisons[slug] = true
}

func (w *world) editTool(edit func(*Tool)) {
	if old := w.tools[anyOf(w, w.tools)]; old != nil {
		t := *old
		edit(&t)
		t.UpdatedAt = w.date()
		w.putTool(&t)
	}
}

func (w *world) editComparison(edit func(*Comparison)) {
	if old := w.comparisons[anyOf(w, w.comparisons)]; old != nil {
		c := *old
		edit(&c)
		c.UpdatedAt = w.date()
		w.putComparison(&c)
	}
}

func (w *world) compared(slug string) bool {
	for _, c := range w.comparisons {
		if c.ToolA == slug || c.ToolB == slug {
			return true
		}
	}
	return false
}

// change makes one random edit.
func (w *world) change() {
	switch w.IntN(16) {
	case 0:
		w.addTool()
	case 1: // a rename makes the review's chunks anew
		w.editTool(func(t *Tool) { t.Name = w.name(); t.Review = NewReview(t.Name, t.Review.Sections) })
	case 2:
		w.editTool(func(t *Tool) { t.Category = w.category() })
	case 3, 4:
		w.editTool(func(t *Tool) { t.Score = w.measure(w.compared(t.Slug)) })
	case 5:
		w.editTool(func(t *Tool) { t.Verifiability, t.Obsolescence = w.measure(false), w.measure(false) })
	case 6:
		w.editTool(func(t *Tool) { t.Pricing, t.Price = pick(w, Pricings()), fmt.Sprint(w.IntN(5), " €/an") })
	case 7:
		w.editTool(func(t *Tool) { t.Tier, t.Mainstream = 1+w.IntN(3), w.IntN(2) == 0 })
	case 8:
		w.removeTool(anyOf(w, w.tools))
	case 9: // a tool dies
		if slug := anyOf(w, w.tools); slug != "" {
			w.removeTool(slug)
			w.bury(slug)
		}
	case 10: // a tool comes back
		if slug := anyOf(w, w.retired); slug != "" {
			delete(w.retired, slug)
			w.touchedRetired[slug] = true
			w.create(slug)
		}
	case 11:
		w.addComparison()
	case 12:
		w.removeComparison(anyOf(w, w.comparisons))
	case 13:
		w.editComparison(func(c *Comparison) { c.Winner = pick(w, []string{c.ToolA, c.ToolB}); c.Note = w.name() })
	case 14:
		if old := w.retired[anyOf(w, w.retired)]; old != nil {
			w.bury(old.Slug)
		}
	case 15:
		w.changeSite()
	}
}

// changeSite moves one pattern of the site, and sometimes the categories.
func (w *world) changeSite() {
	w.serial++
	pattern := fmt.Sprintf("https://palmares.example/%d/{slug}", w.serial)
	*pick(w, []*string{&w.service.Site.Tool, &w.service.Site.Review, &w.service.Site.Alternatives, &w.service.Site.Comparison}) = pattern
	if w.IntN(2) == 0 {
		w.categories = slices.Clone(w.categories)
		slices.Reverse(w.categories)
		w.categories[0].Label = strings.ToUpper(w.categories[0].Label)
	}
}

// contents is the state of the world, in slug order.
func (w *world) contents() *Contents {
	c := &Contents{
		Service: w.service, Categories: w.categories,
		Tools:       slices.Collect(maps.Values(w.tools)),
		Comparisons: slices.Collect(maps.Values(w.comparisons)),
		Retired:     slices.Collect(maps.Values(w.retired)),
	}
	c.Sort()
	return c
}

// delta is what was touched since the last one, in no particular order.
func (w *world) delta(e Edition) Delta {
	d := Delta{From: e.Number - 1, Edition: e, Service: w.service, Categories: w.categories}
	d.Tools, d.GoneTools = sortOut(w.touchedTools, w.tools)
	d.Comparisons, d.GoneComparisons = sortOut(w.touchedComparisons, w.comparisons)
	d.Retired, d.GoneRetired = sortOut(w.touchedRetired, w.retired)
	w.forget()
	return d
}

func sortOut[T any](touched map[string]bool, m map[string]T) (items []T, gone []string) {
	for slug := range touched {
		if x, ok := m[slug]; ok {
			items = append(items, x)
		} else {
			gone = append(gone, slug)
		}
	}
	return items, gone
}
