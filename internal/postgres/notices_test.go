package postgres_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A page of the look at accounts reads about as many rows as it returns, wherever it begins and
// however many accounts there are. Every other one is not used.
func TestNotices_PagesReadLittle(t *testing.T) {
	t.Parallel()
	many := 20_000
	if testkit.Long() {
		many = 1_000_000
	}
	db := newDB(t)
	db.populate(0, many)
	db.exec(`UPDATE keys SET last_used_on = $1::date - (abs(hashtext(id)) % 2)`, db.now)
	db.exec(`VACUUM ANALYZE`)
	p, seen := db.traced()
	const page = 1000
	after := ""
	for range 3 {
		var list []account.UsedAccount
		ran := seen.during(func() {
			var err error
			list, err = p.Accounts.UsedOn(t.Context(), db.now, []account.Plan{account.Developer}, after, page)
			db.must(err)
		})
		wantEqual(t, "accounts", len(list), page)
		after = list[page-1].ID
		plan := db.explain(ran)
		if strings.Contains(plan, "Seq Scan on keys") || strings.Contains(plan, "Seq Scan on accounts") || !strings.Contains(plan, "keys_used") {
			t.Errorf("the plan:\n%s", plan)
		}
		for _, rows := range regexp.MustCompile(`: (\d+) rows`).FindAllStringSubmatch(plan, -1) {
			if n, err := strconv.Atoi(rows[1]); err != nil || n > 3*page {
				t.Errorf("a page reads %d rows:\n%s", n, plan)
			}
		}
	}
}
