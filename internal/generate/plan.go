package generate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

var testers = []string{"Camille Aubry", "Idriss Morel", "Jeanne Vasseur"}

// A comparison sets two scored tools head to head.
type comparison struct {
	a, b  *tool
	draft bool
}

// A retired is a tool of the cemetery, with the living tool its note may name.
type retired struct {
	catalog.Retired
	category category
	heir     string
}

// A plan is everything that must be decided before files can be written apart
// from each other: names, which are unique, and facts that other items rest on.
type plan struct {
	seed        uint64
	tools       []*tool
	comparisons []comparison
	retired     []retired
}

// A tool is a tool's facts; its tagline and its review are made when its file is.
type tool struct {
	catalog.Tool
	category category
	reviewed bool
}

// The streams of randomness: one for each use and item, so that no item's draws
// move another's.
const (
	toolFacts = iota
	toolNames
	pairFacts
	retiredFacts
	toolText
	comparisonText
	retiredText
	mutation
)

func (p *plan) rng(stream, item int) *rand.Rand { return newRand(p.seed, stream, item) }

// newRand spreads stream and item over the whole state (splitmix64's finish):
// neighbours would otherwise begin alike.
func newRand(seed uint64, stream, item int) *rand.Rand {
	x := uint64(stream)<<56 ^ uint64(item) + 0x9e3779b97f4a7c15 //nolint:gosec // neither is negative
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return rand.New(rand.NewPCG(seed, x^x>>31)) //nolint:gosec // reproducible is what it must be
}

func newPlan(o Options) (*plan, error) {
	if o.Tools < 1 {
		return nil, fmt.Errorf("a catalog needs at least one tool, not %d", o.Tools)
	}
	if o.Retired < 0 {
		o.Retired = o.Tools / 5
	}
	p := &plan{seed: o.Seed}
	names := &namer{rng: p.rng(toolNames, 0), taken: make(map[string]bool, o.Tools+o.Retired)}
	p.planTools(o.Tools, names)
	p.planRetired(o.Retired, names)
	if err := p.planComparisons(o.Comparisons); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *plan) planTools(n int, names *namer) {
	p.tools = make([]*tool, n)
	top := p.topTools(n)
	for i := range p.tools {
		p.tools[i] = newTool(p.rng(toolFacts, i), top[i], names)
	}
	for i, t := range p.tools {
		p.source(i, t)
		if i%3 == 0 {
			t.Packages = packagesOf(i, t.Slug)
		}
	}
}

// packagesOf are those of the ith item that has some. Slugs are what registries allow, and no two items have the same.
func packagesOf(i int, slug string) []string {
	if i%4 == 0 {
		return []string{"pkg:npm/%40" + slug + "/cli", "pkg:pypi/" + slug}
	}
	return []string{"pkg:npm/" + slug}
}

// endsOneIn is how rare tools are whose end is announced.
const endsOneIn = 50

// source gives a tool its sources. They are made of what is there already, for a number of their own would change all
// that comes after it.
func (p *plan) source(i int, t *tool) {
	fact := func(field catalog.FactField, n int, text string) catalog.Fact {
		f := catalog.Fact{
			Source:  "https://" + t.Domain + "/" + string(field),
			Checked: catalog.DateOf(time.Date(2026, 1, 1+(i*7+n)%290, 0, 0, 0, 0, time.UTC)),
		}
		if i%10 == 0 {
			f.Text = text
		}
		if i%20 == n {
			f.Note = "relevé n° " + strconv.Itoa(1+i/20)
		}
		return f
	}
	t.Facts.Price = fact(catalog.PriceFact, 1, "dès "+t.Price)
	t.Facts.Domain = fact(catalog.DomainFact, 2, "le site "+t.Domain)
	if t.Score.Known {
		t.Facts.Score = fact(catalog.ScoreFact, 3, t.Score.String()+"/10")
	}
	if i%endsOneIn == endsOneIn-1 { // the tool before does not end
		t.Ending = catalog.Ending{
			At:     catalog.DateOf(time.Date(2027, 1, 1+i%300, 0, 0, 0, 0, time.UTC)),
			Source: "https://" + t.Domain + "/fin", Successor: p.tools[i-1].Slug,
		}
	}
}

