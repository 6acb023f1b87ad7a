package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		figures []float64
		want    spread
	}{
		{nil, spread{}},
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{2, 1}, spread{1.25, 1.5, 1.75}},
		{[]float64{8, 1, 7, 2, 6, 3, 5, 4}, spread{2.75, 4.5, 6.25}},
	} {
		if got := spreadOf(c.figures); got != c.want {
			t.Errorf("%v: got %v, want %v", c.figures, got, c.want)
		}
	}
	figures := []int{5, 3, 1, 4, 2}
	if a, b, c := percentile(figures, 50), percentile(figures, 99), percentile([]int{}, 50); a != 3 || b != 5 || c != 0 {
		t.Errorf("percentiles are %d, %d, %d", a, b, c)
	}
}

const wrkSaid = `Running 1s test @ http://127.0.0.1:18999/y
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.01ms    1.40ms  18.31ms   88.08%
    Req/Sec    38.70k     4.61k   45.93k    65.00%
  21459 requests in 300.12ms, 2.50MB read
  Socket errors: connect 1, read 20, write 300, timeout 4000
  Non-2xx or 3xx responses: 21458
Requests/sec:  71502.35
Transfer/sec:      8.66MB
`

func TestWrk(t *testing.T) {
	t.Parallel()
	want := slice{requests: 21459, rate: 71502.35, refused: 21458, broken: 4321, longest: 18_310 * time.Microsecond, bytes: 2.5 * (1 << 20)}
	if got := parseWrk(wrkSaid); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, out := range []string{ // what tells no figures must not pass for figures
		"", "unable to connect to 127.0.0.1:1 Connection refused\n", strings.Replace(wrkSaid, "Requests/sec", "?", 1),
		strings.Replace(wrkSaid, "21459 requests", "0 requests", 1), strings.Replace(wrkSaid, "21459", "99999999999999999999", 1),
	} {
		if attempt(func() { parseWrk(out) }) == nil {
			t.Errorf("%q was read", out)
		}
	}
	for s, right := range map[slice][2]bool{ // if none must be refused, and if all must
		{requests: 9}: {true, false}, {requests: 9, refused: 9}: {false, true}, {requests: 9, refused: 1}: {}, {requests: 9, broken: 1}: {},
	} {
		if none, all := attempt(func() { s.check(false) }), attempt(func() { s.check(true) }); right != [2]bool{none == nil, all == nil} {
			t.Errorf("%+v: %v, %v", s, none, all)
		}
	}
}

func TestInTurn(t *testing.T) {
	t.Parallel()
	order := ""
	side := func(name string, n int) func() slice {
		return func() slice { order += name; return slice{requests: n} }
	}
	for round := range 3 {
		if sent := inTurn(round, side("a", 1), side("b", 2)); sent[0].requests != 1 || sent[1].requests != 2 {
			t.Errorf("round %d: %+v", round, sent)
		}
	}
	if order != "abbaab" {
		t.Error(order)
	}
}

func TestCPUTime(t *testing.T) {
	t.Parallel()
	p := start(t.TempDir(), nil, "/bin/sh", "-c", "(i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 60) & wait") // a child works
	defer syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	for began := time.Now(); cpuTime(p.Process.Pid) < 5*time.Millisecond; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the child's work is not counted")
		}
	}
	if attempt(func() { cpuTime(1 << 30) }) == nil {
		t.Error("processes that are not there took time")
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		goal, rate float64
		err        error
		want       string
	}{
		{0, 1.1, nil, "| x | y |  | **1.10** (1.10 to 1.10) | 2.00 (2.00 to 2.00) | 20.0 / 40.0 µs |  |\n"},
		{0.95, 0.95, nil, "| x | y | ≥ 0.95 | **0.95** (0.95 to 0.95) | 2.00 (2.00 to 2.00) | 20.0 / 40.0 µs | yes, within the noise |\n"},
		{50, 30, nil, "| x | y | ≥ 50 | **30** (30 to 30) | 2.00 (2.00 to 2.00) | 20.0 / 40.0 µs | no |\n"},
		{1, 1, errors.New("it | did not\nsecond line"), "| x | y | ≥ 1 | not measured: it \\| did not |  |  | no |\n"},
	} {
		r := result{class: class{Name: "x", Base: "y", Goal: c.goal}, err: c.err}
		for _, noise := range []float64{1, 2, 3} { // only within a pair servers meet the same machine
			r.ours = append(r.ours, slice{rate: c.rate * noise, cpu: 10 * noise})
			r.base = append(r.base, slice{rate: noise, cpu: 20 * noise})
		}
		table := newTable("")
		table.Reset()
		if table.add(r.row()...); table.String() != c.want {
			t.Errorf("got %swant %s", table, c.want)
		}
	}
	sizes := growthTable([]growth{{tools: 1000, one: 27.94, first: 190 * time.Millisecond}, {tools: 100_000, one: 1234, first: 19 * time.Second}})
	for _, want := range []string{"| tools | 1,000 | 100,000 |\n|---|---|---|\n", "tool | 27.9 µs | 1,234 µs |\n", "first publication | 190 ms | 19 s |\n"} {
		if !strings.Contains(sizes, want) {
			t.Errorf("%s\nlacks %s", sizes, want)
		}
	}
}

