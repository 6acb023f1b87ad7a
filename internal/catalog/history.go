package catalog

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"
)

// A HistoryField names what an interval is about.
type HistoryField string

// The fields of a history.
const (
	PriceHistory HistoryField = "price"
	ScoreHistory HistoryField = "score"
	LifeHistory  HistoryField = "life" // the tool is published
)

// HistoryFields lists the fields in the order of the API.
func HistoryFields() []HistoryField { return []HistoryField{PriceHistory, ScoreHistory, LifeHistory} }

// A Basis is what the beginning of an interval rests on.
type Basis string

// The bases of intervals.
const (
	Published Basis = "published" // the first publication that has the value
	Stated    Basis = "stated"    // the day that the editors state, with since
	Announced Basis = "announced" // to come, as the vendor announced
)

// Bases lists the bases.
func Bases() []Basis { return []Basis{Published, Stated, Announced} }

// An Interval is a value of a tool, and the days on which it was true: from From until before Until, in UTC.
type Interval struct {
	Field     HistoryField
	Pricing   Pricing // of a price
	Price     string  // of a price
	Score     Measure // of a score
	From      Date    // "" where the log no longer says
	Until     Date    // "" while it lasts
	Basis     Basis
	Corrected bool // a correction replaced the value of at least one of its days
}

// Covers reports whether the value was true on a day.
func (i Interval) Covers(day Date) bool { return i.From <= day && (i.Until == "" || day < i.Until) }

func (i Interval) sameValue(other Interval) bool {
	return i.Pricing == other.Pricing && i.Price == other.Price && i.Score == other.Score
}

// A HistoryRow is a value of a tool and the publication that brought it, or a life of the tool.
type HistoryRow struct {
	Field     HistoryField
	Day       Date // of the publication; "" where the log no longer says
	Until     Date // of a life: the day of its end; "" while it lasts
	Since     Date // of a price: when it began, if the editors say so; else ""
	Pricing   Pricing
	Price     string
	Score     Measure // absent from the day on which the tool lost its score
	Corrected bool
}

// A History holds what publications said of one tool: its rows, packed, since a node holds those of every tool.
// Rows are in the order in which they were published. A life comes before the values that were published in it.
type History string

// A ToolHistory is the history of a tool, living or retired.
type ToolHistory struct {
	Slug    string
	History History
}

const (
	rowField     = 0b11 // the index in rowFields
	rowCorrected = 1 << 2
	rowSince     = 1 << 3
	rowUntil     = 1 << 4
	rowScored    = 1 << 5
)

var rowFields = HistoryFields()

// NewHistory packs rows.
func NewHistory(rows []HistoryRow) History {
	var b []byte
	for _, r := range rows {
		b = r.pack(b)
	}
	return History(b)
}

func (r HistoryRow) pack(b []byte) []byte {
	head := byte(slices.Index(rowFields, r.Field)) //nolint:gosec // one of three
	for bit, set := range map[byte]bool{
		rowCorrected: r.Corrected, rowSince: r.Since != "", rowUntil: r.Until != "", rowScored: r.Score.Known,
	} {
		if set {
			head |= bit
		}
	}
	b = append(b, head)
	b = binary.AppendUvarint(b, dayNumber(r.Day))
	if r.Since != "" {
		b = binary.AppendUvarint(b, dayNumber(r.Since))
	}
	if r.Until != "" {
		b = binary.AppendUvarint(b, dayNumber(r.Until))
	}
	switch r.Field {
	case PriceHistory:
		b = append(b, byte(slices.Index(pricings, r.Pricing)), byte(len(r.Price))) //nolint:gosec // short
		b = append(b, r.Price...)
	case ScoreHistory:
		b = binary.BigEndian.AppendUint16(b, uint16(r.Score.Hundredths)) //nolint:gosec // 0 to 1000
	case LifeHistory:
	}
	return b
}

var pricings = Pricings()

// noDay is the number of no day. The others count from 1 on the first day of year 1.
const noDay = 0

var dayOne = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)

func dayNumber(d Date) uint64 {
	if d == "" {
		return noDay
	}
	return uint64((d.Time().Unix()-dayOne.Unix())/(24*60*60)) + 1 //nolint:gosec // from year 0 on
}

func dayOf(number uint64) Date {
	if number == noDay {
		return ""
	}
	return DateOf(dayOne.AddDate(0, 0, int(number)-1)) //nolint:gosec // was a date
}

// A packedRow is a HistoryRow whose days are numbers.
type packedRow struct {
	field             HistoryField
	corrected         bool
	day, since, until uint64
	pricing           Pricing
	price             string // part of the History
	score             Measure
}

