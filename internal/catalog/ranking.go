package catalog

import (
	"cmp"
	"slices"
	"sort"
)

// A Rank is the place of a tool in the list by falling score, counted from 1. Tools with equal
// scores share a rank, and the next rank counts them all: 1, 1, 3.
type Rank struct {
	Overall    int
	InCategory int
}

// Rank returns the rank of a living tool, and whether it has one: tools without a score have none.
func (s *Snapshot) Rank(slug string) (Rank, bool) {
	e := s.tools.get(slug)
	if e == nil || !e.Score.Known {
		return Rank{}, false
	}
	return Rank{Overall: s.better(e, "") + 1, InCategory: s.better(e, e.Category) + 1}, true
}

// better returns how many tools of a category have a higher score.
func (s *Snapshot) better(e *toolEntry, category string) int {
	list := s.byScoreDesc.list(category)
	return sort.Search(len(list), func(i int) bool { return list[i].score.compare(e.Score) <= 0 })
}

// position returns the index of a tool in the list of a category by falling score.
func (s *Snapshot) position(e *toolEntry, category string) int {
	i, _ := slices.BinarySearchFunc(s.byScoreDesc.list(category), listed(e), s.byScoreDesc.compare)
	return i
}

// MaxAlternatives is the largest number of alternatives of a tool.
const MaxAlternatives = 12

// MinAlternativeScore is the score, in hundredths, below which no tool is recommended as an alternative. A
// successor that editors name is recommended whatever its score.
const MinAlternativeScore = 600

// Alternatives returns at most MaxAlternatives tools of the same category to use instead of a tool,
// none with a score below MinAlternativeScore: the best ones for a retired tool, the closest ones for a
// living tool. The distance between two tools is the sum of:
//
//   - the difference of their scores, in hundredths. A tool without a score looks for the best ones,
//     as if it had the highest score. A candidate without a score is further away than any other.
//   - up to 200 for the difference of their prices: none for equal prices, 200 between a free tool
//     and one that is not, 100 when the periods have nothing in common.
//   - 150 when they are for different profiles, 50 when one of them is for everybody.
//
// Ties go to the higher score, then to the slug.
func (s *Snapshot) Alternatives(slug string) []*Tool {
	e := s.tools.get(slug)
	if e == nil {
		return s.best(slug)
	}
	list, low, unscored := s.offered(e.Category)
	position := s.position(e, e.Category)
	above, below := min(position, low)-1, position+1
	if !e.Score.Known {
		above, below = -1, 0
	}
	a := newAlternatives(e)
	// The list is ordered by score, so walking away from the tool in both directions meets ever
	// larger differences. The walk ends once the difference alone exceeds the largest distance
	// kept.
	for {
		if low <= below && below < unscored {
			below = unscored
		}
		if above < 0 && below >= len(list) {
			break
		}
		next := below
		if below >= len(list) || above >= 0 && a.scoreGap(list[above].score) <= a.scoreGap(list[below].score) {
			next = above
			above--
		} else {
			below++
		}
		if list[next].toolEntry == e {
			continue
		}
		if a.full() && a.scoreGap(list[next].score) > a.farthest() {
			break
		}
		a.add(list[next].toolEntry)
	}
	return a.tools()
}

// best returns the tools to use instead of a retired one, best first.
func (s *Snapshot) best(slug string) []*Tool {
	r, ok := s.Retired(slug)
	if !ok {
		return nil
	}
	list, low, unscored := s.offered(r.Category)
	var tools []*Tool
	for _, part := range [][]listedTool{list[:low], list[unscored:]} {
		for _, e := range part[:min(len(part), MaxAlternatives-len(tools))] {
			tools = append(tools, e.Tool)
		}
	}
	return tools
}

// offered returns the list of a category by falling score, and the range [low, unscored) whose
// scores are too low to recommend.
func (s *Snapshot) offered(category string) (list []listedTool, low, unscored int) {
	list = s.byScoreDesc.list(category)
	low = sort.Search(len(list), func(i int) bool { return list[i].score.compare(Hundredths(MinAlternativeScore)) < 0 })
	unscored = low + sort.Search(len(list)-low, func(i int) bool { return !list[low+i].score.Known })
	return list, low, unscored
}

// alternatives are the closest tools found so far, closest first.
type alternatives struct {
	score   int16
	price   Price
	profile ICP
	found   []alternative
}

type alternative struct {
	*Tool
	distance int
}

func newAlternatives(e *toolEntry) *alternatives {
	a := &alternatives{score: maxHundredths, profile: e.ICP, price: e.yearly()}
	if e.Score.Known {
		a.score = e.Score.Hundredths
	}
	return a
}

// yearly returns the tool's price, converted to a year if that is possible. Most prices were parsed
// when the entry was made.
func (e *toolEntry) yearly() Price {
	if e.perYear != unknownPrice {
		return Price{e.perYear, yearly}
	}
	price, _ := ParsePrice(e.Price)
	return price.Yearly()
}

// scoreGap returns the part of the distance that comes from the score.
func (a *alternatives) scoreGap(score Measure) int {
	if !score.Known {
		return 2 * maxHundredths
	}
	return int(max(a.score-score.Hundredths, score.Hundredths-a.score))
}

func (a *alternatives) priceGap(price Price) int {
	const most = 200
	low, high := min(price.Cents, a.price.Cents), max(price.Cents, a.price.Cents)
	switch {
	case high == 0:
		return 0 // free for a month is free for a seat
	case low == 0:
		return most
	case price.Period != a.price.Period:
		return most / 2
	}
	return int(most * (high - low) / high)
}

func (a *alternatives) profileGap(profile ICP) int {
	switch {
	case profile == a.profile:
		return 0
	case profile == Mixed || a.profile == Mixed:
		return 50
	}
	return 150
}

func (a *alternatives) full() bool { return len(a.found) == MaxAlternatives }

func (a *alternatives) farthest() int { return a.found[len(a.found)-1].distance }

func (a *alternatives) add(e *toolEntry) {
	candidate := alternative{e.Tool, a.scoreGap(e.Score) + a.profileGap(e.ICP)}
	if a.full() && candidate.distance > a.farthest() {
		return // too far, whatever its price
	}
	candidate.distance += a.priceGap(e.yearly())
	i, _ := slices.BinarySearchFunc(a.found, candidate, func(x, y alternative) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), y.Score.compare(x.Score), cmp.Compare(x.Slug, y.Slug))
	})
	if a.full() {
		if i == MaxAlternatives {
			return
		}
		a.found = a.found[:MaxAlternatives-1]
	}
	a.found = slices.Insert(a.found, i, candidate)
}

func (a *alternatives) tools() []*Tool {
	out := make([]*Tool, len(a.found))
	for i, x := range a.found {
		out[i] = x.Tool
	}
	return out
}
