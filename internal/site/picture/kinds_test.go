package picture_test

import (
	"image"
	"testing"

	"github.com/palmares-hq/palmares/internal/site/picture"
)

// kinds are cards of comparisons, rankings and prices that say the same in all their parts.
func kinds(name string) map[string]picture.Card {
	side := picture.Corner{Name: name, Score: "10,0", Tenths: 100, Price: name}
	won := side
	won.Wins = true
	row := picture.Row{Name: name, Score: "10,0"}
	curve := make([]int, 120)
	for i := range curve {
		curve[i] = i * i % 1900
	}
	return map[string]picture.Card{
		"duel":         {Service: name, Kicker: name, Title: name, Duel: [2]picture.Corner{won, side}},
		"second":       {Service: name, Kicker: name, Title: name, Duel: [2]picture.Corner{side, won}},
		"unscored":     {Service: name, Title: name, Duel: [2]picture.Corner{{Name: name, Wins: true}, {Name: name}}},
		"ranking":      {Service: name, Kicker: name, Title: name, Rows: []picture.Row{row, row, row, row}},
		"no ranking":   {Service: name, Kicker: name, Title: name, Rows: []picture.Row{}},
		"prices":       {Service: name, Kicker: name, Title: name, Line: name, Figure: "1 234,50 €", OutOf: name, Curve: curve},
		"still prices": {Service: name, Title: name, Figure: "0 €", Curve: []int{0, 0}},
	}
}

// Whatever the names are, nothing is drawn in the margins or across the middle of a duel, and the winner alone is
// highlighted below the masthead.
func TestCard_Kinds(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"Tournevis", "智能助手"}, longNames...) {
		for kind, card := range kinds(name) {
			img := decoded(t, card)
			wantPaper(t, kind+" "+name, img,
				image.Rect(0, 0, 1200, 12), image.Rect(0, 620, 1200, 630), image.Rect(0, 145, 50, 630), image.Rect(1150, 145, 1200, 630))
			wantInk(t, kind+" "+name, img, image.Rect(0, 132, 1200, 142))
			left, right := count(img, image.Rect(50, 300, 600, 400), mark), count(img, image.Rect(600, 300, 1150, 400), mark)
			switch {
			case name != "Tournevis":
			case kind == "duel" && (left < 1000 || right > 0), kind == "second" && (right < 1000 || left > 0):
				t.Errorf("%s: %d pixels are highlighted at the left, %d at the right", kind, left, right)
			}
			if kind == "duel" || kind == "second" {
				wantPaper(t, kind+" "+name, img, image.Rect(590, 320, 598, 600), image.Rect(604, 320, 624, 600))
			}
		}
	}
}
