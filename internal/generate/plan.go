package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Default leaves a count of Options to Write, as any negative number does.
const Default = -1

// Options say what Write makes.
type Options struct {
	Tools       int // at least 1
	Comparisons int // Default is half as many as tools
	Retired     int // Default is a fifth of the tools
	Seed        uint64
	Progress    func(done, total int) // told now and then how many files are written, by one goroutine at a time; or nil
}

// A Summary counts what Write wrote. Drafts are among Comparisons.
type Summary struct {
	Categories, Tools, Scored, Reviewed, Comparisons, Drafts, Retired, Files int

	Bytes int64
}

// The categories in the order of categories.yaml, and their shares of the tools.
var (
	categories = strings.Fields("code chat image video voix agents recherche ecriture donnees automatisation design musique")
	shares     = []int{20, 14, 13, 7, 5, 12, 3, 8, 5, 9, 3, 1}
)

// The directories of a catalog.
const toolsDir, comparisonsDir, retiredDir = "tools/", "comparatifs/", "cimetiere/"

// A plan is a catalog but for its long texts, which are made when files are written, apart from each other.
type plan struct {
	*catalog.Contents
	sum   Summary
	seed  uint64
	rng   *rand.Rand
	taken map[string]bool // slugs
	files []file
}

type file struct {
	path    string
	content func() string
}

func newPlan(o Options) (*plan, error) {
	if o.Tools < 1 {
		return nil, fmt.Errorf("a catalog needs at least one tool, not %d", o.Tools)
	}
	if o.Retired < 0 {
		o.Retired = o.Tools / 5
	}
	p := &plan{Contents: &catalog.Contents{}, seed: o.Seed, rng: newRand(o.Seed, 0), taken: map[string]bool{}}
	p.files = append(p.files, file{"categories.yaml", func() string { return render("categories", p.Categories) }})
	for _, slug := range categories {
		label, english := newSpeaker(p.rng, slug, nil).short("label")
		synonyms := keywords(slug)
		synonyms.French, synonyms.English = synonyms.French[:6], synonyms.English[:6]
		p.Categories = append(p.Categories, catalog.Category{Slug: slug, Label: label, English: english, Synonyms: synonyms})
	}
	for i := range o.Tools {
		p.Tools = append(p.Tools, p.newTool(i, i < max(1, (o.Tools+500)/1000)))
	}
	for i := range o.Retired {
		p.Retired = append(p.Retired, p.newRetired(i))
	}
	if err := p.compare(o.Comparisons); err != nil {
		return nil, err
	}
	p.files = append(p.files, file{"catalog.yaml", func() string { return render("catalog", nil) }})
	p.Sort()
	p.sum.Categories, p.sum.Tools, p.sum.Retired = len(categories), o.Tools, o.Retired
	p.sum.Comparisons, p.sum.Files = len(p.Comparisons), len(p.files)
	return p, nil
}

// add plans the file of an item, and the one in English if it is to be.
func (p *plan) add(path, kind string, item any, say func(*rand.Rand) text, english bool) {
	n := len(p.files)
	p.files = append(p.files, file{path + ".md", func() string {
		data := fence + render(kind, item) + fence
		if say != nil {
			data += "\n" + say(newRand(p.seed, n)).french + "\n"
		}
		return data
	}})
	if english {
		p.files = append(p.files, file{path + ".en.md", func() string { return say(newRand(p.seed, n)).english + "\n" }})
	}
}

// newTool makes the ith tool, of tier 1 if it is a top one.
func (p *plan) newTool(i int, top bool) *catalog.Tool {
	t := &catalog.Tool{
		Category: categories[p.weighted(shares...)], ICP: one(p.rng, catalog.ICPs()), Pricing: catalog.Pricings()[p.weighted(20, 50, 30)],
		Tier: 2 + p.weighted(10, 90), Obsolescence: p.measure(260, 190, 0), Mainstream: top || p.rng.IntN(100) < 15,
	}
	if top {
		t.Tier = 1
	}
	t.Name, t.Slug = p.newName()
	t.Domain, t.Packages, t.Price = t.Slug+".example", p.packages(t.Slug), newPrice(p.rng, t.Pricing)
	t.Facts.Price, t.Facts.Domain = p.fact(t.Domain+"/price", "dès "+t.Price), p.fact(t.Domain+"/domain", "le site "+t.Domain)
	t.Tagline, t.English.Tagline = newSpeaker(p.rng, t.Category, nil).short("tagline")
	if i%50 == 49 { // the tool before does not end
		t.Ending = catalog.Ending{At: day(2027, i%300), Source: "https://" + t.Domain + "/fin", Successor: p.Tools[i-1].Slug}
	}
	if i%50 == 29 {
		t.Since = day(2024, i%300)
		t.Next = catalog.NextPrice{Pricing: catalog.Paid, Price: dearer(t.Price), From: day(2027, i%300), Source: "https://" + t.Domain + "/tarifs"}
	}
	if i%3 == 1 { // three neighbours of those that the category does not have
		all, at := keywords(t.Category), 6+p.rng.IntN(4)
		t.Keywords = catalog.Synonyms{French: all.French[at : at+3], English: all.English[at : at+3]}
	}
	var say func(*rand.Rand) text
	if top || p.rng.IntN(100) >= 12 {
		t.Score, t.Verifiability = p.measure([]int{880, 750, 675}[t.Tier-1], 100, 100), p.measure(640, 160, 50)
		t.Tested = catalog.Tested{By: one(p.rng, testers), On: day(2025, p.rng.IntN(365))}
		t.Facts.Score = p.fact(t.Domain+"/score", t.Score.String()+"/10")
		p.sum.Scored++
		if top || p.rng.IntN(100) >= 8 {
			p.sum.Reviewed++
			say = func(rng *rand.Rand) text { return review(rng, t) }
		}
	}
	p.add(toolsDir+t.Slug, "tool", t, say, say != nil && p.rng.IntN(3) == 0)
	return t
}