// rows calls yield for each row. It allocates nothing.
func (h History) rows(yield func(packedRow) bool) {
	number := func() uint64 {
		var n uint64
		for shift := 0; ; shift += 7 {
			c := h[0]
			h = h[1:]
			n |= uint64(c&0x7f) << shift
			if c < 0x80 {
				return n
			}
		}
	}
	for h != "" {
		head := h[0]
		h = h[1:]
		r := packedRow{field: rowFields[head&rowField], corrected: head&rowCorrected != 0, day: number()}
		if head&rowSince != 0 {
			r.since = number()
		}
		if head&rowUntil != 0 {
			r.until = number()
		}
		switch r.field {
		case PriceHistory:
			r.pricing = pricings[h[0]]
			n := 2 + int(h[1])
			r.price, h = string(h[2:n]), h[n:]
		case ScoreHistory:
			if head&rowScored != 0 {
				r.score = Measure{true, int16(h[0])<<8 | int16(h[1])}
			}
			h = h[2:]
		case LifeHistory:
		}
		if !yield(r) {
			return
		}
	}
}

// Rows returns the rows.
func (h History) Rows() []HistoryRow {
	var list []HistoryRow
	for r := range h.rows {
		list = append(list, HistoryRow{
			Field: r.field, Day: dayOf(r.day), Until: dayOf(r.until), Since: dayOf(r.since),
			Pricing: r.pricing, Price: strings.Clone(r.price), Score: r.score, Corrected: r.corrected,
		})
	}
	return list
}

// Intervals returns what was true of the tool, field by field, newest first. A value lasts until the next one or the end
// of the tool's life; of several values on one day only the last is there. A life ends on the day on which the tool was
// retired, even if that was published later, or when the next life begins.
func (h History) Intervals() []Interval {
	var list []Interval
	rows := h.Rows()
	ended := Date("") // the end of the life before
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && rows[end].Field != LifeHistory {
			end++
		}
		life := HistoryRow{Field: LifeHistory}
		values := rows[start:end]
		if rows[start].Field == LifeHistory {
			life, values = rows[start], rows[start+1:end]
		}
		if end < len(rows) && rows[end].Day != "" && (life.Until == "" || rows[end].Day < life.Until) {
			life.Until = rows[end].Day
		}
		list = append(list, lived(life, values, ended)...)
		ended, start = life.Until, end
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Interval) int {
		return slices.Index(rowFields, a.Field) - slices.Index(rowFields, b.Field)
	})
	return list
}

// lived returns the intervals of one life, oldest first, none of which begins before the day after.
func lived(life HistoryRow, values []HistoryRow, after Date) []Interval {
	begins := max(life.Day, after)
	if life.Until != "" && life.Until <= begins {
		return nil
	}
	list := []Interval{{Field: LifeHistory, From: life.Day, Until: life.Until, Basis: Published}}
	for _, field := range []HistoryField{ScoreHistory, PriceHistory} {
		for _, i := range following(field, life, values, after) {
			switch {
			case field == ScoreHistory && !i.Score.Known: // it had none
			case life.Until != "" && i.From >= life.Until: // told after the end
			default:
				if life.Until != "" && (i.Until == "" || i.Until > life.Until) {
					i.Until = life.Until
				}
				list = append(list, i)
			}
		}
	}
	return list
}

// following returns the values of a field in a life as intervals, oldest first, as if the life had no end of its own.
func following(field HistoryField, life HistoryRow, values []HistoryRow, after Date) (own []Interval) {
	for _, r := range values {
		if r.Field != field {
			continue
		}
		next := Interval{
			Field: field, Pricing: r.Pricing, Price: r.Price, Score: r.Score, From: r.Day, Until: life.Until,
			Basis: Published, Corrected: r.Corrected,
		}
		if r.Since != "" {
			next.From, next.Basis = r.Since, Stated
		}
		next.From = max(next.From, after)
		for len(own) > 0 && own[len(own)-1].From >= next.From {
			own = own[:len(own)-1]
		}
		if last := len(own) - 1; last >= 0 {
			if own[last].sameValue(next) {
				own[last].Corrected = own[last].Corrected || next.Corrected
				continue
			}
			own[last].Until = next.From
		}
		own = append(own, next)
	}
	return own
}

// historyEntry is the history of a tool, living or retired.
type historyEntry struct {
	slug    string
	history History
}

// lives has the lives of all tools whose beginning is known, by category and, under "", all of them, sorted by slug.
// It is made when somebody asks, once for each snapshot.
type lives struct {
	once       sync.Once
	byCategory map[string][]life

	counting  sync.Once
	intervals int // of all tools
}

type life struct {
	slug        string
	from, until uint32 // dayNumber; until is 0 while it lasts
}

// lives returns the lives whose beginning is known, as Intervals has them, without reading anything else.
func (h History) lives() []life {
	var list []life
	add := func(l life) {
		if l.from != noDay && (l.until == noDay || l.from < l.until) {
			list = append(list, l)
		}
	}
	var last life
	for r := range h.rows {
		if r.field != LifeHistory {
			continue
		}
		next := life{from: uint32(r.day), until: uint32(r.until)} //nolint:gosec // a day has 22 bits
		if next.from != noDay && (last.until == noDay || next.from < last.until) {
			last.until = next.from
		}
		add(last)
		last = next
	}
	add(last)
	return list
}
