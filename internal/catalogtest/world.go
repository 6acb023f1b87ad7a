package catalogtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A World is a catalog under random edits that keep it valid. Edits replace items and never modify
// them. The world remembers which items were touched until the next Delta or Forget.
type World struct {
	*rand.Rand

	service     catalog.Service
	categories  []catalog.Category
	tools       map[string]*catalog.Tool
	comparisons map[string]*catalog.Comparison // drafts too
	retired     map[string]*catalog.Retired
	files       map[string]*catalog.OperatorFile
	incidents   []catalog.Incident
	removed     []string // slugs of tools that were removed, and may come back
	serial      int

	touchedTools, touchedComparisons, touchedRetired, touchedFiles map[string]bool
}

// NewWorld returns a world of about that many tools. Equal seeds give equal worlds.
func NewWorld(seed uint64, tools int) *World {
	w := &World{
		Rand:        rand.New(rand.NewPCG(seed, 42)),
		service:     Service(),
		categories:  Categories(),
		tools:       map[string]*catalog.Tool{},
		comparisons: map[string]*catalog.Comparison{},
		retired:     map[string]*catalog.Retired{},
		files:       map[string]*catalog.OperatorFile{},
		incidents:   []catalog.Incident{},
	}
	w.Forget()
	for range tools {
		w.addTool()
	}
	for range tools / 2 {
		w.addComparison()
		w.retire(w.slug("feu"))
	}
	return w
}

// Forget makes the world forget which items were touched.
func (w *World) Forget() {
	w.touchedTools = map[string]bool{}
	w.touchedComparisons = map[string]bool{}
	w.touchedRetired = map[string]bool{}
	w.touchedFiles = map[string]bool{}
}

// Change makes n random edits.
func (w *World) Change(n int) {
	for range n {
		w.change()
	}
}

