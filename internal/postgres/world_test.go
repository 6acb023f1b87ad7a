package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A world is a catalog under random edits that keep it valid. It remembers only
// what editors write, so it can tell whether the database says the same.
type world struct {
	*rand.Rand
	next   *catalog.Contents
	serial int
}

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 7)), next: contents()}
	for range 12 {
		w.edit()
	}
	return w
}

func (w *world) number() int { w.serial++; return w.serial }

// slug is one of a few, so that items come, go and come back.
func (w *world) slug() string { return fmt.Sprintf("outil-%02d", w.IntN(14)) }

func (w *world) toolAt(slug string) int {
	return slices.IndexFunc(w.next.Tools, func(t *catalog.Tool) bool { return t.Slug == slug })
}

func (w *world) anyTool() *catalog.Tool {
	if len(w.next.Tools) == 0 {
		return nil
	}
	return w.next.Tools[w.IntN(len(w.next.Tools))]
}

func (w *world) measure() catalog.Measure {
	if w.IntN(4) == 0 {
		return 0
	}
	return catalog.Hundredths(1 + w.IntN(1000))
}

// edit makes one random change.
func (w *world) edit() {
	change := func(e edit) {
		if t := w.anyTool(); t != nil {
			e(t)
		}
	}
	switch w.IntN(14) {
	case 0, 1, 2:
		w.raise(w.slug())
	case 3:
		w.drop(w.slug())
	case 4:
		w.retire(w.slug())
	case 5:
		w.next.Retired = slices.DeleteFunc(w.next.Retired, func(*catalog.Retired) bool { return w.IntN(4) == 0 })
	case 6:
		change(func(t *catalog.Tool) { t.Price = fmt.Sprint(w.IntN(4), " €/mois") })
	case 7:
		change(func(t *catalog.Tool) {
			t.Score, t.Verifiability, t.Obsolescence = w.measure(), w.measure(), w.measure()
		})
	case 8:
		change(func(t *catalog.Tool) { t.Tier, t.Mainstream = 1+w.IntN(3), w.IntN(2) == 0 })
	case 9:
		change(func(t *catalog.Tool) {
			if t.Review = (catalog.Review{}); w.IntN(3) > 0 {
				reviewed(fmt.Sprint("Texte ", w.number()), "Fin")(t)
			}
		})
	case 10:
		change(func(t *catalog.Tool) {
			t.Name, t.Category = fmt.Sprint("Nom ", w.number()), []string{"voix", "code"}[w.IntN(2)]
		})
		w.hash()
	case 11, 12:
		w.compare()
	case 13:
		w.restyle()
	}
	w.tidy()
}

func (w *world) raise(slug string) {
	w.next.Retired = slices.DeleteFunc(w.next.Retired, func(r *catalog.Retired) bool { return r.Slug == slug })
	if w.toolAt(slug) < 0 {
		t := tool(slug, embeddable(100+w.IntN(900)), priced(catalog.Freemium, fmt.Sprint(w.IntN(4), " €/mois")))
		t.Tier = 1 + w.IntN(3)
		w.next.Tools = append(w.next.Tools, t)
	}
}

func (w *world) drop(slug string) {
	if i := w.toolAt(slug); i >= 0 {
		w.next.Tools = slices.Delete(w.next.Tools, i, i+1)
	}
}

func (w *world) retire(slug string) {
	w.drop(slug)
	w.next.Retired = slices.DeleteFunc(w.next.Retired, func(r *catalog.Retired) bool { return r.Slug == slug })
	r := grave(slug, catalog.Reasons()[w.IntN(5)])
	r.Note = fmt.Sprint("Note ", w.number())
	w.next.Retired = append(w.next.Retired, r)
}

