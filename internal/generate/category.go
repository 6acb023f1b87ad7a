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