func (w *World) change() { //nolint:gocyclo // a list of edits
	switch w.IntN(35) {
	case 0, 1:
		w.addTool()
	case 2: // the hash of a review covers the name
		w.editTool(func(t *catalog.Tool) {
			t.Name = w.name()
			markdown := t.Review.Markdown
			t.Review = catalog.NewReview(t.Name, t.Review.Sections)
			t.Review.Markdown = markdown
		})
	case 3:
		w.editTool(func(t *catalog.Tool) { t.Category = w.category() })
	case 4, 5:
		w.editTool(func(t *catalog.Tool) { t.Score = w.measure(w.compared(t.Slug)) })
	case 6:
		w.editTool(func(t *catalog.Tool) { t.Verifiability, t.Obsolescence = w.measure(false), w.measure(false) })
	case 7:
		w.editTool(func(t *catalog.Tool) {
			t.Pricing, t.Price = pick(w, catalog.Pricings()), fmt.Sprint(w.IntN(5), " €/an")
		})
	case 8:
		w.editTool(func(t *catalog.Tool) {
			t.Tier, t.Mainstream = 1+w.IntN(3), w.IntN(2) == 0
			others(t, t.Tier)
			t.Tested = catalog.Tested{By: fmt.Sprint("Testeur ", t.Tier), On: catalog.Date(fmt.Sprintf("2025-12-%02d", t.Tier))}
		})
	case 9:
		w.editTool(w.review)
	case 10:
		w.removeTool(anyOf(w, w.tools))
	case 11:
		if slug := anyOf(w, w.tools); slug != "" {
			formerly := w.tools[slug].Formerly
			w.removeTool(slug)
			w.retire(slug)
			w.retired[slug].Formerly = formerly
		}
	case 12: // a retired tool comes back
		if slug := anyOf(w, w.retired); slug != "" {
			formerly := w.retired[slug].Formerly
			w.removeRetired(slug)
			w.createTool(slug)
			w.tools[slug].Formerly = formerly
		}
	case 13:
		w.addComparison()
	case 14:
		w.removeComparison(anyOf(w, w.comparisons))
	case 15:
		w.editComparison(func(c *catalog.Comparison) {
			c.Winner, c.Note, c.Draft = pick(w, []string{c.ToolA, c.ToolB}), w.name(), w.IntN(4) == 0
		})
	case 16: // a retired tool changes or is removed
		if slug := anyOf(w, w.retired); slug != "" && w.IntN(3) > 0 {
			formerly := w.retired[slug].Formerly
			w.retire(slug)
			w.retired[slug].Formerly = formerly
		} else {
			w.removeRetired(slug)
		}
	case 17:
		w.changeService()
	case 18:
		w.changeFiles()
	case 19:
		w.editTool(func(t *catalog.Tool) {
			t.Domain, t.ICP, t.Tagline = w.slug("domaine")+".example", pick(w, catalog.ICPs()), w.name()
		})
	case 20:
		w.editComparison(func(c *catalog.Comparison) {
			c.Title, c.ToolA, c.ToolB = w.name(), c.ToolB, c.ToolA
		})
	case 21:
		w.editTool(func(t *catalog.Tool) {
			t.English = catalog.ToolEnglish{Tagline: w.translation()}
			if t.Review.Exists() && w.IntN(3) > 0 {
				t.English.Review = catalog.TranslatedReview{Markdown: catalog.NewMarkdown(w.name()), Opening: w.name(), Of: w.slug("of")}
				t.English.Source = inEnglish
			}
		})
	case 22:
		w.editComparison(func(c *catalog.Comparison) {
			c.English = catalog.ComparisonEnglish{Title: w.translation(), Note: w.translation()}
			if c.English.Note.Text != "" {
				c.English.Source = inEnglish
			}
		})
	case 23:
		if old := w.retired[anyOf(w, w.retired)]; old != nil {
			r := *old
			if r.English = (catalog.RetiredEnglish{Note: w.translation()}); r.English.Note.Text != "" {
				r.English.Source = inEnglish
			}
			w.retired[r.Slug], w.touchedRetired[r.Slug] = &r, true
		}
	case 24: // a retired tool that never was a living one
		w.retire(w.slug("feu"))
	case 25:
		w.editTool(func(t *catalog.Tool) {
			t.Facts = catalog.ToolFacts{Price: w.fact(), Domain: w.fact()}
			if t.Score.Known {
				t.Facts.Score = w.fact()
			}
		})
	case 26: // an end is announced, moves or is taken back
		w.editTool(func(t *catalog.Tool) {
			if t.Ending = (catalog.Ending{}); w.IntN(3) > 0 {
				t.Ending = catalog.Ending{At: w.date(), Source: w.fact().Source, Successor: w.successor(t.Slug)}
			}
		})
	case 27: // packages come, go and move between tools
		w.editTool(func(t *catalog.Tool) { t.Packages = w.packages() })
	case 28:
		w.renameTool()
	case 29:
		w.renameOther()
	case 30:
		w.editFormerly()
	case 31:
		w.editTool(func(t *catalog.Tool) { t.Keywords = w.synonyms() })
	case 32:
		i := w.IntN(len(w.categories))
		w.categories = slices.Clone(w.categories)
		w.categories[i].Synonyms = w.synonyms()
	case 33: // a price is announced, moves or is withdrawn
		w.editTool(func(t *catalog.Tool) {
			if t.Next = (catalog.NextPrice{}); w.IntN(3) > 0 {
				t.Next = catalog.NextPrice{
					Pricing: pick(w, catalog.Pricings()), Price: fmt.Sprint(w.IntN(5), " €/an"), From: w.date(), Source: Fact(w.number()).Source,
				}
			}
		})
	case 34:
		w.editTool(func(t *catalog.Tool) {
			if t.Since = ""; w.IntN(3) > 0 {
				t.Since = w.date()
			}
		})
	}
}

// synonyms returns some of few words and phrases, in both languages.
func (w *World) synonyms() (s catalog.Synonyms) {
	for range w.IntN(3) {
		s.French = append(s.French, pick(w, []string{"dessin", "mots en images", "essai", "outil de code"}))
		s.English = append(s.English, pick(w, []string{"drawing", "text to speech", "speech", "voice"}))
	}
	return s
}

// packages returns at most two of the same thirty packages, so that another tool may have had them
// before.
func (w *World) packages() (list []string) {
	for range w.IntN(3) {
		list = append(list, fmt.Sprintf("pkg:npm/paquet-%d", w.IntN(30)))
	}
	return list
}

