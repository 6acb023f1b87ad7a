package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// unlimited is Redis that lets everything pass: the database holds its bounds alone.
type unlimited struct{}

func (unlimited) Allow(context.Context, limit.Limit, string) bool { return true }

func (unlimited) HasRoom(context.Context, limit.Limit, string) bool { return true }

func (unlimited) End(context.Context, limit.Limit, string) time.Time { return time.Time{} }

// newReports opens the service of reports on a database.
func newReports(db *testDB) *report.Service {
	return report.NewService(report.Options{
		Store: db.Reports, Limits: unlimited{}, Secrets: testkit.Ring(db, "a secret of thirty-two characters"), Now: db.clock,
	})
}

func draft(slug, right string) report.Draft {
	return report.Draft{Slug: slug, Field: report.Price, Value: "20 €/mois", Right: right, Language: account.French}
}

// metBound is the bound that an error names; 0 for none.
func metBound(err error) int {
	if met, ok := errors.AsType[*limit.ReachedError](err); ok {
		return met.Most
	}
	return 0
}

// Forms that come at once, from networks of every width and about one tool or many, are stored up to the bounds;
// who is at a bound takes nothing from others, and an hour later all begin again.
func TestReports_Bounds(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	s, n := newReports(db), 0
	flood := func(forms int, from func(i int) string, slug func(i int) string, most int) {
		t.Helper()
		var mu sync.Mutex
		stored, met := 0, make(map[int]int)
		atOnce(forms, func(i int) {
			mu.Lock()
			n++
			d := draft(slug(i), fmt.Sprint("25 €, form ", n))
			mu.Unlock()
			err := s.Send(t.Context(), netip.MustParseAddr(from(i)), d)
			mu.Lock()
			defer mu.Unlock()
			switch bound := metBound(err); {
			case err == nil:
				stored++
			case bound == 0:
				t.Errorf("a form: %v", err)
			default:
				met[bound]++
			}
		})
		wantEqual(t, "stored", stored, most)
		wantEqual(t, "refused", met[most], forms-most)
	}
	same := func(s string) func(int) string { return func(int) string { return s } }
	each := func(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, i) } }

	flood(12, same("192.0.2.1"), each("a-%d"), report.MostPer64)
	flood(12, each("2001:db8:1:0:%x::1"), each("b-%d"), report.MostPer64)
	if err := s.Send(t.Context(), netip.MustParseAddr("192.0.2.2"), draft("a-1", "un voisin")); err != nil {
		t.Errorf("a neighbour: %v", err)
	}
	flood(report.MostPer56+3, each("2001:db8:2:%x::1"), each("c-%d"), report.MostPer56)
	anHourLater := func() { db.now = db.now.Add(report.BoundFor + time.Second) }
	anHourLater()
	flood(report.MostPer48+9, each("2001:db8:3:%x00::1"), each("d-%d"), report.MostPer48)
	flood(report.MostPerTool+5, each("198.51.100.%d"), same("rabot"), report.MostPerTool)
	anHourLater()
	db.must(s.Send(t.Context(), netip.MustParseAddr("192.0.2.1"), draft("a-1", "une heure plus tard")))
	anHourLater()

	// Four networks send all they may. Half of what is taken is left to those who have sent nothing, once each.
	flood(2*report.MostInAll, func(i int) string { return fmt.Sprintf("2001:db8:%x:%x00::1", 4+i%4, i/4%64) }, each("e-%d"), report.MostAgain)
	again := s.Send(t.Context(), netip.MustParseAddr("2001:db8:4:ffff::1"), draft("f", "encore"))
	wantEqual(t, "the bound of those who have sent", metBound(again), report.MostAgain)
	stored := 0
	for i := range report.MostInAll {
		err := s.Send(t.Context(), netip.MustParseAddr(fmt.Sprintf("203.0.113.%d", i)), draft(fmt.Sprint("g-", i), "x"))
		if err == nil {
			stored++
		} else {
			wantEqual(t, "the bound of all", metBound(err), report.MostInAll)
		}
	}
	wantEqual(t, "the rest", stored, report.MostInAll-report.MostAgain)
	wantEqual(t, "rows", db.count("reports WHERE created_at = $1", db.now), report.MostInAll)

	anHourLater()
	db.exec(`INSERT INTO reports (slug, field, value, said, source, wanted, language, digest, created_at)
		SELECT 'x', 'other', '', 'y', '', false, 'fr', i::text::bytea, '2020-01-01' FROM generate_series(1, $1) i`, report.MaxOpen)
	wantError(t, "nobody reads them", s.Send(t.Context(), netip.MustParseAddr("192.0.2.9"), draft("a-1", "z")), report.ErrFull)
}

