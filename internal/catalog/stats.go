package catalog

import "iter"

// Stats are the figures of the catalog.
type Stats struct {
	Tools        int // living
	Tested       int // of those, how many have a score
	AverageScore Measure
	Retired      int
	Comparisons  int
}

// CategoryStats are the figures of a category.
type CategoryStats struct {
	Category
	Tools        int
	AverageScore Measure
}

// averageScore returns how many scores are known, and their average, rounded half up; absent if
// there are none.
func averageScore(scores iter.Seq[Measure]) (known int, average Measure) {
	sum := 0
	for score := range scores {
		if score.Known {
			known++
			sum += int(score.Hundredths)
		}
	}
	if known == 0 {
		return 0, Measure{}
	}
	return known, Hundredths((2*sum + known) / (2 * known))
}

func encodeStats(s Stats) []byte {
	o := newObject()
	o.int("tools_total", s.Tools)
	o.int("tools_tested", s.Tested)
	o.hundredths("tools_avg_score", s.AverageScore.Hundredths) // 0 when absent
	o.int("tools_retired", s.Retired)
	o.int("comparatifs_total", s.Comparisons)
	return o.close()
}

func encodeCategories(categories []CategoryStats) []byte {
	o := newObject()
	o.raw("data", appendArray(nil, categories, func(b []byte, c CategoryStats) []byte {
		return append(b, encodeCategory(c)...)
	}))
	return o.close()
}

func encodeCategory(c CategoryStats) []byte {
	o := newObject()
	o.string("slug", c.Slug)
	o.string("label", c.Label)
	o.int("tool_count", c.Tools)
	o.hundredths("avg_score", c.AverageScore.Hundredths) // 0 when absent
	return o.close()
}
