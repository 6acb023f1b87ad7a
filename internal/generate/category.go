package generate

import "math/rand/v2"

// A category is one of the twelve, with its share of the tools, the profiles its
// tools are made for and the words it is spoken of with.
type category struct {
	slug, label string
	weight      int
	icps        []int // in the order of catalog.ICPs
	nameWords   []string
	words       lexicon
}

func drawCategory(rng *rand.Rand) category {
	weights := make([]int, len(categories))
	for i, c := range categories {
		weights[i] = c.weight
	}
	return categories[weighted(rng, weights)]
}

// categoryBySlug finds one of the categories.
func categoryBySlug(slug string) (category, bool) {
	for _, c := range categories {
		if c.slug == slug {
			return c, true
		}
	}
	return category{}, false
}

// weighted draws an index in proportion to the weights.
func weighted(rng *rand.Rand, weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	at := rng.IntN(sum)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	panic("generate: unreachable")
}
