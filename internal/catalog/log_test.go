package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// writeLog makes a log of n entries over editions a few days apart, some of them large.
func writeLog(seed uint64, n int) (entries []*LogEntry, editions []Edition) {
	random := rand.New(rand.NewPCG(seed, 9))
	text := make([]byte, 20_000)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for len(entries) < n {
		at = at.Add(time.Duration(random.IntN(96)) * time.Hour)
		e := Edition{Number: int64(len(editions) + 1), PublishedAt: at}
		editions = append(editions, e)
		size, count := []int{10, 600, 20_000}[random.IntN(3)], random.IntN(400)
		if random.IntN(10) == 0 {
			size, count = 20_000, 2500 // more than a snapshot keeps
		}
		for range count {
			entries = append(entries, &LogEntry{
				Seq: int64(len(entries) + 1), Edition: e.Number, At: at,
				Event: Event{Type: ToolUpdated, Slug: "a", Object: text[:random.IntN(size)]},
			})
		}
	}
	return entries, editions
}

// recent is what a snapshot keeps of a log, by the words of the rule.
func recent(log []*LogEntry, e Edition, start int64) []*LogEntry {
	size := 0
	for i, entry := range slices.Backward(log) {
		size += entry.size()
		among := len(log)-i <= 1000
		young := e.PublishedAt.Sub(entry.At) <= 30*24*time.Hour
		if entry.Seq < start || !among && (!young || size > 16<<20) {
			return log[i+1:]
		}
	}
	return log
}

// upTo is the part of a log that is there when an edition is published.
func upTo(log []*LogEntry, edition int64) []*LogEntry {
	for i, entry := range log {
		if entry.Edition > edition {
			return log[:i]
		}
	}
	return log
}

// However a node came to an edition, it keeps the same entries: from nothing, following every
// edition, or skipping many, with a log whose beginning is deleted meanwhile.
func TestLog_EveryWayToAnEditionKeepsTheSameEntries(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testkit.Size(2, 6)) {
		if testkit.Raced && seed > 0 {
			break // nothing is shared: the other logs are read without the race detector
		}
		log, editions := writeLog(seed, 15_000)
		random := rand.New(rand.NewPCG(seed, 10))
		followed, skipping := Empty(), Empty()
		var byAge, bySize, start int64 = 0, 0, 1
		for _, e := range editions {
			start = max(start, e.Number*2) // the log is pruned slowly
			// What a feed reads for a node that has an edition: the limit as postgres asks it.
			since := func(s *Snapshot) Delta {
				now := upTo(log, e.Number)
				d := Delta{From: s.Edition().Number, Edition: e, LogStart: start}
				limit, i := NewLogLimit(e), len(now)
				for i > 0 && now[i-1].Edition > d.From && now[i-1].Seq >= start && limit.Keeps(now[i-1]) {
					i--
				}
				d.Log = now[i:]
				return d
			}
			followed = followed.Apply(since(followed))
			if random.IntN(10) == 0 {
				skipping = skipping.Apply(since(skipping))
			}
			fresh := Empty().Apply(since(Empty()))
			want := recent(upTo(log, e.Number), e, start)
			for name, s := range map[string]*Snapshot{
				"following": followed, "fresh": fresh, "skipping": skipping, "copied": Empty().Apply(fresh.Whole()),
			} {
				if s.Edition() == e && fmt.Sprint(s.log) != fmt.Sprint(want) {
					t.Fatalf("seed %d, edition %d, %s: %d entries, want %d", seed, e.Number, name, len(s.log), len(want))
				}
			}
			switch size := logSize(want); {
			case len(want) > minLog && size > maxLog-20_000:
				bySize++
			case len(want) > minLog:
				byAge++
			}
		}
		if bySize+byAge == 0 {
			t.Errorf("seed %d: the log never had more than the last %d entries", seed, minLog)
		}
		t.Logf("seed %d: %d editions limited by size, %d by age", seed, bySize, byAge)
	}
}

func logSize(log []*LogEntry) (n int) {
	for _, e := range log {
		n += e.size()
	}
	return n
}

// However old they are, the last 1,000 entries are kept; an older one is not.
func TestLog_KeepsTheLast1000(t *testing.T) {
	t.Parallel()
	d := Delta{Edition: Edition{Number: 2, PublishedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	for seq := range int64(1200) {
		d.Log = append(d.Log, &LogEntry{Seq: seq + 1, Edition: 1, At: d.Edition.PublishedAt.AddDate(-1, 0, 0)})
	}
	s := Empty().Apply(d)
	newest := int64(1200)
	for e := range s.RecentChanges() {
		if e.Seq != newest {
			t.Fatalf("entry %d, want %d", e.Seq, newest)
		}
		newest--
	}
	if newest != 200 || s.LastChange() != 1200 {
		t.Errorf("the oldest entry is %d, the newest %d", newest+1, s.LastChange())
	}
}

func TestCursor(t *testing.T) {
	t.Parallel()
	const id = "9f2c41d0-7a3b-4615-8e2f-0123456789ab"
	for want, c := range map[string]Cursor{
		"0": {}, "7": {Seq: 7}, "1042-9f2c41d07a3b4615": NewCursor(1042, id), "9223372036854775807": {Seq: 1<<63 - 1},
	} {
		if c.String() != want {
			t.Errorf("%+v is written %s, want %s", c, c, want)
		}
		if got, ok := ParseCursor(want); !ok || got != c {
			t.Errorf("%s is read as %+v, %v", want, got, ok)
		}
	}
	if c := NewCursor(0, id); c != (Cursor{}) {
		t.Errorf("the beginning is %s", c)
	}
	for _, text := range []string{
		"", "-", "-1", "+1", "01", " 1", "1 ", "1-", "x", "demain", "0-9f2c41d07a3b4615", "1-9f2c41d07a3b461", "1-9f2c41d07a3b46150",
		"1-9F2C41D07A3B4615", "1-9f2c41d07a3b461g", "1-9f2c41d0-7a3b461", "9223372036854775808", "1e3", "1.0",
	} {
		if c, ok := ParseCursor(text); ok {
			t.Errorf("%q is read as %s", text, c)
		}
	}
}
