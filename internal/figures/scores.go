package figures

import "github.com/palmares-hq/palmares/internal/catalog"

// Scores counts living tools by their score, in tenths as it is shown: 91 is 9.1.
type Scores [101]int

// Tenth is the place of a score in Scores.
func Tenth(m catalog.Measure) int { return int(m.Rounded().Hundredths) / 10 }

// Ends returns the lowest and the highest score, in tenths; ok is false without any.
func (s *Scores) Ends() (low, high int, ok bool) {
	low = -1
	for i, n := range s {
		if n > 0 {
			if high = i; low < 0 {
				low = i
			}
		}
	}
	return low, high, low >= 0
}

func scoresOf(s *catalog.Snapshot) *Scores {
	counts := new(Scores)
	every := catalog.Paging{Page: 1, Limit: max(1, s.Stats().Tools)}
	for _, t := range s.Tools(catalog.ToolQuery{Paging: every, Order: catalog.NameAsc}).Items {
		if t.Score.Known {
			counts[min(max(Tenth(t.Score), 0), len(counts)-1)]++
		}
	}
	return counts
}
