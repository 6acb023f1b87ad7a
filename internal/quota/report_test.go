package quota

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestNewHistory(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 23, 0, 0, 1, time.FixedZone("", 2*3600)) // 21:00 in UTC
	stored := make([]DayUsage, reportedDays)
	stored[0] = DayUsage{Charged: 999, Keys: map[string]int{"key_a": 990, "key_b": 9}}
	stored[1] = DayUsage{Charged: 1000, Keys: map[string]int{"key_a": 1000}}
	stored[2] = DayUsage{Charged: 1400, Unlimited: 50, Keys: map[string]int{"key_a": 1050}} // an upgrade that was taken back
	stored[29] = DayUsage{Unlimited: 5000, Keys: map[string]int{"key_lost": 5000}}
	keys := []account.KeyInfo{{ID: "key_b", Name: "b"}, {ID: "key_a", Name: "a"}}
	show := func(d HistoryDay) string {
		return fmt.Sprint(d.Date.Format(time.RFC3339), " ", d.Requests, "/", d.Limit, " ", d.AtLimit)
	}
	for plan, want := range map[account.Plan][]string{
		account.Developer: {
			"2026-03-01T00:00:00Z 999/1000 false", "2026-02-28T00:00:00Z 1000/1000 true", "2026-02-27T00:00:00Z 1050/1000 true",
			"2026-02-26T00:00:00Z 0/1000 false", "2026-01-31T00:00:00Z 5000/1000 false",
		},
		account.Pro: {
			"2026-03-01T00:00:00Z 999/1000 false", "2026-02-28T00:00:00Z 1000/1000 true", "2026-02-27T00:00:00Z 1050/1000 true",
			"2026-02-26T00:00:00Z 0/0 false", "2026-01-31T00:00:00Z 5000/0 false",
		},
	} {
		h := NewHistory(plan, now, stored, keys)
		testkit.Equal(t, plan.String()+", days", len(h.Days), 30)
		var got []string
		for _, i := range []int{29, 28, 27, 26, 0} {
			got = append(got, show(h.Days[i]))
		}
		testkit.Equal(t, plan.String(), got, want)
		testkit.Equal(t, "total, days at the limit, time left", fmt.Sprint(h.Total, " ", h.AtLimit, " ", h.ResetsIn), "8049 2 3h0m0s")
		got = nil
		for _, k := range h.Keys {
			got = append(got, fmt.Sprintf("%s %q %d %d %d", k.ID, k.Name, k.Requests, k.Today, k.Days[28]))
		}
		testkit.Equal(t, "keys", got, []string{`key_b "b" 9 9 0`, `key_a "a" 3040 990 1000`, `key_lost "" 5000 0 0`})
		testkit.Equal(t, "report", h.Report, NewReport(plan, now, stored, keys))
	}
}

func TestHistory_WriteCSV(t *testing.T) {
	t.Parallel()
	stored := make([]DayUsage, reportedDays)
	stored[0] = DayUsage{Charged: 12, Keys: map[string]int{"key_a": 7, "key_b": 5}}
	names := []string{`=HYPERLINK("https://example.test","x")`, "+1", "-1", "@a", `a "b", c`, "été", "a=b", "-"}
	var keys []account.KeyInfo
	for i, name := range names {
		keys = append(keys, account.KeyInfo{ID: "key_" + string(rune('a'+i)), Name: name})
	}
	var b strings.Builder
	testkit.Must(t, NewHistory(account.Developer, noon, stored, keys).WriteCSV(&b))
	if lines := strings.Count(b.String(), "\r\n"); lines != 1+30*len(names) || strings.Count(b.String(), "\n") != lines {
		t.Errorf("%d lines:\n%s", lines, b.String())
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	testkit.Must(t, err)
	testkit.Equal(t, "head", strings.Join(rows[0], "|"), "day|requests|limit|key_id|key_name|key_requests")
	testkit.Equal(t, "the first row", strings.Join(rows[1], "|"), `2026-02-13|0|1000|key_a|'=HYPERLINK("https://example.test","x")|0`)
	last := rows[len(rows)-len(names):]
	testkit.Equal(t, "a row of today", strings.Join(last[1], "|"), "2026-03-14|12|1000|key_b|'+1|5")
	var cells []string
	for _, row := range last {
		cells = append(cells, row[4])
	}
	testkit.Equal(t, "names", strings.Join(cells[1:], "|"), `'+1|'-1|'@a|a "b", c|été|a=b|'-`)

	b.Reset()
	testkit.Must(t, NewHistory(account.Pro, noon, make([]DayUsage, reportedDays), nil).WriteCSV(&b))
	if text := b.String(); strings.Count(text, "\r\n") != 31 || !strings.HasSuffix(text, "2026-03-14,0,,,,\r\n") {
		t.Errorf("without keys:\n%s", text)
	}
}
