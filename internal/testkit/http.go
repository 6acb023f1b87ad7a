package testkit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A Response is an HTTP response that has been read to its end.
type Response struct {
	Status int
	Header http.Header
	Body   string
}

// OK reports whether the status is 200.
func (r Response) OK() bool { return r.Status == http.StatusOK }

// Says reports whether the status is 200 and the body holds the text.
func (r Response) Says(text string) bool { return r.OK() && strings.Contains(r.Body, text) }

// String returns the status and the beginning of the body, for the messages of failing tests.
func (r Response) String() string { return fmt.Sprintf("%d %.200s", r.Status, r.Body) }

// client reuses no connections, so that each request opens a new one.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: Patience}

// Fetch sends a GET request with a header, which may be nil. A Host in the header replaces that of the URL.
func Fetch(url string, header http.Header) (Response, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return Response{}, err
	}
	if header != nil {
		req.Header = header.Clone()
		req.Host = header.Get("Host")
	}
	return Do(client, req)
}

// Do sends a request and reads the response.
func Do(c *http.Client, req *http.Request) (Response, error) {
	resp, err := c.Do(req)
	if err != nil {
		return Response{}, err
	}
	body, err := io.ReadAll(resp.Body)
	return Response{resp.StatusCode, resp.Header, string(body)}, errors.Join(err, resp.Body.Close())
}

// Get fetches a URL. It ends the test if there is no response.
func Get(tb testing.TB, url string) Response {
	tb.Helper()
	r, err := Fetch(url, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// EventuallyGet fetches a URL again and again until wanted accepts the response, which it returns. It gives up like
// Eventually.
func EventuallyGet(tb testing.TB, url string, wanted func(Response) bool) (r Response) {
	tb.Helper()
	pause := 20 * time.Millisecond
	Eventually(tb, func() (err error) {
		r, err = Fetch(url, nil)
		if err == nil && !wanted(r) {
			err = fmt.Errorf("%s answers %s", url, r)
		}
		if err != nil {
			time.Sleep(pause)
			pause = min(pause*23/20, 5*time.Second) // grows, so that even a long wait stays within the anonymous quota
		}
		return err
	})
	return r
}

// Bearer returns the header of a request with an API key.
func Bearer(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

// Metric returns the value of a metric, summed over its labels, from the metrics at the URL admin. name is a regular
// expression and may include labels. A missing metric ends the test.
func Metric(tb testing.TB, admin, name string) (sum float64) {
	tb.Helper()
	sum, found := FindMetric(tb, admin, name)
	if !found {
		tb.Fatalf("no metric %s", name)
	}
	return sum
}

// FindMetric is like Metric, but reports whether the metric exists: a counter with labels has no line before its first
// count.
func FindMetric(tb testing.TB, admin, name string) (sum float64, found bool) {
	tb.Helper()
	lines := regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(Get(tb, admin+"/metrics").Body, -1)
	for _, line := range lines {
		v, err := strconv.ParseFloat(line[1], 64)
		if err != nil {
			tb.Fatal(err)
		}
		sum += v
	}
	return sum, len(lines) > 0
}
