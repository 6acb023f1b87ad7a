package figures

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// MinIndexTools and minIndexMonths are the smallest numbers of tools in a month, and of such
// months, for which an index is drawn. maxIndexMonths is the largest number of months.
const (
	MinIndexTools  = 5
	minIndexMonths = 3
	maxIndexMonths = 120
)

// A PriceIndex records how the prices of living tools moved, by category; "" has all tools.
type PriceIndex struct {
	movements  []Movement // newest first; those of a day by name
	categories map[string]*CategoryPrices
}

// A Movement is one change of the price of a tool.
type Movement struct {
	Tool *catalog.Tool
	At   int // an index in Tool.History
}

// Change returns the change of price.
func (m Movement) Change() catalog.PriceChange { return m.Tool.History[m.At] }

// CategoryPrices are the prices of a category.
type CategoryPrices struct {
	movements []int32      // indexes in PriceIndex.movements
	Months    []PriceMonth // consecutive; the last is the current one
}

// A PriceMonth summarizes the prices of all tools that are not free, at the end of a month, or
// today for the current one.
type PriceMonth struct {
	First    time.Time // the first day of the month
	Median   int64     // cents a month; 0 without tools
	Tools    int       // with a monthly or yearly price
	Others   int       // tools priced for other periods than month and year
	Up, Down int       // prices that rose and fell in the month
}

// Drawn returns the months with at least MinIndexTools tools, and whether these are enough months
// for a curve.
func (c *CategoryPrices) Drawn() ([]PriceMonth, bool) {
	var months []PriceMonth
	for _, m := range c.Months {
		if m.Tools >= MinIndexTools {
			months = append(months, m)
		}
	}
	return months, len(months) >= minIndexMonths
}

// Category returns the prices of a category, empty for one without tools.
func (x *PriceIndex) Category(slug string) *CategoryPrices {
	if c := x.categories[slug]; c != nil {
		return c
	}
	return &CategoryPrices{}
}

// Moves returns a page of the movements of a category, newest first.
func (x *PriceIndex) Moves(category string, p catalog.Paging) catalog.Page[Movement] {
	all := x.Category(category).movements
	page := catalog.Page[Movement]{Total: len(all), Number: p.Page, Limit: p.Limit}
	start := len(all)
	if p.Page-1 <= len(all)/p.Limit {
		start = min(start, (p.Page-1)*p.Limit)
	}
	for _, at := range all[start:min(len(all), start+p.Limit)] {
		page.Items = append(page.Items, x.movements[at])
	}
	return page
}

// MovesByMonth returns a page of the movements of a category, those of the newest month first, and of a month the
// largest first: those to and from a price of 0, then by percent, then those that cannot be compared. It sorts only
// the months of the page.
func (x *PriceIndex) MovesByMonth(category string, p catalog.Paging) catalog.Page[Movement] {
	all := x.Category(category).movements
	page := x.Moves(category, p)
	if len(page.Items) == 0 {
		return page
	}
	month := func(i int) int { return monthOf(x.movements[all[i]].Change().ChangedAt) }
	start := (p.Page - 1) * p.Limit
	end := start + len(page.Items)
	from, until := start, end
	for from > 0 && month(from-1) == month(start) {
		from--
	}
	for until < len(all) && month(until) == month(end-1) {
		until++
	}
	moves := make([]Movement, 0, until-from)
	for _, at := range all[from:until] {
		moves = append(moves, x.movements[at])
	}
	size := make(map[Movement]int, len(moves))
	for _, m := range moves {
		size[m] = sizeOf(RepricingOf(m.Change()))
	}
	slices.SortStableFunc(moves, func(a, b Movement) int {
		return cmp.Or(monthOf(b.Change().ChangedAt)-monthOf(a.Change().ChangedAt), size[b]-size[a])
	})
	page.Items = moves[start-from : end-from]
	return page
}