// topTools draws the tools of tier 1: one in a thousand, and at least one.
func (p *plan) topTools(n int) map[int]bool {
	rng := p.rng(toolNames, 1)
	top := map[int]bool{}
	for want := max(1, (n+500)/1000); len(top) < want; {
		top[rng.IntN(n)] = true
	}
	return top
}

func newTool(rng *rand.Rand, top bool, names *namer) *tool {
	t := &tool{category: drawCategory(rng)}
	t.Name, t.Slug = names.name(t.category)
	t.Domain = t.Slug + ".example"
	t.Category = t.category.slug
	t.ICP = catalog.ICPs()[weighted(rng, t.category.icps)]
	t.Pricing = catalog.Pricings()[weighted(rng, []int{20, 50, 30})]
	t.Price = drawPrice(rng, t.Pricing)
	t.Obsolescence = measure(rng, 260, 190, 0)

	mean := 675
	t.Tier = 3
	switch {
	case top:
		t.Tier, mean = 1, 880
	case rng.IntN(100) < 10:
		t.Tier, mean = 2, 750
	}
	t.Mainstream = top || rng.IntN(100) < 15
	if top || rng.IntN(100) >= 12 {
		t.Score = measure(rng, mean, 100, 100)
		t.Verifiability = measure(rng, 640, 160, 50)
		t.reviewed = top || rng.IntN(100) >= 8
		// Made of what is there already: a number of its own would change all that comes after it.
		t.Tested = catalog.Tested{
			By: testers[int(t.Score.Hundredths)%len(testers)],
			On: catalog.Date(fmt.Sprintf("2025-%02d-%02d", 1+t.Score.Hundredths%12, 1+t.Verifiability.Hundredths%28)),
		}
	}
	return t
}

// measure draws from a bell, in hundredths; one in ten has a second decimal. The
// bell is a sum of twelve even draws: whole numbers are the same on every machine.
func measure(rng *rand.Rand, mean, spread, floor int) catalog.Measure {
	sum := 0
	for range 12 {
		sum += rng.IntN(1000)
	}
	n := max(mean+(sum-5994)*spread/1000, floor) / 10 * 10
	if rng.IntN(10) == 0 {
		n += 1 + rng.IntN(9)
	}
	return catalog.Hundredths(min(n, 980))
}

// drawPrice draws a price in euros: nothing for a free tool, and for a freemium
// one what its first paid plan costs.
func drawPrice(rng *rand.Rand, pricing catalog.Pricing) string {
	if pricing == catalog.Free {
		return "0 €/mois"
	}
	monthly := [...]int{4, 5, 7, 8, 9, 10, 12, 14, 15, 18, 19, 20, 22, 24, 25, 29, 35, 39, 45, 49, 59, 79, 99, 149}
	amount, period := monthly[rng.IntN(len(monthly))], "mois"
	if rng.IntN(100) < 22 {
		amount, period = amount*(8+rng.IntN(5)), "an"
	}
	text := strconv.Itoa(amount)
	switch p := rng.IntN(100); {
	case p < 14:
		text += ",90"
	case p < 22:
		text += ",99"
	case p < 26:
		text += ",50"
	}
	return text + " €/" + period
}

func (p *plan) files() int { return len(p.tools) + len(p.comparisons) + len(p.retired) + 2 }

func (p *plan) summary() Summary {
	sum := Summary{
		Categories:  len(categories),
		Tools:       len(p.tools),
		Comparisons: len(p.comparisons),
		Retired:     len(p.retired),
	}
	for _, t := range p.tools {
		if t.Score.Known {
			sum.Scored++
		}
		if t.reviewed {
			sum.Reviewed++
		}
	}
	for _, c := range p.comparisons {
		if c.draft {
			sum.Drafts++
		}
	}
	return sum
}
