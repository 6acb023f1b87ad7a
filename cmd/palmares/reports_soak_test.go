package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Within a minute a thousand addresses send a form each, and one address ten thousand. As many rows are stored as the
// bounds allow, one mail goes out, and the API answers others as in the quiet: with PALMARES_LONG=1 their 99th percentile is
// at most 1.2 times the quiet one, in the median of rounds.
func TestReports_OthersDoNotFeelAFlood(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	tools, rounds, lasts, many, one := 400, 1, 2*time.Second, 60, 120
	if testkit.Long() {
		tools, rounds, lasts, many, one = 2000, 3, time.Minute, 1000, 10_000
	}
	db, dir, box := pgtest.Migrated(t), t.TempDir(), testkit.NewMailbox(t)
	palmares(t, nil, "generate", "--tools", fmt.Sprint(tools), dir)
	palmares(t, database(db), "publish", dir)
	n := serve(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8", "PALMARES_SMTP_URL="+box.URL, "PALMARES_MAIL_FROM=noreply@palmares.test",
		"PALMARES_CONTACT=redaction@palmares.test", "PALMARES_BASE_URL=https://palmares.example")
	n.ready()
	slugs := n.slugs()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	var statuses sync.Map // counts by status
	send := func(from, slug, right string) {
		form := url.Values{"field": {"price"}, "right": {right}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.public+"/signaler/"+slug, strings.NewReader(form.Encode()))
		if err != nil {
			return
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-Forwarded-For", from)
		r, err := testkit.Do(client, req)
		if err != nil {
			t.Error(err)
			return
		}
		count, _ := statuses.LoadOrStore(r.Status, new(atomic.Int64))
		count.(*atomic.Int64).Add(1) //nolint:forcetypeassert // it was stored just now
	}
	serial := 0
	measure := func() time.Duration {
		var took []time.Duration
		for end := time.Now().Add(lasts); time.Now().Before(end); serial++ {
			began := time.Now()
			r, err := visit(client, n.public+"/api/v1/tools/"+slugs[serial%len(slugs)], "", fmt.Sprintf("10.%d.%d.%d", 2+serial>>16&255, serial>>8&255, serial&255))
			must(t, err)
			if !r.OK() {
				t.Errorf("the API: %v", r)
			}
			took = append(took, time.Since(began))
			time.Sleep(2 * time.Millisecond)
		}
		slices.Sort(took)
		return took[len(took)*99/100]
	}
	// flood sends forms at an even rate until all are sent.
	flood := func(round int) (wait func()) {
		var all sync.WaitGroup
		paced := func(forms int, each func(i int)) {
			all.Go(func() {
				var sent sync.WaitGroup
				tick := time.NewTicker(lasts / time.Duration(forms))
				defer tick.Stop()
				for i := range forms {
					<-tick.C
					sent.Go(func() { each(i) })
				}
				sent.Wait()
			})
		}
		paced(many, func(i int) {
			send(fmt.Sprintf("198.%d.%d.%d", 18+round, i>>8, i&255), slugs[i%len(slugs)], fmt.Sprint("une valeur ", round, i))
		})
		paced(one, func(i int) { send("192.0.2.1", slugs[i%len(slugs)], fmt.Sprint("une autre ", round, i)) })
		return all.Wait
	}
	var ratios []float64
	for round := range rounds {
		quiet := measure()
		wait := flood(round)
		loud := measure()
		wait()
		ratios = append(ratios, float64(loud)/float64(quiet))
		t.Logf("p99 of the API: %v in the quiet, %v beside the flood", quiet, loud)
	}
	statuses.Range(func(status, count any) bool {
		t.Logf("%v: %d forms", status, count.(*atomic.Int64).Load()) //nolint:forcetypeassert // as above
		if status != http.StatusOK && status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
			t.Errorf("forms are answered %v", status)
		}
		return true
	})
	listed, _ := palmares(t, database(db), "reports", "list")
	rows := strings.Count(listed, "\n") - 1
	box.Wait(t, "redaction@palmares.test")
	t.Logf("%d rows, %d mails; ratios %.2f", rows, len(box.All("")), ratios)
	stored := int64(0)
	if count, ok := statuses.Load(http.StatusOK); ok {
		stored = count.(*atomic.Int64).Load() //nolint:forcetypeassert // as above
	}
	if rows == 0 || int64(rows) != stored || rows > report.MostInAll || len(box.All("")) != 1 {
		t.Errorf("%d rows of %d forms that were taken, and %d mails", rows, stored, len(box.All("")))
	}
	slices.Sort(ratios)
	if ratio := ratios[len(ratios)/2]; testkit.Long() && ratio > 1.2 {
		t.Errorf("the API takes %.2f times as long beside the flood, want 1.2 at most", ratio)
	}
}
