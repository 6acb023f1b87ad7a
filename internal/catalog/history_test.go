package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Each case has editions, a line each: a day, what happened to the tool outil (a ! marks a correction), a price and a
// score, or the day of a retirement. It wants intervals of history, as format writes them.
func TestHistory(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ editions, want string }{
		"values last until the next one": {`
			2025-01-10 created 20 9.1
			2025-06-10 price 24
			2025-09-01 score 9.3`, `
			price 24 2025-06-10/ published
			price 20 2025-01-10/2025-06-10 published
			score 9.3 2025-09-01/ published
			score 9.1 2025-01-10/2025-09-01 published
			life 2025-01-10/ published`},
		"the last value of a day": {`
			2025-01-10 created 20 9
			2025-02-01 price 24
			2025-02-01 price 26
			2025-03-01 price 28
			2025-03-01 price 26
			2025-04-01 price 5
			2025-04-01 score -`, `
			price 5 2025-04-01/ published
			price 26 2025-02-01/2025-04-01 published
			price 20 2025-01-10/2025-02-01 published
			score 9 2025-01-10/2025-04-01 published
			life 2025-01-10/ published`},
		"a correction replaces": {`
			2025-01-10 created 20 9
			2025-02-01 price 2
			2025-02-02 price! 22
			2025-03-01 score 1
			2025-03-05 score! 8`, `
			price 22 2025-02-01/ published corrected
			price 20 2025-01-10/2025-02-01 published
			score 8 2025-03-01/ published corrected
			score 9 2025-01-10/2025-03-01 published
			life 2025-01-10/ published`},
		"a correction that goes back": {`
			2025-01-10 created 20 9
			2025-02-01 price 2
			2025-02-02 price! 20
			2025-02-05 price! 21
			2025-03-01 price 30`, `
			price 30 2025-03-01/ published
			price 21 2025-01-10/2025-03-01 published corrected
			score 9 2025-01-10/ published
			life 2025-01-10/ published`},
		"a life ends on the day, not when it is published": {`
			2025-01-10 created 20 9
			2025-03-01 price 24
			2025-04-01 score 8
			2025-05-01 retired 2025-03-20
			2025-06-01 cemetery 2025-03-21`, `
			price 24 2025-03-01/2025-03-21 published
			price 20 2025-01-10/2025-03-01 published
			score 9 2025-01-10/2025-03-21 published
			life 2025-01-10/2025-03-21 published`},
		"retired before it came": {`
			2025-01-10 created 20 9
			2025-05-01 retired 2025-01-10`, ``},
		"a return continues, with a gap": {`
			2025-01-10 created 20 9
			2025-02-01 retired 2025-01-20
			2025-05-01 created 30 -
			2025-05-01 dug
			2025-06-01 price! 31
			2025-07-01 price 32`, `
			price 32 2025-07-01/ published
			price 31 2025-05-01/2025-07-01 published corrected
			price 20 2025-01-10/2025-01-20 published
			score 9 2025-01-10/2025-01-20 published
			life 2025-05-01/ published
			life 2025-01-10/2025-01-20 published`},
		"a return before the day of the end": {`
			2025-01-10 created 20 -
			2025-02-01 retired 2025-12-31
			2025-05-01 created 20 -
			2025-05-01 dug`, `
			price 20 2025-05-01/ published
			price 20 2025-01-10/2025-05-01 published
			life 2025-05-01/ published
			life 2025-01-10/2025-05-01 published`},
		"after a removal it begins empty": {`
			2025-01-10 created 20 9
			2025-02-01 price 30
			2025-03-01 removed
			2025-04-01 created 5 -`, `
			price 5 2025-04-01/ published
			life 2025-04-01/ published`},
		"out of the cemetery": {`
			2025-01-10 created 20 9
			2025-02-01 retired 2025-01-20
			2025-03-01 dug`, ``},
		"only ever in the cemetery": {`
			2025-01-10 buried 2024-05-01`, `
			life /2024-05-01 published`},
		"renamed": {`
			2025-01-10 created 20 9
			2025-03-01 renamed 8`, `
			price 20 2025-01-10/ published
			score 8 2025-03-01/ published
			score 9 2025-01-10/2025-03-01 published
			life 2025-01-10/ published`},
		"stated": {`
			2025-01-10 created 20 -
			2025-05-01 price 30
			2025-05-01 since 2025-03-15
			2025-07-01 price 40`, `
			price 40 2025-07-01/ published
			price 30 2025-03-15/2025-07-01 stated
			price 20 2025-01-10/2025-03-15 published
			life 2025-01-10/ published`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slug, histories := played(t, x.editions)
			history := NewHistory(histories[slug])
			testkit.Equal(t, "packed and unpacked", history.Rows(), histories[slug])
			if len(histories) > 1 {
				t.Errorf("there are histories of others: %v", histories)
			}
			testkit.Equal(t, "intervals", format(history.Intervals()), strings.ReplaceAll(strings.TrimSpace(x.want), "\t", ""))
		})
	}
}

// played records editions, and returns the slug that the tool has at their end.
func played(t *testing.T, editions string) (slug string, h Histories) {
	t.Helper()
	slug, h = "outil", make(Histories)
	object := func(price, score string) []byte {
		if score == "-" {
			score = "null"
		}
		return fmt.Appendf(nil, `{"pricing": "payant", "price": %q, "score": %s}`, price+" €/mois", score)
	}
	var was []string
	is := []string{"0", "-"} // price and score
	for i, line := range strings.Split(strings.TrimSpace(editions), "\n") {
		words := append(strings.Fields(line), "")
		kind, corrects := strings.CutSuffix(words[1], "!")
		at, err := time.Parse(time.DateOnly, words[0])
		if err != nil {
			t.Fatal(err)
		}
		e := LogEntry{Seq: int64(i) + 1, At: at, Event: Event{Slug: slug}}
		if corrects {
			e.Correction = 1
		}
		was, is = is, slices.Clone(is)
		retired := fmt.Appendf(nil, `{"retired_at": %q}`, words[2])
		switch kind {
		case "created":
			e.Type, is = ToolCreated, words[2:4]
			e.Object = object(is[0], is[1])
		case "price":
			e.Type, is[0] = PriceChanged, words[2]
			e.Object, e.Previous = object(is[0], is[1]), object(was[0], was[1])
		case "score", "renamed":
			e.Type, is[1] = ToolUpdated, words[2]
			if kind == "renamed" {
				slug = "neuf"
				e.Type, e.RenamedFrom, e.RenamedTo, e.Slug = ToolRenamed, e.Slug, slug, slug
			}
			e.Object, e.Previous = object(is[0], is[1]), object(was[0], was[1])
		case "retired":
			e.Type, e.Object = ToolRetired, retired
		case "cemetery":
			e.Type, e.Object = CemeteryUpdated, retired
		case "buried":
			e.Type, e.Object = CemeteryAdded, retired
		case "dug":
			e.Type = CemeteryRemoved
		case "removed":
			e.Type = ToolRemoved
		case "since":
			h.State(slug, Date(words[2]))
			continue
		}
		if err := h.Record([]*LogEntry{&e}); err != nil {
			t.Fatal(err)
		}
	}
	return slug, h
}

func format(list []Interval) string {
	var lines []string
	for _, i := range list {
		words := []string{string(i.Field), strings.TrimSuffix(i.Price, " €/mois"), i.Score.String(), string(i.From) + "/" + string(i.Until), string(i.Basis)}
		if i.Corrected {
			words = append(words, "corrected")
		}
		lines = append(lines, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	}
	return strings.Join(lines, "\n")
}
