package main

import "testing"

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		figures []float64
		want    spread
	}{
		{nil, spread{}},
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{2, 1}, spread{1.25, 1.5, 1.75}},
		{[]float64{5, 1, 3, 2, 4}, spread{2, 3, 4}},
		{[]float64{8, 1, 7, 2, 6, 3, 5, 4}, spread{2.75, 4.5, 6.25}},
	} {
		if got := spreadOf(c.figures); got != c.want {
			t.Errorf("%v: got %v, want %v", c.figures, got, c.want)
		}
	}
}

func TestSpreadLeavesTheOrder(t *testing.T) {
	t.Parallel()
	figures := []float64{3, 1, 2}
	if median(figures) != 2 || figures[0] != 3 {
		t.Errorf("the figures are %v now", figures)
	}
}