func pick[T any](w *World, list []T) T { return list[w.IntN(len(list))] }

// anyOf returns any slug of the map, or "" if there is none. It sorts the slugs first, because the
// order of a map does not depend on the seed.
func anyOf[T any](w *World, m map[string]T) string {
	if len(m) == 0 {
		return ""
	}
	return pick(w, slices.Sorted(maps.Keys(m)))
}

func (w *World) number() int { w.serial++; return w.serial }

func (w *World) slug(prefix string) string { return fmt.Sprint(prefix, "-", w.number()) }

func (w *World) date() catalog.Date {
	return catalog.Date(fmt.Sprintf("2026-%02d-%02d", 1+w.IntN(2), 1+w.IntN(9)))
}

// fact returns a fact, or at times the zero Fact.
func (w *World) fact() catalog.Fact {
	if w.IntN(3) == 0 {
		return catalog.Fact{}
	}
	return Fact(w.number())
}

// successor returns the slug of another living tool, or "".
func (w *World) successor(slug string) string {
	if other := anyOf(w, w.tools); other != slug {
		return other
	}
	return ""
}

func (w *World) category() string { return pick(w, []string{"code", "image", "voix"}) }

// measure returns a measure that is often absent, unless it must be known, and often equal to
// others, so that ties are common.
func (w *World) measure(known bool) catalog.Measure {
	if !known && w.IntN(4) == 0 {
		return catalog.Measure{}
	}
	if w.IntN(2) == 0 {
		return catalog.Hundredths(700 + 50*w.IntN(5))
	}
	return catalog.Hundredths(1 + w.IntN(1000))
}

// name returns a unique name, so that the names in a comparison tell its tools apart.
func (w *World) name() string {
	word := pick(w, []string{"âme", "Ame", "Éclair", "eclipse", "œuvre", "Zed", "10x", "L'atelier", "ami"})
	return fmt.Sprint(word, " ", w.number())
}

// inEnglish stands for the digest of every English file, because a World has no files.
const inEnglish = "digest-english"

// translation returns an English text, or at times none.
func (w *World) translation() catalog.Translation {
	if w.IntN(3) == 0 {
		return catalog.Translation{}
	}
	return catalog.Translation{Text: w.name(), Of: w.slug("of")}
}

func (w *World) review(t *catalog.Tool) {
	t.Review = catalog.Review{}
	if w.IntN(3) > 0 {
		Reviewed(fmt.Sprint("Texte ", w.number()), "Suite")(t)
	}
}

// addTool adds a tool, sometimes under the slug of one that was removed.
func (w *World) addTool() {
	slug := w.slug("outil")
	if len(w.removed) > 0 && w.IntN(2) == 0 {
		slug = pick(w, w.removed)
	}
	if w.tools[slug] == nil && w.retired[slug] == nil && !w.had(slug) {
		w.createTool(slug)
	}
}

func (w *World) createTool(slug string) {
	t := Tool(slug, Named(w.name()), In(w.category()), Tier(1+w.IntN(3)), w.review)
	t.Score, t.Verifiability, t.Obsolescence = w.measure(false), w.measure(false), w.measure(false)
	t.Mainstream, t.UpdatedAt = w.IntN(2) == 0, w.date()
	t.ICP = pick(w, catalog.ICPs())
	w.putTool(t)
}

func (w *World) putTool(t *catalog.Tool) { w.tools[t.Slug], w.touchedTools[t.Slug] = t, true }

func (w *World) editTool(edit func(*catalog.Tool)) {
	if old := w.tools[anyOf(w, w.tools)]; old != nil {
		t := *old
		edit(&t)
		t.UpdatedAt = w.date()
		w.putTool(&t)
	}
}