// The operator is told once an hour at most, answers once, and alone may read. What is old goes, and addresses go
// before.
func TestReports_ReadAndClose(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	s, ctx, by := newReports(db), t.Context(), account.Operator()
	from := netip.MustParseAddr("192.0.2.1")
	tell := func(want bool) {
		t.Helper()
		told, err := s.Tell(ctx)
		db.must(err)
		wantEqual(t, "told", told, want)
	}
	tell(false)
	hostile := "25 €\r\nBcc: x@y.example\x1b[2J\u202e\u200b<b>=cmd()</b>\x00"
	d := draft("rabot", hostile)
	d.Email, d.Source = "Zoe@example.test", "https://rabot.example/prix"
	db.must(s.Send(ctx, from, d))
	db.must(s.Send(ctx, from, d)) // the same form, sent again
	db.must(s.Send(ctx, from, draft("lime", "30 €")))
	wantEqual(t, "reports", db.count("reports"), 2)
	tell(true)
	db.must(s.Send(ctx, from, draft("scie", "3 €")))
	tell(false)
	db.now = db.now.Add(report.DigestEvery + time.Second)
	tell(true)
	tell(false)
	wantSame(t, "the jobs", ask[string](db, `SELECT args::text FROM river_job WHERE kind = 'report_digest' ORDER BY id`), []string{`{"digest": 1}`, `{"digest": 2}`})
	lines, total, err := s.Digest(ctx, 1, 1)
	db.must(err)
	wantEqual(t, "in the first mail", total, 2)
	wantSame(t, "its lines", lines, []report.Line{{ID: 1, Slug: "rabot", Field: report.Price, Wanted: true}})

	r, err := s.Show(ctx, by, 1)
	db.must(err)
	wantEqual(t, "what was typed", r.Right, "25 €\nBcc: x@y.example[2J<b>=cmd()</b>")
	wantEqual(t, "the address", r.Email, "zoe@example.test")
	for _, other := range []account.Actor{{}, account.ByAccount("00000000-0000-4000-8000-000000000000")} {
		_, _, err := s.List(ctx, other, false, 10)
		wantError(t, "listed by another", err, account.ErrOperatorOnly)
		_, err = s.Show(ctx, other, 1)
		wantError(t, "read by another", err, account.ErrOperatorOnly)
		wantError(t, "closed by another", s.Close(ctx, other, []int64{1}, ""), account.ErrOperatorOnly)
		_, err = db.Reports.Report(ctx, other, 1)
		wantError(t, "read by another in the store", err, report.ErrNone)
		wantError(t, "closed by another in the store", db.Reports.Close(ctx, other, []int64{1}, "", db.now), report.ErrNone)
		_, err = s.CloseWhere(ctx, other, report.Selection{Slug: "rabot"})
		wantError(t, "a tool's closed by another", err, account.ErrOperatorOnly)
		n, err := db.Reports.CloseWhere(ctx, other, report.Selection{Slug: "rabot"}, db.now)
		db.must(err)
		wantEqual(t, "a tool's closed by another in the store", n, 0)
		found, _, err := db.Reports.List(ctx, other, false, 10)
		db.must(err)
		wantEqual(t, "listed by another in the store", len(found), 0)
	}

	wantError(t, "an answer to nobody", s.Close(ctx, by, []int64{3}, "Merci."), report.ErrNoEmail)
	if err := s.Close(ctx, by, []int64{1}, strings.Repeat("é", report.MaxAnswer+1)); err == nil {
		t.Error("an answer of any length is taken")
	}
	for _, nothing := range []string{" ", "\n\t", "\u200b"} {
		wantError(t, "an answer that says nothing", s.Close(ctx, by, []int64{1}, nothing), report.ErrEmptyAnswer)
	}
	db.must(s.Close(ctx, by, []int64{1}, " Merci, c’est corrigé. "))
	wantError(t, "closed again", s.Close(ctx, by, []int64{1}, "Encore."), report.ErrNone)
	wantError(t, "one that is not there", s.Close(ctx, by, []int64{99}, ""), report.ErrNone)
	sent := 0
	send := func(_ context.Context, a report.Answer) error {
		sent++
		wantSame(t, "the answer", a, report.Answer{Slug: "rabot", Email: "zoe@example.test", Text: "Merci, c’est corrigé.", Language: account.French})
		return nil
	}
	failed := errors.New("the mail server is away")
	wantError(t, "not sent", s.Mail(ctx, 1, func(context.Context, report.Answer) error { return failed }), failed)
	db.must(s.Mail(ctx, 1, send))
	db.must(s.Mail(ctx, 1, send))
	wantEqual(t, "sent", sent, 1)
	db.must(s.Close(ctx, by, []int64{3}, ""))
	if strings.Contains(db.dump("reports"), "zoe@") {
		t.Error("the address is kept after the answer")
	}
	closed, total, err := s.List(ctx, by, true, 1)
	db.must(err)
	wantEqual(t, "closed", len(closed)*10+total, 12)

	wantEqual(t, "networks", db.count("reports WHERE net64 IS NOT NULL"), 3)
	db.must(s.Tidy(ctx))
	wantEqual(t, "networks an hour later", db.count("reports WHERE net64 IS NOT NULL"), 0)
	db.must(s.Send(ctx, from, draft("rabot", hostile))) // what was closed may be said again
	db.now = db.now.Add(report.KeepClosed + time.Minute)
	db.must(s.Tidy(ctx))
	wantEqual(t, "open ones", db.count("reports"), 2)
	db.now = db.now.Add(report.KeepOpen)
	db.must(s.Tidy(ctx))
	wantEqual(t, "none", db.count("reports")+db.count("report_digests"), 0)
}