// keywords returns twelve keywords of a category: six for all of its tools, and six for some.
func keywords(category string) catalog.Synonyms {
	t := phrasesByKey[category+" keywords"][0]
	return catalog.Synonyms{French: strings.Split(t.french, ", "), English: strings.Split(t.english, ", ")}
}

// newRetired makes the ith retired tool, and names a living one of its category to use instead.
func (p *plan) newRetired(i int) *catalog.Retired {
	name, slug := p.newName()
	heir, at := one(p.rng, p.Tools), day(2021, 304+p.rng.IntN(5*365)) // from November 2021 to October 2026
	r := &catalog.Retired{
		Name: name, Slug: slug, Packages: p.packages(slug), Category: heir.Category, RetiredAt: at, Successor: heir.Slug,
		Reason: catalog.Reasons()[p.weighted(40, 20, 20, 10, 10)], Domain: []string{slug + ".example", ""}[i%2],
	}
	r.Facts.RetiredAt = p.fact(slug+".example/fin", "le "+string(at))
	r.Facts.RetiredAt.Checked = at
	p.add(retiredDir+slug, "retired", r, func(rng *rand.Rand) text {
		return newSpeaker(rng, r.Category, map[string]string{"tool": name, "heir": heir.Name}).say(string(r.Reason), "epitaph")
	}, true)
	return r
}

// compare makes n comparisons, or with a negative n half as many as there are tools if so many pairs exist. It pairs
// tools of different scores that are near each other in a list by category, where some are out of place.
func (p *plan) compare(n int) error {
	scored := slices.DeleteFunc(slices.Clone(p.Tools), func(t *catalog.Tool) bool { return !t.Score.Known })
	slices.SortStableFunc(scored, func(a, b *catalog.Tool) int { return strings.Compare(a.Category, b.Category) })
	for range len(scored) * 3 / 100 {
		i, j := p.rng.IntN(len(scored)), p.rng.IntN(len(scored))
		scored[i], scored[j] = scored[j], scored[i]
	}
	var pairs [][2]*catalog.Tool
	for step := 1; step < len(scored) && len(pairs) < max(n, 8*len(scored)); step++ {
		for i, b := range scored[step:] {
			if a := scored[i]; a.Score != b.Score {
				pairs = append(pairs, [2]*catalog.Tool{a, b})
			}
		}
	}
	if n < 0 {
		n = min(len(p.Tools)/2, len(pairs))
	} else if n > len(pairs) {
		return fmt.Errorf("comparisons asked for: %d, but scored tools make only so many pairs: %d", n, len(pairs))
	}
	p.rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	for _, pair := range pairs[:n] {
		p.Comparisons = append(p.Comparisons, p.newComparison(pair[0], pair[1]))
	}
	return nil
}

func (p *plan) newComparison(a, b *catalog.Tool) *catalog.Comparison {
	winner, loser := a, b
	if b.Score.Hundredths > a.Score.Hundredths {
		winner, loser = b, a
	}
	slug, draft := a.Slug+"-vs-"+b.Slug, p.rng.IntN(100) < 3
	c := &catalog.Comparison{Slug: slug, ToolA: a.Slug, ToolB: b.Slug, Winner: winner.Slug, Draft: draft}
	if draft {
		p.sum.Drafts++
	}
	facts := map[string]string{"a": a.Name, "b": b.Name, "winner": winner.Name, "loser": loser.Name}
	c.Title, c.English.Title = newSpeaker(p.rng, a.Category, facts).short("title")
	p.add(comparisonsDir+slug, "comparison", c, func(rng *rand.Rand) text {
		return newSpeaker(rng, a.Category, facts).say("advantage", "nuance")
	}, true)
	return c
}