// sizeOf returns how large a change of price is: its percent, and more than any for one to or from 0.
func sizeOf(r Repricing) int {
	switch {
	case r.Percent != 0:
		return max(r.Percent, -r.Percent)
	case r.Direction != 0:
		return math.MaxInt32
	default:
		return 0
	}
}

// prices computes the price index.
func (b *builder) prices() *PriceIndex {
	every := catalog.Paging{Page: 1, Limit: max(1, b.snapshot.Stats().Tools)}
	tools := b.snapshot.Tools(catalog.ToolQuery{Paging: every, Order: catalog.NameAsc}).Items
	x := &PriceIndex{movements: b.movements(tools), categories: make(map[string]*CategoryPrices)}
	all := &CategoryPrices{movements: make([]int32, 0, len(x.movements))}
	x.categories[""] = all
	for i, m := range x.movements {
		c := x.categories[m.Tool.Category]
		if c == nil {
			c = new(CategoryPrices)
			x.categories[m.Tool.Category] = c
		}
		c.movements = append(c.movements, int32(i))
		all.movements = append(all.movements, int32(i))
		b.pauseSometimes(i)
	}
	amounts := b.amounts(tools)
	groups := map[string]*indexer{"": newIndexer(amounts, x.first(""), monthOf(b.today))}
	for i, t := range tools {
		g := groups[t.Category]
		if g == nil {
			g = newIndexer(amounts, x.first(t.Category), monthOf(b.today))
			groups[t.Category] = g
		}
		g.add(t)
		groups[""].add(t)
		b.pauseSometimes(i)
	}
	for slug, g := range groups {
		c := x.Category(slug)
		c.Months = g.months()
		b.throttle.Pause()
		x.categories[slug] = c
	}
	return x
}

// movements returns the changes of all prices, newest first, those of a day in the order of tools.
// There are few days and many changes, so it counts the changes by day and puts each in its place,
// instead of comparing them.
func (b *builder) movements(tools []*catalog.Tool) []Movement {
	places := make(map[int]int) // by day: how many changes there are, then where the next one goes
	n := 0
	for i, t := range tools {
		for _, c := range t.History {
			places[dayOf(c.ChangedAt)]++
		}
		n += len(t.History)
		b.pauseSometimes(i)
	}
	next := 0
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(places))) {
		places[day], next = next, next+places[day]
	}
	sorted := make([]Movement, n)
	for i, t := range tools {
		for at, c := range t.History {
			day := dayOf(c.ChangedAt)
			sorted[places[day]] = Movement{t, at}
			places[day]++
		}
		b.pauseSometimes(i)
	}
	return sorted
}

// dayOf and monthOf number days and months, without the cost of a time.Time.
func dayOf(d catalog.Date) int { return 31*monthOf(d) + number(d[8:10]) }

func monthOf(d catalog.Date) int { return 12*number(d[:4]) + number(d[5:7]) - 1 }

func number(digits catalog.Date) int {
	n := 0
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	return n
}

// first returns the month before the first price change of a category: the prices before that
// change held until then. Without any change it returns a month after all others.
func (x *PriceIndex) first(category string) int {
	moved := x.Category(category).movements
	if len(moved) == 0 {
		return math.MaxInt
	}
	return monthOf(x.movements[moved[len(moved)-1]].Change().ChangedAt) - 1
}

// amounts has all prices that tools have or had, each parsed once, and the monthly ones, sorted.
type amounts struct {
	byText map[string]*amount
	sorted []int64
}

type amount struct {
	catalog.Price
	rank int // an index in amounts.sorted; -1 if the period has no monthly price
}

func (b *builder) amounts(tools []*catalog.Tool) *amounts {
	a := &amounts{byText: make(map[string]*amount)}
	read := func(s string) {
		if a.byText[s] == nil {
			p, _ := catalog.ParsePrice(s) // checked when the file was read
			a.byText[s] = &amount{p, -1}
		}
	}
	for i, t := range tools {
		read(t.Price)
		for _, c := range t.History {
			read(c.OldPrice)
			read(c.NewPrice)
		}
		b.pauseSometimes(i)
	}
	for _, p := range a.byText {
		if cents, ok := p.Monthly(); ok {
			a.sorted = append(a.sorted, cents)
		}
	}
	slices.Sort(a.sorted)
	a.sorted = slices.Compact(a.sorted)
	for _, p := range a.byText {
		if cents, ok := p.Monthly(); ok {
			p.rank, _ = slices.BinarySearch(a.sorted, cents)
		}
	}
	return a
}