// What cannot be taken is named, and nothing of it is stored.
func TestReports_Faults(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	s := newReports(db)
	for name, c := range map[string]struct {
		edit func(*report.Draft)
		want string
	}{
		"nothing":             {func(d *report.Draft) { *d = report.Draft{Slug: "a"} }, "field, right"},
		"a field of the dead": {func(d *report.Draft) { d.Field = report.RetiredAt }, "field"},
		"blank":               {func(d *report.Draft) { d.Right = " \r\n\u200b\u00a0" }, "right"},
		"too long":            {func(d *report.Draft) { d.Right = strings.Repeat("é", report.MaxRight+1) }, "right"},
		"a script":            {func(d *report.Draft) { d.Source = "javascript:alert(1)" }, "source"},
		"no host":             {func(d *report.Draft) { d.Source = "https:///x" }, "source"},
		"two lines":           {func(d *report.Draft) { d.Source = "https://a.example/\nBcc: x" }, "source"},
		"no address":          {func(d *report.Draft) { d.Email = "zoe@example.test\r\nBcc: x@y.example" }, "email"},
	} {
		d := draft("a", "25 €")
		c.edit(&d)
		err := s.Send(t.Context(), netip.MustParseAddr("192.0.2.1"), d)
		if fault, ok := errors.AsType[*report.FaultError](err); !ok || strings.Join(fault.Inputs, ", ") != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantEqual(t, "stored", db.count("reports"), 0)
}
