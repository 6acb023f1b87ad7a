package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// typos counts them the plain way: the whole table.
func typos(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = rows[i-1][j-1] + 1
			}
			rows[i][j] = min(rows[i][j], rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

func TestDistance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, random.IntN(9))
		for i := range b {
			b[i] = "abc1"[random.IntN(4)]
		}
		return string(b)
	}
	for range 20_000 {
		a, b := word(), word()
		want := typos(a, b)
		for most := range maxDistance + 1 {
			if got := distance(a, b, most); min(got, most+1) != min(want, most+1) {
				t.Fatalf("%q and %q are %d apart, want %d, asked for up to %d", a, b, got, want, most)
			}
			if want <= most && signatureOf(a).apart(signatureOf(b), most) {
				t.Fatalf("%q and %q are taken to be more than %d apart", a, b, most)
			}
		}
	}
}

// An index that documents come to and leave has, of each term, the documents that have it, and those before it go on
// as they were. Sets become large and small again on the way.
func TestIndex_ThroughChanges(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("un outil de code pour les images et la voix très simple à prendre en main chez soi 42 7 e-mail")
	document := func() *Document {
		d := &Document{Names: []string{words[random.IntN(len(words))] + fmt.Sprint(random.IntN(3000))}, Group: words[random.IntN(3)]}
		for range random.IntN(6) {
			d.Texts = append(d.Texts, words[random.IntN(len(words))])
		}
		return d
	}
	x, held := New(), map[uint32]*Document{}
	var before *Index
	var said string
	for round := range 30 {
		var changed []Change
		for id, d := range held {
			switch random.IntN(12) {
			case 0:
				changed = append(changed, Change{ID: id, Old: d})
			case 1:
				changed = append(changed, Change{ID: id, Old: d, New: document()})
			}
			if round > 20 && random.IntN(3) > 0 && !slices.ContainsFunc(changed, func(c Change) bool { return c.ID == id }) {
				changed = append(changed, Change{ID: id, Old: d})
			}
		}
		for range random.IntN(2000) {
			if round <= 20 {
				changed = append(changed, Change{New: document()})
			}
		}
		next, ids := x.Apply(changed, nil, func() {})
		for _, c := range changed {
			if c.New == nil {
				delete(held, c.ID)
			}
		}
		for i, c := range changed {
			if c.New != nil {
				held[ids[i]] = c.New
			}
		}
		if before != nil {
			testkit.Equal(t, "the index before", dump(before), said)
		}
		before, said = next, dump(next)
		x = next
		testkit.Equal(t, "documents", x.Len(), len(held))
		testkit.Equal(t, fmt.Sprint("round ", round), said, naive(held))
	}
}

// dump writes out all terms with their documents.
func dump(x *Index) string {
	var b strings.Builder
	for f, d := range x.fields {
		for _, block := range d.blocks {
			for i := range block.len() {
				fmt.Fprintln(&b, f, block.term(i), block.set(i).list())
			}
		}
	}
	return b.String()
}

func naive(held map[uint32]*Document) string {
	found := make([]map[string][]uint32, numFields)
	for f := range found {
		found[f] = map[string][]uint32{}
	}
	for id, d := range held {
		d.yieldTerms(func(field int, term string) { found[field][term] = append(found[field][term], id) })
	}
	var b strings.Builder
	for f, terms := range found {
		names := make([]string, 0, len(terms))
		for term := range terms {
			names = append(names, term)
		}
		slices.Sort(names)
		for _, term := range names {
			slices.Sort(terms[term])
			fmt.Fprintln(&b, f, term, slices.Compact(terms[term]))
		}
	}
	return b.String()
}
