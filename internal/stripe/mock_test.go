package stripe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A mock is Stripe's own stripe-mock: it has no state, and knows what a request may say and what an
// answer looks like.
type mock struct {
	client *http.Client
	stop   func()
}

func startMock() (*mock, error) {
	program, err := filepath.Abs("../../build/bin/stripe-mock")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(program); err != nil {
		return nil, errors.New("it is not there: run scripts/stripe-mock")
	}
	dir, err := os.MkdirTemp("", "stripe-mock")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "socket")
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, "-strict-version-check", "-http-unix", socket)
	if err := command.Start(); err != nil {
		cancel()
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	m := &mock{&http.Client{Transport: transport}, func() {
		transport.CloseIdleConnections()
		cancel()
		_ = command.Wait() // it was killed
		_ = os.RemoveAll(dir)
	}}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, _, err = m.send(stripefake.Request{Method: http.MethodGet, Path: "/v1/prices/price_1"}); err == nil {
			return m, nil
		}
		if time.Now().After(deadline) {
			m.stop()
			return nil, fmt.Errorf("it does not answer: %w", err)
		}
	}
}

func (m *mock) send(r stripefake.Request) (status int, body []byte, err error) {
	target, form := "http://stripe-mock"+r.Path, r.Form.Encode()
	if r.Method != http.MethodPost {
		target, form = target+"?"+form, ""
	}
	req, err := http.NewRequest(r.Method, target, strings.NewReader(form))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer sk_test_replay")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Stripe-Version", stripe.Version)
	resp, err := m.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, errors.Join(err, resp.Body.Close())
}

var anID = regexp.MustCompile(`\b(cus|price|cs_test|bps|sub|in|acc|prod|bpc|we)_[a-z0-9_]+`)

// replay sends requests again, once for each shape, and complains about what stripe-mock refuses and
// about fields of the stand-in's answer that stripe-mock does not have.
func (m *mock) replay(requests []stripefake.Request) (shapes int, complaints []string) {
	seen := make(map[string]bool)
	for _, r := range requests {
		fields := make(map[string]string)
		if r.Status == http.StatusOK {
			fields = fieldsOf(r.Answer)
		}
		call := anID.ReplaceAllString(r.Method+" "+r.Path+" "+r.Form.Encode(), "$1")
		shape := fmt.Sprint(call, fields)
		if seen[shape] {
			continue
		}
		seen[shape] = true
		status, body, err := m.send(r)
		switch {
		case err != nil:
			complaints = append(complaints, fmt.Sprintf("%s: %v", call, err))
		case status != http.StatusOK:
			complaints = append(complaints, fmt.Sprintf("%s: %d %s", call, status, body))
		default:
			for _, c := range compare(fields, fieldsOf(body)) {
				complaints = append(complaints, call+": "+c)
			}
		}
	}
	return len(seen), complaints
}

// fieldsOf returns the type of every field of an answer, by its path.
func fieldsOf(body []byte) map[string]string {
	fields := make(map[string]string)
	var add func(path string, value any)
	add = func(path string, value any) {
		kind := fmt.Sprintf("%T", value)
		switch v := value.(type) {
		case map[string]any:
			kind = "object"
			for name, part := range v {
				add(path+"."+name, part)
			}
		case []any:
			kind = "list"
			for _, part := range v {
				add(path+"[]", part)
			}
		}
		if fields[path] == "" || fields[path] == "<nil>" {
			fields[path] = kind
		}
	}
	var whole any
	if err := json.Unmarshal(body, &whole); err != nil {
		return map[string]string{"": err.Error()}
	}
	add("", whole)
	return fields
}

// compare complains about fields that are not there, or of another type. What stands below nothing is
// not known, nor are the names of metadata; stripe-mock deletes nobody, is registered in one country, has
// of an error its type alone (https://docs.stripe.com/api/invoices/object, last_finalization_error, has code
// and message), of an endpoint no secret, which is told at its creation
// (https://docs.stripe.com/api/webhook_endpoints/object), and of refunds none that failed
// (https://docs.stripe.com/api/refunds/object, failure_reason).
func compare(fake, mock map[string]string) (complaints []string) {
	for _, path := range slices.Sorted(maps.Keys(fake)) {
		parent := path[:max(strings.LastIndexAny(path, ".["), 0)]
		want, known := mock[path]
		switch {
		case strings.HasSuffix(path, ".deleted") || strings.HasSuffix(parent, "metadata") || strings.Contains(path, ".country_options."):
		case path == ".secret", strings.HasSuffix(path, ".failure_reason"):
		case strings.HasSuffix(path, "last_finalization_error.code"), strings.HasSuffix(path, "last_finalization_error.message"):
		case !known && (mock[parent] == "" || mock[parent] == "<nil>" || mock[parent] == "list"):
		case !known:
			complaints = append(complaints, path+" is not a field of Stripe's")
		case want != fake[path] && want != "<nil>" && fake[path] != "<nil>":
			complaints = append(complaints, fmt.Sprintf("%s is a %s, Stripe's is a %s", path, fake[path], want))
		}
	}
	return complaints
}

// A replay that cannot fail would prove nothing.
func TestReplayComplains(t *testing.T) {
	t.Parallel()
	m, err := startMock()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer m.stop()
	good := stripefake.Request{
		Method: http.MethodPost, Path: "/v1/checkout/sessions", Form: url.Values{"mode": {"subscription"}},
		Status: http.StatusOK, Answer: []byte(`{"id": "cs_1", "customer": null, "metadata": {"account_id": "1"}}`),
	}
	for name, tt := range map[string]struct {
		change func(*stripefake.Request)
		want   string
	}{
		"as Stripe has it":     {func(*stripefake.Request) {}, ""},
		"another word":         {func(r *stripefake.Request) { r.Form = url.Values{"mode": {"rent"}} }, "400"},
		"an unknown parameter": {func(r *stripefake.Request) { r.Form = url.Values{"moed": {"subscription"}} }, "400"},
		"an unknown call":      {func(r *stripefake.Request) { r.Path = "/v1/checkout/pages" }, "404"},
		"an unknown field":     {func(r *stripefake.Request) { r.Answer = []byte(`{"ID": "cs_1"}`) }, ".ID is not a field"},
		"another type":         {func(r *stripefake.Request) { r.Answer = []byte(`{"expires_at": "noon"}`) }, ".expires_at is a string"},
	} {
		r := good
		tt.change(&r)
		shapes, complaints := m.replay([]stripefake.Request{r, r})
		testkit.Equal(t, name+": shapes", shapes, 1)
		if got := strings.Join(complaints, "\n"); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: complains %q, want %q", name, got, tt.want)
		}
	}
}
