package billing_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var operator = account.Operator()

const day = 24 * time.Hour

// A shop is a service on a database of its own, the provider, and a clock.
type shop struct {
	*testing.T
	*billing.Service
	provider *provider
	accounts *account.Service
	db       *postgres.DB
	pool     *pgxpool.Pool // for what the packages do not offer
	clock    *testkit.Clock
	events   atomic.Int64
	texts    atomic.Pointer[billing.OperatorTexts] // of the operator

	log    testkit.Log
	mu     sync.Mutex
	counts map[string]int
	mails  []billing.Notice
	docs   []billing.DocumentNotice

	testers []string                 // who may buy; nil: everybody
	buyer   func(*billing.OrderForm) // changes what form returns; nil for a business in Paris
	scheme  billing.Scheme           // of the seller's VAT
}

var start = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)

func newShop(t *testing.T) *shop {
	t.Helper()
	url := pgtest.Migrated(t)
	db, err := postgres.Open(t.Context(), url, postgres.Options{Conns: 12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s := &shop{T: t, db: db, pool: pool, clock: testkit.NewClock(start), counts: make(map[string]int)}
	s.texts.Store(&billing.OperatorTexts{
		Terms: map[account.Language]string{account.French: "Nos conditions.", account.English: "Our terms."},
		Legal: map[account.Language]string{account.French: "Qui nous sommes."},
	})
	s.provider = newProvider(s.clock.Now)
	s.accounts = account.NewService(db.Accounts, db.Keys, s.clock.Now)
	s.Service = s.service(s.provider)
	return s
}

// sells has the seller sell by another scheme of VAT, as after a restart.
func (s *shop) sells(scheme billing.Scheme) {
	s.scheme = scheme
	s.Service = s.service(s.provider)
}

// at is a page in each language.
func at(url string) billing.Page {
	return func(l account.Language) string { return url + "?lang=" + string(l) }
}

func (s *shop) service(p billing.Provider) *billing.Service {
	return billing.New(billing.Options{
		Store: s.db.Billing, Provider: p, Country: "FR", Scheme: s.scheme, Testers: s.testers, Texts: func() billing.OperatorTexts { return *s.texts.Load() },
		Plan: at("https://palmares.example/plan"), Done: at("https://palmares.example/done"),
		Logger: slog.New(slog.NewTextHandler(&s.log, nil)), Now: s.clock.Now, Count: func(what string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.counts[what]++
		},
	})
}

// logged reports whether a line of the log has all of these parts.
func (s *shop) logged(parts ...string) bool {
	return slices.ContainsFunc(strings.Split(s.log.String(), "\n"), func(line string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) })
	})
}

func (s *shop) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *shop) want(what string, got, want any) {
	s.Helper()
	testkit.Equal(s, what, got, want)
}