func (w *world) compare() {
	a, b := w.anyTool(), w.anyTool()
	if a == nil || a == b {
		return
	}
	x := versus(fmt.Sprintf("duel-%d", w.IntN(8)), a.Slug, b.Slug)
	x.Note, x.Draft = fmt.Sprint("Note ", w.number()), w.IntN(4) == 0
	w.next.Comparisons = slices.DeleteFunc(w.next.Comparisons, func(o *catalog.Comparison) bool { return o.Slug == x.Slug })
	w.next.Comparisons = append(w.next.Comparisons, x)
}

// restyle touches what belongs to no item.
func (w *world) restyle() {
	switch w.IntN(4) {
	case 0:
		w.next.Service.Name = fmt.Sprint("Palmarès ", w.number())
	case 1:
		w.next.Service.Site.Tool = fmt.Sprintf("https://palmares.example/%d/{slug}", w.number())
	case 2:
		w.next.Service.Site.Comparison = fmt.Sprintf("https://palmares.example/%d/{slug}", w.number())
	case 3:
		slices.Reverse(w.next.Categories)
	}
}

// hash makes reviews anew after a change of name, as reading the file does.
func (w *world) hash() {
	for _, t := range w.next.Tools {
		t.Review = catalog.NewReview(t.Name, t.Review.Sections)
	}
}

// tidy withdraws the comparisons that the edit made invalid.
func (w *world) tidy() {
	w.next.Comparisons = slices.DeleteFunc(w.next.Comparisons, func(x *catalog.Comparison) bool {
		a, b := w.toolAt(x.ToolA), w.toolAt(x.ToolB)
		return a < 0 || b < 0 || !w.next.Tools[a].Score.Known() || !w.next.Tools[b].Score.Known()
	})
	w.next.Sort()
}

// written is the state as far as editors write it.
func (w *world) written() catalog.Contents { return editorial(*w.next) }

// editorial leaves out what a publication decides, and the drafts.
func editorial(c catalog.Contents) catalog.Contents {
	out := catalog.Contents{
		Service: c.Service, Categories: c.Categories,
		Tools: []*catalog.Tool{}, Comparisons: []*catalog.Comparison{}, Retired: []*catalog.Retired{},
	}
	for _, t := range c.Tools {
		bare := *t
		bare.UpdatedAt, bare.Embedded, bare.History, bare.Review.Sections = "", false, nil, nil
		out.Tools = append(out.Tools, &bare)
	}
	for _, x := range c.Comparisons {
		if bare := *x; !bare.Draft {
			bare.UpdatedAt = ""
			out.Comparisons = append(out.Comparisons, &bare)
		}
	}
	out.Retired = append(out.Retired, c.Retired...)
	return out
}

// served is every body that the snapshot answers with, and its whole contents.
func served(s *catalog.Snapshot) any {
	var bodies []string
	add := func(d catalog.Document) { bodies = append(bodies, string(d.Body)) }
	all := catalog.Paging{Page: 1, Limit: 200}
	for _, category := range []string{"", "voix", "code"} {
		for _, o := range catalog.ToolOrders() {
			add(s.Tools(catalog.ToolQuery{Paging: all, Order: o, Category: category}).Document())
		}
		add(s.Prices(catalog.PriceQuery{Paging: all, Category: category}).Document())
		add(s.Comparisons(catalog.ComparisonQuery{Paging: all, Category: category}).Document())
		add(s.Cemetery(catalog.CemeteryQuery{Paging: all, Category: category}).Document())
	}
	add(s.Categories())
	add(s.Stats())
	add(s.EmbeddingsList())
	c := s.Contents()
	for _, t := range c.Tools {
		price, _ := s.Price(t.Slug)
		add(price)
		if doc, err := s.Embeddings(t.Slug); err == nil {
			add(doc)
		}
	}
	for _, x := range c.Comparisons {
		detail, _ := s.Comparison(x.Slug)
		add(detail)
	}
	return map[string]any{"contents": c, "bodies": strings.Split(strings.Join(bodies, "\n"), "\n")}
}