// removeTool removes a tool with its comparisons and every reference to it as a successor, as a
// publication demands.
func (w *World) removeTool(slug string) {
	if w.tools[slug] == nil {
		return
	}
	delete(w.tools, slug)
	w.touchedTools[slug] = true
	w.removed = append(w.removed, slug)
	for _, old := range w.tools {
		if old.Ending.Successor == slug {
			t := *old
			t.Ending.Successor = ""
			w.putTool(&t)
		}
	}
	for _, old := range w.retired {
		if old.Successor == slug {
			r := *old
			r.Successor = ""
			w.retired[r.Slug], w.touchedRetired[r.Slug] = &r, true
		}
	}
	for _, c := range w.comparisons {
		if c.ToolA == slug || c.ToolB == slug {
			w.removeComparison(c.Slug)
		}
	}
}

func (w *World) compared(slug string) bool {
	for _, c := range w.comparisons {
		if c.ToolA == slug || c.ToolB == slug {
			return true
		}
	}
	return false
}

func (w *World) addComparison() {
	a, b := anyOf(w, w.tools), anyOf(w, w.tools)
	if a == "" || a == b || !w.tools[a].Score.Known || !w.tools[b].Score.Known {
		return
	}
	w.putComparison(Comparison(w.slug("match"), a, b, func(c *catalog.Comparison) {
		c.Winner, c.UpdatedAt, c.Draft = pick(w, []string{a, b}), w.date(), w.IntN(6) == 0
	}))
}

func (w *World) putComparison(c *catalog.Comparison) {
	w.comparisons[c.Slug], w.touchedComparisons[c.Slug] = c, true
}

func (w *World) editComparison(edit func(*catalog.Comparison)) {
	if old := w.comparisons[anyOf(w, w.comparisons)]; old != nil {
		c := *old
		edit(&c)
		c.UpdatedAt = w.date()
		w.putComparison(&c)
	}
}

func (w *World) removeComparison(slug string) {
	delete(w.comparisons, slug)
	w.touchedComparisons[slug] = true
}

func (w *World) retire(slug string) {
	w.retired[slug] = Retired(slug, func(r *catalog.Retired) {
		r.Category, r.Reason, r.RetiredAt = w.category(), pick(w, catalog.Reasons()), w.date()
		r.Name, r.Note = w.name(), w.name()
		r.Facts.RetiredAt, r.Successor = w.fact(), w.successor(slug)
		r.Packages = w.packages()
		if w.IntN(2) == 0 {
			r.Domain = w.slug("domaine") + ".example"
		}
	})
	w.touchedRetired[slug] = true
}

func (w *World) removeRetired(slug string) {
	delete(w.retired, slug)
	w.touchedRetired[slug] = true
}

// changeService changes the name, the operator's words, a pattern of the site or the categories.
func (w *World) changeService() {
	site := &w.service.Site
	switch w.IntN(5) {
	case 2:
		w.service.Words.Promise.French, w.service.Words.Unsigned = w.name(), w.IntN(2) == 0
		w.service.Words.Proofs[0].Value.French = w.name()
		w.service.License = pick(w, append(catalog.Licenses(), ""))
	case 0:
		w.service.Name = fmt.Sprint("Palmarès ", w.number())
	case 1:
		w.categories = slices.Clone(w.categories)
		slices.Reverse(w.categories)
		w.categories[0].Label = strings.ToUpper(w.categories[0].Label)
		w.categories[0].English = w.translation()
	default:
		pattern := pick(w, []*string{&site.Tool, &site.Review, &site.Alternatives, &site.Comparison})
		*pattern = fmt.Sprintf("https://palmares.example/%d/{slug}", w.number())
	}
}

// changeFiles writes or removes one of the operator's files, or adds an incident.
func (w *World) changeFiles() {
	name := pick(w, []string{
		catalog.PageTerms + catalog.FrenchPage, catalog.PageTerms + catalog.EnglishPage, catalog.ThemeFile,
	})
	switch w.IntN(4) {
	case 0:
		delete(w.files, name)
		w.touchedFiles[name] = true
	case 1:
		w.incidents = append([]catalog.Incident{{
			At: w.date().Time(), Title: catalog.Localized{French: w.name()}, Text: catalog.Localized{English: w.name()},
		}}, w.incidents...)
	default:
		w.files[name] = catalog.NewOperatorFile(name, w.name())
		w.touchedFiles[name] = true
	}
}
