package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWebhooks_AreDeliveredAndReplayed(t *testing.T) {
	t.Parallel()
	a, h := newHooks(t), newHook(t)
	id, secret := a.endpoint(h.url, "--vouch", "--type", "tool.created")
	other, _ := a.endpoint(anyEndpoint) // not active: it hears of nothing
	a.says(id+" has no deliveries", "webhook", "deliveries", id)
	h.answers(func(string) (int, string) { return http.StatusOK, "thanks" })
	a.worker()
	a.run("publish", fixtureCatalog)
	settled := func() (list []jsonDelivery) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			list = a.deliveries(id, "--limit", "1000")
			if len(list) > 0 && !slices.ContainsFunc(list, func(d jsonDelivery) bool { return d.State != "delivered" }) {
				return list
			}
		}
		t.Fatalf("not delivered: %+v", list)
		return nil
	}
	list := settled()
	n := len(list)
	if len(a.deliveries(other)) != 0 {
		t.Error("an endpoint that is not active has deliveries")
	}
	sent := make(map[string]int)
	for _, r := range h.await(n) {
		r.signed(t, secret)
		sent[r.header.Get("webhook-id")]++
	}
	for i, d := range list {
		if d.Type != "tool.created" || d.Attempts != 1 || d.Status != 200 || d.Response != "thanks" || d.Error != "" || d.NextAt != "" || sent[d.ID] != 1 ||
			d.Slug == "" || d.TookMS == nil || d.History != nil || time.Since(d.MadeAt) > time.Minute || d.At.Before(d.MadeAt) {
			t.Errorf("sent %d times: %+v", sent[d.ID], d)
		}
		if i > 0 && d.Seq >= list[i-1].Seq {
			t.Error("the newest is not first")
		}
	}
	if page := a.deliveries(id, "--limit", "2", "--before", fmt.Sprint(list[1].Seq)); len(page) != 2 || !reflect.DeepEqual(page[0], list[2]) {
		t.Errorf("the page after the second: %+v", page)
	}
	const when = `20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`
	table, _ := a.run("webhook", "deliveries", id, "--limit", "1")
	if !regexp.MustCompile(`^ID +SEQ +TYPE +SLUG +STATE +ATTEMPTS +LAST +TOOK +NEXT +RESULT\n` +
		list[0].ID + ` +\d+ +tool\.created +` + list[0].Slug + ` +delivered +1 +` + when + ` +[\d.]+m?s +200\n$`).MatchString(table) {
		t.Errorf("the table:\n%s", table)
	}

	// A replay keeps the id.
	a.says("1 to be delivered again", "webhook", "replay", id, "--delivery", list[0].ID)
	if again := h.await(n + 1)[n]; again.header.Get("webhook-id") != list[0].ID {
		t.Errorf("%s is delivered as %s", list[0].ID, again.header.Get("webhook-id"))
	}
	settled()
	first, last := list[n-1].Seq, list[0].Seq
	a.says(fmt.Sprint(n, " to be delivered again"), "webhook", "replay", id, "--from", fmt.Sprint(first), "--to", fmt.Sprint(last))
	for _, r := range h.await(2*n + 1)[n+1:] {
		if sent[r.header.Get("webhook-id")] != 1 {
			t.Errorf("%s is new", r.header.Get("webhook-id"))
		}
	}
	settled()
	a.refuses("there is no such delivery", "webhook", "deliveries", id, "msg_nothing")
	a.refuses("there is no such delivery", "webhook", "deliveries", other, list[0].ID)
	a.refuses("there is no such delivery", "webhook", "replay", id, "--delivery", "msg_nothing")
	a.refuses("there is no such delivery", "webhook", "replay", other, "--delivery", list[0].ID)
	a.refuses("the endpoint is not active", "webhook", "replay", other, "--from", "1", "--to", "2")
}

// A receiver that was broken: every attempt can be seen, and one command replays what
// failed.
func TestWebhooks_ShowEveryAttempt(t *testing.T) {
	t.Parallel()
	a, h := newHooks(t), newHook(t)
	id, _ := a.endpoint(h.url, "--vouch", "--type", "price.changed")
	content := copyOf(t, exampleCatalog)
	a.run("publish", content)
	h.answers(func(string) (int, string) { return http.StatusBadGateway, "en panne" })
	a.worker()
	edit := func(old, price string) {
		t.Helper()
		tool := filepath.Join(content, "tools", "archivette.md")
		text, err := os.ReadFile(tool)
		must(t, err)
		if !strings.Contains(string(text), old) {
			t.Fatalf("no %q in %s", old, text)
		}
		must(t, os.WriteFile(tool, []byte(strings.Replace(string(text), old, price, 1)), 0o600))
		a.run("publish", content)
	}
	until := func(state string) jsonDelivery {
		t.Helper()
		var list []jsonDelivery
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if list = a.deliveries(id, "--attempts"); len(list) == 1 && list[0].State == state && len(list[0].History) > 0 {
				return list[0]
			}
		}
		t.Fatalf("not %s: %+v", state, list)
		return jsonDelivery{}
	}
	edit("price: ", "price: \"77 €/mois\" # ")
	d := until("pending")
	if d.Slug != "archivette" || d.NextAt == "" || d.Status != 502 || d.History[0].Response != "en panne" || d.History[0].TookMS == nil {
		t.Errorf("%+v", d)
	}
	a.run("webhook", "disable", id, "--reason", "on holiday")
	failed := until("exhausted")
	if failed.Ended != "on holiday" || failed.EndedAt.IsZero() || !strings.Contains(failed.Error, "502 Bad Gateway") {
		t.Errorf("%+v", failed)
	}
	edit("77 €", "78 €")
	h.answers(func(string) (int, string) { return http.StatusOK, "thanks" })
	_, errs := a.run("webhook", "enable", id)
	missed := regexp.MustCompile(`^` + id + ` hears of what is published from now on; it missed events (\d+) to (\d+): ` +
		`palmares webhook replay ` + id + ` --from (\d+) --to (\d+)\n` +
		`1 of its deliveries failed for good: palmares webhook replay ` + id + ` --failed --since 1h\n$`).FindStringSubmatch(errs)
	if missed == nil || missed[1] != fmt.Sprint(failed.Seq+1) || missed[1] != missed[3] || missed[2] != missed[4] {
		t.Errorf("after %d: %s", failed.Seq, errs)
	}
	a.says("1 to be delivered again", "webhook", "replay", id, "--failed", "--since", "2h")
	done := until("delivered")
	n := len(done.History)
	if n < 2 || done.History[n-1].Status != 200 || done.History[n-2].Status != 502 || done.Ended != "" || done.ID != d.ID {
		t.Errorf("%+v", done)
	}
	table, _ := a.run("webhook", "deliveries", id, d.ID)
	if !regexp.MustCompile(`^ID +SEQ +TYPE +SLUG +ATTEMPT +AT +TOOK +RESULT +ANSWER\n` + d.ID + ` +\d+ +price\.changed +archivette +1 +20\S+Z +\S+s +the receiver answered 502 Bad Gateway +"en panne"\n(?s:.*)` +
		d.ID + ` .* 200 +"thanks"\n$`).MatchString(table) {
		t.Errorf("the table:\n%s", table)
	}
	a.says("0 to be delivered again", "webhook", "replay", id, "--failed", "--since", "3d")
	a.refuses("events can be replayed for 30 days", "webhook", "replay", id, "--failed", "--since", "31d")
	a.says(id+" hears of what is published from now on; it missed nothing", "webhook", "enable", id)
}
