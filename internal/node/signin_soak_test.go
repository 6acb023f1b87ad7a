package node

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A kind of address, as pairs compare them. prepare makes the address what it is.
type addressKind struct {
	name    string
	email   func(i int) string
	prepare func(email string)
}

// How long the answer takes does not tell what an address is: pairs of addresses, each asked for by
// a client of its own, in an order by chance, on a node that sends mail to one of the two. The rank
// sum says how often the one took longer. With PALMARES_LONG=1 there are 2,000 pairs, and it must be
// one half, within 0.03; chance alone deviates by 0.009. It measures, so it is not parallel.
func TestSignIn_TimeTellsNothing(t *testing.T) { //nolint:paralleltest // as said
	pairs := 20
	if testkit.Long() {
		pairs = 2000
	}
	db, mailbox := pgtest.Migrated(t), testkit.NewMailbox(t)
	n := startRoles(t, []string{API, Site, Worker}, db, "PALMARES_REDIS_URL="+redistest.NewServer(t).URL(), "PALMARES_TRUSTED_PROXIES=127.0.0.1",
		"PALMARES_SIGNUP=closed", "PALMARES_SIGNUP_BLOCKED=blocked.example", "PALMARES_BASE_URL=http://localhost:8080",
		"PALMARES_SMTP_URL="+mailbox.URL, "PALMARES_MAIL_FROM=noreply@palmares.test")
	n.metrics(map[string]float64{"palmares_jobs_running": 1})
	s := openServices(t, db)
	b := testkit.NewBrowser(t, n.public)
	b.Get("/compte/connexion")
	clients := 0
	ask := func(email string) time.Duration {
		clients++
		b.From = fmt.Sprintf("10.%d.%d.%d", clients>>16, clients>>8&255, clients&255)
		began := time.Now()
		a := b.Submit("/compte/connexion", "ask", map[string]string{"email": email})
		took := time.Since(began)
		if !a.OK() {
			t.Fatalf("asking: %v", a)
		}
		return took
	}
	create := func(email string) {
		_, err := s.Accounts.Create(t.Context(), account.Operator(), email, account.Developer)
		must(t, err)
	}
	known := func(of string) addressKind {
		return addressKind{"known", func(i int) string { return fmt.Sprintf("%s-%05d@example.org", of, i) }, create}
	}
	for range 50 {
		ask("warm@example.org")
	}
	for _, pair := range [][2]addressKind{
		{known("ka"), {"unknown", func(i int) string { return fmt.Sprintf("ua-%05d@example.org", i) }, func(string) {}}},
		{known("kb"), {"blocked", func(i int) string { return fmt.Sprintf("b-%05d@blocked.example", i) }, func(string) {}}},
		{known("kc"), {"limited", func(i int) string { return fmt.Sprintf("lc-%05d@example.org", i) }, func(email string) {
			create(email)
			for range 5 {
				ask(email)
			}
		}}},
	} {
		var took [2][]time.Duration
		for i := range pairs {
			for _, kind := range pair {
				kind.prepare(kind.email(i))
			}
			first := rand.IntN(2)
			for _, k := range []int{first, 1 - first} {
				took[k] = append(took[k], ask(pair[k].email(i)))
			}
		}
		auc := rankSum(took[0], took[1])
		t.Logf("%s and %s addresses, %d pairs: medians %v and %v, rank-sum AUC %.4f", pair[0].name, pair[1].name, pairs, median(took[0]), median(took[1]), auc)
		if testkit.Long() && (auc < 0.47 || auc > 0.53) {
			t.Errorf("the time tells %s addresses from %s ones: AUC %.4f", pair[0].name, pair[1].name, auc)
		}
	}
	testkit.EventuallyTrue(t, "a mail is sent", func() bool { return len(mailbox.All("")) > 0 })
}

// rankSum is the share of pairs (x of a, y of b) in which x is the greater, ties counting half: the
// area under the ROC curve of whoever tells b from a by it.
func rankSum(a, b []time.Duration) float64 {
	b = slices.Sorted(slices.Values(b))
	sum := 0.0
	for _, x := range a {
		below, _ := slices.BinarySearch(b, x)
		upTo, _ := slices.BinarySearch(b, x+1)
		sum += float64(below) + float64(upTo-below)/2
	}
	return sum / float64(len(a)*len(b))
}

func median(d []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(d))[len(d)/2].Round(time.Microsecond)
}

func TestRankSum(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b []time.Duration
		want float64
	}{
		{[]time.Duration{1, 2, 3}, []time.Duration{1, 2, 3}, 0.5},
		{[]time.Duration{4, 5}, []time.Duration{1, 2, 3}, 1},
		{[]time.Duration{1}, []time.Duration{2, 3}, 0},
		{[]time.Duration{2, 2}, []time.Duration{1, 2, 3, 3}, 0.375},
	} {
		testkit.Equal(t, fmt.Sprint(tt.a, " and ", tt.b), rankSum(tt.a, tt.b), tt.want)
	}
}
