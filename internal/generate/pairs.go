package generate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

func (c comparison) slug() string { return c.a.Slug + versus + c.b.Slug }

// ranked gives the tool of the higher score first; the first named wins a draw.
func (c comparison) ranked() (winner, loser *tool) {
	if c.b.Score.Hundredths > c.a.Score.Hundredths {
		return c.b, c.a
	}
	return c.a, c.b
}

// planComparisons draws n different pairs, or with a negative n half as many as
// there are tools if so many pairs exist.
func (p *plan) planComparisons(n int) error {
	d := newPairs(p.tools)
	if pairs := len(d.scored) * (len(d.scored) - 1) / 2; n < 0 {
		n = min(len(p.tools)/2, pairs)
	} else if n > pairs {
		return fmt.Errorf("comparisons asked for: %d, but scored tools make only so many pairs: %d", n, pairs)
	}
	p.comparisons = make([]comparison, n)
	for i := range p.comparisons {
		rng := p.rng(pairFacts, i)
		a, b := d.draw(rng)
		p.comparisons[i] = comparison{a: p.tools[a], b: p.tools[b], draft: rng.IntN(100) < 3}
	}
	return nil
}

// pairs draws pairs of scored tools, each pair once. Tools are numbers.
type pairs struct {
	tools      []*tool
	scored     []int
	byCategory map[string][]int
	taken      map[[2]int]bool
	low, high  int // where the search for a pair left to take goes on
}

func newPairs(tools []*tool) *pairs {
	d := &pairs{tools: tools, byCategory: map[string][]int{}, taken: map[[2]int]bool{}, high: 1}
	for i, t := range tools {
		if t.Score.Known {
			d.scored = append(d.scored, i)
			d.byCategory[t.Category] = append(d.byCategory[t.Category], i)
		}
	}
	return d
}

// draw mostly stays within a category and avoids draws. When luck fails, because
// few pairs are left, it takes the next free one.
func (d *pairs) draw(rng *rand.Rand) (a, b int) {
	for range 30 {
		a = d.scored[rng.IntN(len(d.scored))]
		others := d.scored
		if rng.IntN(100) < 88 {
			others = d.byCategory[d.tools[a].Category]
		}
		b = others[rng.IntN(len(others))]
		if d.tools[a].Score != d.tools[b].Score && d.take(a, b) {
			return a, b
		}
	}
	for ; d.low < len(d.scored)-1; d.low, d.high = d.low+1, d.low+2 {
		for ; d.high < len(d.scored); d.high++ {
			if a, b := d.scored[d.low], d.scored[d.high]; d.take(a, b) {
				return a, b
			}
		}
	}
	panic("generate: no pair is left")
}

func (d *pairs) take(a, b int) bool {
	key := [2]int{min(a, b), max(a, b)}
	if a == b || d.taken[key] {
		return false
	}
	d.taken[key] = true
	return true
}

// The cemetery's last day, and how many days it goes back: five years.
const (
	lastRetirement = "2026-10-31"
	retirementDays = 5 * 365
)

func (p *plan) planRetired(n int, names *namer) {
	last, err := time.Parse(time.DateOnly, lastRetirement)
	if err != nil {
		panic(err)
	}
	p.retired = make([]retired, n)
	for i := range p.retired {
		rng := p.rng(retiredFacts, i)
		r := retired{category: drawCategory(rng)}
		r.Name, r.Slug = names.name(r.category)
		r.Category = r.category.slug
		r.Reason = catalog.Reasons()[weighted(rng, []int{40, 20, 20, 10, 10})]
		r.RetiredAt = catalog.DateOf(last.AddDate(0, 0, -rng.IntN(retirementDays)))
		heir := p.heir(rng, r.Category)
		r.heir, r.Successor = heir.Name, heir.Slug
		r.Facts.RetiredAt = catalog.Fact{
			Source: "https://" + r.Slug + ".example/fin", Checked: r.RetiredAt,
			Text: "le " + string(r.RetiredAt), Note: "vu n° " + strconv.Itoa(1+i),
		}
		if i%2 == 0 {
			r.Domain = r.Slug + ".example"
		}
		if i%4 == 0 {
			r.Packages = packagesOf(i/4, r.Slug)
		}
		p.retired[i] = r
	}
}

// heir draws a living tool, of the category if a few draws find one.
func (p *plan) heir(rng *rand.Rand, category string) *tool {
	t := p.tools[rng.IntN(len(p.tools))]
	for range 40 {
		if t.Category == category {
			break
		}
		t = p.tools[rng.IntN(len(p.tools))]
	}
	return t
}