// Each document has a place for each of its tables, and keeps all else.
func TestParts(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][]string{
		"performance": {"machine", "classes", "growth"}, "floods": {"machine", "over the quota", "dead redis", "queries"},
	} {
		before := string(must(os.ReadFile("../docs/" + name + ".md")))
		path := filepath.Join(t.TempDir(), name)
		check(os.WriteFile(path, []byte(before), 0o600))
		for _, part := range append(parts, parts...) {
			writeParts(path, map[string]string{part: "figures of " + part})
			text := string(must(os.ReadFile(path)))
			if strings.Count(text, "\n\nfigures of "+part+"\n\n") != 1 || text[:100] != before[:100] || !strings.HasSuffix(text, before[len(before)-100:]) {
				t.Errorf("%s is not written as it should:\n%s", part, text)
			}
		}
		if attempt(func() { writeParts(path, map[string]string{"another": ""}) }) == nil {
			t.Error("a part without a place is written")
		}
	}
}

func TestBare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check(os.WriteFile(filepath.Join(dir, "%2Fapi%2Fv1%2Ftools%3Flimit=2"), []byte(`{"data":[]}`), 0o600))
	client := connect(redistest.URL(t))
	defer client.Close()
	s := httptest.NewServer(counted(client, bareHandler(dir)))
	defer s.Close()
	caller := filepath.Base(dir) + time.Now().String()
	for _, header := range []http.Header{{"X-Forwarded-For": {caller}}, {"Authorization": {caller}, "X-Forwarded-For": {"another"}}} {
		if a := must(get(t.Context(), s.URL+"/api/v1/tools?limit=2", header, http.StatusOK)); string(a.body) != `{"data":[]}` {
			t.Errorf("%s", a.body)
		}
		must(get(t.Context(), s.URL+"/api/v1/tools", header, http.StatusNotFound))
	}
	key := "base:" + caller
	if n, err := client.Do(t.Context(), client.B().Getdel().Key(key).Build()).AsInt64(); err != nil || n != 4 {
		t.Errorf("counted %d: %v", n, err)
	}
}

func TestReceiver(t *testing.T) {
	t.Parallel()
	secret, file := webhook.NewSecret(), filepath.Join(t.TempDir(), "secrets")
	check(os.WriteFile(file, []byte("/ok/1 "+secret.Reveal()+"\n"), 0o600))
	server := httptest.NewServer(newReceiver(file))
	t.Cleanup(server.Close)
	client := &http.Client{Timeout: time.Second}
	send := func(path, id string, with webhook.Secret) {
		q := must(http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader("{}")))
		now := time.Now()
		q.Header.Set("Webhook-Id", id)
		q.Header.Set("Webhook-Timestamp", fmt.Sprint(now.Unix()))
		q.Header.Set("Webhook-Signature", webhook.Sign(id, now, []byte("{}"), with))
		resp, err := client.Do(q)
		if (err != nil) != strings.HasPrefix(path, "/hang") {
			t.Errorf("%s: %v", path, err)
		} else if err == nil {
			resp.Body.Close()
		}
	}
	began := time.Now()
	for _, c := range [][2]string{{"/ok/1", "a"}, {"/ok/1", "a"}, {"/ok/1", "b"}, {"/ok/2", "c"}, {"/hang/1", "d"}} {
		send(c[0], c[1], secret)
	}
	send("/ok/1", "z", webhook.NewSecret())
	var all map[string]stats
	a := must(get(t.Context(), fmt.Sprintf("%s/stats?since=%d", server.URL, began.UnixNano()), nil, http.StatusOK))
	check(json.Unmarshal(a.body, &all))
	s := all["ok"]
	if s.Count != 5 || s.Distinct != 4 || s.Duplicates != 1 || s.Forged != 1 || s.Unchecked != 1 || all["hang"].Count != 1 {
		t.Errorf("%+v", all)
	}
	if l := s.Latency; l["p50"] <= 0 || l["max"] < l["p50"] || l["max"] > time.Since(began).Seconds() {
		t.Errorf("latency: %+v", l)
	}
}
