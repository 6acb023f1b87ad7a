package main

import (
	"testing"
	"time"
)

const wrkClean = `Running 1s test @ http://127.0.0.1:18999/x
  2 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.90ms    1.19ms  15.38ms   88.09%
    Req/Sec    38.70k     4.61k   45.93k    65.00%
  77040 requests in 1.00s, 9.33MB read
Requests/sec:  76869.43
Transfer/sec:      9.31MB
`

const wrkDirty = `Running 1s test @ http://127.0.0.1:18999/y
  2 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.01ms    1.40ms  18.31ms   88.08%
    Req/Sec    38.70k     4.61k   45.93k    65.00%
  21459 requests in 300.12ms, 2.60MB read
  Socket errors: connect 1, read 20, write 300, timeout 4000
  Non-2xx or 3xx responses: 21458
Requests/sec:  71502.35
Transfer/sec:      8.66MB
`

func TestParseWrk(t *testing.T) {
	t.Parallel()
	const mega = 1 << 20
	for _, c := range []struct {
		out  string
		want count
	}{
		{wrkClean, count{requests: 77040, rate: 76869.43, longest: 15_380 * time.Microsecond, bytes: 9.33 * mega}},
		{wrkDirty, count{requests: 21459, rate: 71502.35, refused: 21458, broken: 4321, longest: 18_310 * time.Microsecond, bytes: 2.60 * mega}},
	} {
		got, err := parseWrk([]byte(c.out))
		if err != nil || got != c.want {
			t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
		}
	}
}

// What tells no figures must not pass for figures.
func TestParseWrkRefuses(t *testing.T) {
	t.Parallel()
	for _, out := range []string{
		"",
		"unable to connect to 127.0.0.1:1 Connection refused\n",
		"  12 requests in 1.00s, 1KB read\n",
		"  0 requests in 1.00s, 0B read\nRequests/sec:      0.00\n",
		"  99999999999999999999 requests in 1.00s, 0B read\nRequests/sec:      1.00\n",
	} {
		if got, err := parseWrk([]byte(out)); err == nil {
			t.Errorf("%q was read as %+v", out, got)
		}
	}
}