func (s *shop) wantError(what string, got, want error) {
	s.Helper()
	if !errors.Is(got, want) || (got == nil) != (want == nil) {
		s.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func (s *shop) exec(sql string, args ...any) {
	s.Helper()
	if _, err := s.pool.Exec(s.Context(), sql, args...); err != nil {
		s.Fatalf("%s: %v", sql, err)
	}
}

func (s *shop) count(from string, args ...any) (n int) {
	s.Helper()
	s.must(s.pool.QueryRow(s.Context(), `SELECT count(*) FROM `+from, args...).Scan(&n))
	return n
}

// dump is every row of every table.
func (s *shop) dump() string {
	s.Helper()
	rows, err := s.pool.Query(s.Context(), `SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
	s.must(err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	s.must(err)
	var all strings.Builder
	for _, table := range tables {
		rows, err := s.pool.Query(s.Context(), `SELECT r::text FROM `+table+` r ORDER BY 1`)
		s.must(err)
		list, err := pgx.CollectRows(rows, pgx.RowTo[string])
		s.must(err)
		all.WriteString(table + ": " + strings.Join(list, "\n") + "\n")
	}
	return all.String()
}

var emails atomic.Int64

func (s *shop) signUp(plan account.Plan) account.Account {
	s.Helper()
	a, err := s.accounts.Create(s.Context(), operator, fmt.Sprintf("owner-%d@example.org", emails.Add(1)), plan)
	s.must(err)
	return a
}

func (s *shop) plan(id string) account.Plan {
	s.Helper()
	a, err := s.accounts.Show(s.Context(), operator, id)
	s.must(err)
	return a.Plan
}

// event sends an event about a customer.
func (s *shop) event(kind, customer string) {
	s.Helper()
	s.must(s.Receive(s.Context(), fmt.Appendf(nil, "evt_%d %s %s", s.events.Add(1), kind, customer), "signed"))
}

// form is one that is whole.
func (s *shop) form() billing.OrderForm {
	f := billing.OrderForm{
		ID: billing.NewOrderID(), Language: account.French, Details: billing.Details{
			Name: "Atelier  Ada ", Number: "732 829 320", Country: "FR", Line1: "3 rue du Puits", Postcode: "75011", City: "Paris",
		},
		Business: true, Accepted: true, Terms: s.texts.Load().TermsIn(account.French).Hash, Total: 11880,
	}
	if s.buyer != nil {
		s.buyer(&f)
	}
	return f
}

// Checkout orders and returns where that is paid, or where an order is that waits.
func (s *shop) Checkout(ctx context.Context, by account.Actor, id string) (billing.Checkout, error) {
	c, err := s.Order(ctx, by, id, s.form())
	if errors.Is(err, billing.ErrOrderOpen) {
		return s.Service.Checkout(ctx, by, id)
	}
	return c, err
}

// Reconcile reconciles, and takes Pro from nobody unasked.
func (s *shop) Reconcile(ctx context.Context, dry bool) (billing.Report, error) {
	return s.Service.Reconcile(ctx, billing.Run{DryRun: dry})
}

// buys is an account with a subscription in that state, known to both sides.
func (s *shop) buys(status billing.Status) (account.Account, *billing.Subscription) {
	s.Helper()
	a := s.signUp(account.Developer)
	c, err := s.Checkout(s.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	sub := s.provider.complete(c.ID, status)
	s.event("customer.subscription.created", sub.Customer)
	s.work()
	return a, sub
}

// changes changes a subscription at the provider, which says so.
func (s *shop) changes(sub *billing.Subscription, f func()) {
	s.Helper()
	s.provider.with(f)
	s.event("customer.subscription.updated", sub.Customer)
	s.work()
}

// passes moves the clock, sweeps and works.
func (s *shop) passes(d time.Duration) {
	s.Helper()
	s.clock.Advance(d)
	s.must(s.Sweep(s.Context()))
	s.work()
}

// A job is one of River's.
type job struct {
	kind string
	args []byte
}

// take takes a job that waits.
func (s *shop) take(ctx context.Context) (j job, ok bool) {
	err := s.pool.QueryRow(ctx, `
		DELETE FROM river_job WHERE id = (SELECT id FROM river_job WHERE kind LIKE 'billing_%' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING kind, args`).Scan(&j.kind, &j.args)
	if errors.Is(err, pgx.ErrNoRows) {
		return j, false
	}
	if err != nil {
		s.Error(err)
	}
	return j, err == nil
}

// do does a job.
func (s *shop) do(ctx context.Context, j job) error {
	switch j.kind {
	case billing.SyncAccount{}.Kind():
		return do(j, func(args billing.SyncAccount) error { return s.Sync(ctx, args) })
	case billing.LeaveProvider{}.Kind():
		return do(j, func(args billing.LeaveProvider) error { return s.Leave(ctx, args) })
	case billing.CancelSubscription{}.Kind():
		return do(j, func(args billing.CancelSubscription) error { return s.CarryOut(ctx, args) })
	case billing.UpdateCustomer{}.Kind():
		return do(j, func(args billing.UpdateCustomer) error { return s.UpdateCustomer(ctx, args) })
	case billing.TellCharge{}.Kind():
		return do(j, func(args billing.TellCharge) error { return s.TellCharge(ctx, args) })
	case billing.MailDocument{}.Kind():
		return do(j, func(args billing.MailDocument) error { return s.MailDocument(ctx, args, s.told) })
	case billing.MailRefund{}.Kind():
		return do(j, func(args billing.MailRefund) error { return s.TellRefund(ctx, args, s.told) })
	case billing.MailNotice{}.Kind():
		return do(j, func(args billing.MailNotice) error { return s.Mail(ctx, args, s.sent) })
	}
	return fmt.Errorf("%s is no job of ours", j.kind)
}

func do[A any](j job, work func(A) error) error {
	var args A
	if err := json.Unmarshal(j.args, &args); err != nil {
		return err
	}
	return work(args)
}

func (s *shop) sent(_ context.Context, n billing.Notice) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, n)
	return nil
}

func (s *shop) told(_ context.Context, n billing.DocumentNotice) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs = append(s.docs, n)
	return nil
}

// mailed returns how often documents of a kind were mailed, by their ids.
func (s *shop) mailed(kind billing.DocumentKind) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]int)
	for _, n := range s.docs {
		if n.Document.Kind == kind {
			all[n.Document.ID]++
		}
	}
	return all
}

// work does all jobs. None fails.
func (s *shop) work() {
	s.Helper()
	for {
		j, ok := s.take(s.Context())
		if !ok {
			return
		}
		err := s.do(s.Context(), j)
		for errors.Is(err, billing.ErrBusy) { // as a worker does; the server may not have noticed yet that another died
			time.Sleep(10 * time.Millisecond)
			err = s.do(s.Context(), j)
		}
		if err != nil {
			s.Fatalf("%s %s: %v", j.kind, j.args, err)
		}
	}
}

// mail returns the mails sent since the last call, such as "unpaid 3".
func (s *shop) mail() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list = []string{}
	for _, n := range s.mails {
		text := string(n.Kind)
		if n.Kind == billing.NoticeUnpaid {
			text += fmt.Sprint(" ", n.Day)
		}
		if !n.Until.IsZero() {
			text += " until " + n.Until.Format(time.DateOnly)
		}
		list = append(list, text)
	}
	s.mails = nil
	return list
}

func (s *shop) counted(what string) int {
	s.Helper()
	if !slices.Contains(billing.Counts(), what) {
		s.Errorf("%s is not listed", what)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[what]
}

func (s *shop) overview(a account.Account) billing.Overview {
	s.Helper()
	o, err := s.Overview(s.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	return o
}
