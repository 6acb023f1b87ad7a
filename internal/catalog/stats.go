package catalog

import "iter"

// Stats is the catalog in figures.
type Stats struct {
	Tools        int // living
	Tested       int // of those, how many have a score
	AverageScore Measure
	Retired      int
	Comparisons  int
}

// CategoryStats is a category in figures.
type CategoryStats struct {
	Category
	Tools        int
	AverageScore Measure
}

// averageScore counts the known scores and averages them, rounded half up. Without any the average
// is absent.
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