// An indexer computes the months of one category. It records in which month each tool takes and
// leaves a price, then goes through the months once.
type indexer struct {
	*amounts
	start int
	notes []monthNotes
}

type monthNotes struct {
	took, left   []int32 // ranks of monthly prices
	othersBy     int     // change in the number of tools priced for another period
	rises, falls int
}

func newIndexer(a *amounts, first, last int) *indexer {
	start := min(max(first, last-maxIndexMonths+1), last)
	return &indexer{amounts: a, start: start, notes: make([]monthNotes, last-start+1)}
}

// add records the prices of a tool. The price before its first change counts as the price from the
// beginning.
func (x *indexer) add(t *catalog.Tool) {
	if len(t.History) == 0 {
		x.note(0, t.Price, 1)
		return
	}
	first := t.History[len(t.History)-1]
	x.note(0, first.OldPrice, 1)
	for _, c := range slices.Backward(t.History) {
		month := monthOf(c.ChangedAt) - x.start
		at := min(max(0, month), len(x.notes)-1)
		x.note(at, c.OldPrice, -1)
		x.note(at, c.NewPrice, 1)
		if month < 0 {
			continue
		}
		switch direction(x.byText[c.OldPrice].Price, x.byText[c.NewPrice].Price) {
		case 1:
			x.notes[at].rises++
		case -1:
			x.notes[at].falls++
		}
	}
}

// note records that a tool takes (by is 1) or leaves (-1) a price in a month. A price of 0 does not
// count.
func (x *indexer) note(at int, price string, by int) {
	p := x.byText[price]
	if p.Cents == 0 {
		return
	}
	n := &x.notes[at]
	rank := int32(p.rank) //nolint:gosec // there are never so many
	switch {
	case rank < 0:
		n.othersBy += by
	case by > 0:
		n.took = append(n.took, rank)
	default:
		n.left = append(n.left, rank)
	}
}

func (x *indexer) months() []PriceMonth {
	months := make([]PriceMonth, len(x.notes))
	counted := newRanks(len(x.sorted))
	others := 0
	for i, n := range x.notes {
		for _, rank := range n.took {
			counted.add(int(rank), 1)
		}
		for _, rank := range n.left {
			counted.add(int(rank), -1)
		}
		others += n.othersBy
		year, month := (x.start+i)/12, time.Month((x.start+i)%12+1)
		m := PriceMonth{
			First: time.Date(year, month, 1, 0, 0, 0, 0, time.UTC),
			Tools: counted.total, Others: others, Up: n.rises, Down: n.falls,
		}
		if counted.total > 0 {
			low, high := x.sorted[counted.at((counted.total-1)/2)], x.sorted[counted.at(counted.total/2)]
			m.Median = (low + high + 1) / 2
		}
		months[i] = m
	}
	return months
}

// ranks counts tools by the rank of their price and finds the nth of them, both in logarithmic time
// (a Fenwick tree).
type ranks struct {
	tree  []int32
	total int
}

func newRanks(n int) *ranks { return &ranks{tree: make([]int32, n+1)} }

func (r *ranks) add(rank int, by int32) {
	r.total += int(by)
	for i := rank + 1; i < len(r.tree); i += i & -i {
		r.tree[i] += by
	}
}

// at returns the rank of the nth price, counted from 0.
func (r *ranks) at(n int) int {
	left, i := int32(n), 0 //nolint:gosec // there are never so many
	step := 1
	for step < len(r.tree) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if i+step < len(r.tree) && r.tree[i+step] <= left {
			i += step
			left -= r.tree[i]
		}
	}
	return i
}