// newName makes a name whose slug is not taken, and takes it.
func (p *plan) newName() (name, slug string) {
	for try := 1; ; try++ {
		name = one(p.rng, starts) + one(p.rng, middles) + one(p.rng, ends) + one(p.rng, additions)
		if try > 6 { // the short names are running out
			name += " " + strconv.Itoa(2+p.rng.IntN(try*try))
		}
		slug = strings.NewReplacer(" & ", "-", " ", "-", ".", "-", "é", "e", "ê", "e", "ç", "c").Replace(strings.ToLower(name))
		if !p.taken[slug] {
			p.taken[slug] = true
			return name, slug
		}
	}
}

// packages returns none, one or two. Slugs are what registries allow, and no two items have the same.
func (p *plan) packages(slug string) []string {
	return append([]string(nil), []string{"pkg:npm/%40" + slug + "/cli", "pkg:pypi/" + slug}[:p.weighted(67, 25, 8)]...)
}

// fact is the source of a value. Some quote what the page says, and fewer have a note.
func (p *plan) fact(page, quote string) catalog.Fact {
	f := catalog.Fact{Source: "https://" + page, Checked: day(2026, p.rng.IntN(290))}
	if p.rng.IntN(10) == 0 {
		f.Text = quote
	}
	if p.rng.IntN(20) == 0 {
		f.Note = "relevé n° " + strconv.Itoa(1+len(p.files))
	}
	return f
}

// weighted draws an index in proportion to the weights, which make a hundred.
func (p *plan) weighted(weights ...int) (i int) {
	for at := p.rng.IntN(100); at >= weights[i]; i++ {
		at -= weights[i]
	}
	return i
}

// measure draws from a bell, a sum of twelve even draws, in hundredths; one in ten has a second decimal.
func (p *plan) measure(mean, spread, floor int) catalog.Measure {
	sum := 0
	for range 12 {
		sum += p.rng.IntN(1000)
	}
	n := min(max(mean+(sum-5994)*spread/1000, floor), 980)
	if p.rng.IntN(10) > 0 {
		n -= n % 10
	}
	return catalog.Hundredths(n)
}

// newPrice draws a price in euros: nothing for a free tool, and for a freemium one what its first paid plan costs.
func newPrice(rng *rand.Rand, pricing catalog.Pricing) string {
	switch {
	case pricing == catalog.Free:
		return "0 €/mois"
	case rng.IntN(100) < 22:
		return strconv.Itoa(one(rng, monthly)*(8+rng.IntN(5))) + one(rng, cents) + " €/an"
	default:
		return strconv.Itoa(one(rng, monthly)) + one(rng, cents) + " €/mois"
	}
}

// dearer returns a price that is twice another one.
func dearer(price string) string {
	p, _ := catalog.ParsePrice(price)
	return catalog.Price{Cents: max(2*p.Cents, 500), Period: p.Period}.String()
}

func one[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

func day(year, n int) catalog.Date {
	return catalog.DateOf(time.Date(year, 1, 1+n, 0, 0, 0, 0, time.UTC))
}

// What prices and names are made of: a name has a start, a middle and an end, then perhaps something more.
var (
	testers = []string{"Camille Aubry", "Idriss Morel", "Jeanne Vasseur"}
	monthly = []int{4, 5, 7, 8, 9, 10, 12, 14, 15, 18, 19, 20, 22, 24, 25, 29, 35, 39, 45, 49, 59, 79, 99, 149}
	cents   = []string{"", "", "", "", "", "", "", ",90", ",99", ",50"}
	starts  = strings.Fields(`Al Ar Bel Bor Bri Cal Cé Clar Cor Dal Del Dor Élo Er Fal Fê Flo Gal Gra Is Jal Jor Kal Kel Kor Lan
		Lé Lor Lu Mar Mé Mil Mor Nal Né Nor Ob Or Pal Per Pri Quan Ral Ré Riv Sal Sé Sol Syl Tal Té Tri Ul Val Vé Vol Zal Zé Çal Ê`)
	middles   = strings.Fields("ba bi ca da di fi ga la li lo lu ma mi mo na ni no ra ri ro sa so ta ti to va vi xa zo ré lé né bri dra tri mê")
	ends      = strings.Fields("nne ris lys ge ne ra via xis no lia ria del mo tis vo zen dia lune phane scope nova nef tor line rêve clé bois fil s")
	additions = strings.Split(strings.Repeat("|", 18)+".ia| IA| & Cie| & Fils| Studio| Pro| Lab| Direct| Plus| Forge| Atelier| Express"+
		"| Mini| Libre| Relais| Plume| Écho| Pixel| Agent| Boussole| Code| Dialogue| Cadence| Équipage", "|")
)
