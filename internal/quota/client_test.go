package quota

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A Redis with TLS is reached with the certificate of its authority. What is wrong is said in words.
func TestRedis_TLS(t *testing.T) {
	t.Parallel()
	ours, other := testkit.NewAuthority(t), testkit.NewAuthority(t)
	serve := func(name string, until time.Time) (plain, secure string) {
		certificate, key := ours.Issue(t, name, until)
		port := strconv.Itoa(testkit.FreePort(t))
		s := redistest.NewServer(t, "--tls-port", port, "--tls-cert-file", certificate, "--tls-key-file", key,
			"--tls-ca-cert-file", ours.File, "--tls-auth-clients", "no")
		return s.Addr(), "127.0.0.1:" + port
	}
	plain, secure := serve("127.0.0.1", time.Now().Add(time.Hour))
	_, named := serve("redis.internal", time.Now().Add(time.Hour))
	_, expired := serve("127.0.0.1", time.Now().Add(-time.Hour))
	for what, tc := range map[string]struct {
		url, ca, want string // "" is a connection
	}{
		"the authority":               {"rediss://" + secure, ours.File, ""},
		"an authority of the machine": {"rediss://" + secure, "", "has a certificate of an authority that is not trusted: PALMARES_REDIS_CA_FILE names"},
		"another authority":           {"rediss://" + secure, other.File, "Redis at " + secure + " has a certificate of an authority that is not trusted"},
		"another name":                {"rediss://" + named, ours.File, "has a certificate for redis.internal, and is asked for as 127.0.0.1"},
		"an old certificate":          {"rediss://" + expired, ours.File, "has a certificate that is valid from"},
		"plain text to TLS":           {"redis://" + secure, "", "if it speaks TLS on this port, PALMARES_REDIS_URL begins with rediss://"},
		"TLS to plain text":           {"rediss://" + plain, ours.File, "speak TLS on this port"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r, err := NewRedisTrusting(tc.url, tc.ca)
			testkit.Must(t, err)
			defer r.Close()
			r.option.Dialer.Timeout = 5 * time.Second // machines are busy
			if strings.HasPrefix(what, "TLS to") {
				r.option.Dialer.Timeout = time.Second // it is waited for to the end
			}
			err = r.Ping(t.Context())
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

func TestRedis_CAFile(t *testing.T) {
	t.Parallel()
	ca := testkit.NewAuthority(t)
	_, key := ca.Issue(t, "redis.internal", time.Now().Add(time.Hour))
	for _, tc := range []struct{ url, file, want string }{
		{"redis://127.0.0.1:1", ca.File, "PALMARES_REDIS_URL begins with redis://, which is without TLS: write rediss://"},
		{"rediss://127.0.0.1:1", "/nowhere/ca.pem", "PALMARES_REDIS_CA_FILE cannot be read: open /nowhere/ca.pem"},
		{"rediss://127.0.0.1:1", key, "there is no certificate in it"},
	} {
		if _, err := NewRedisTrusting(tc.url, tc.file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s with %s: %v, want %s", tc.url, tc.file, err, tc.want)
		}
	}
}

// A ring has room for the charges that its node makes while one waits, and for no more.
func TestRingScale(t *testing.T) {
	t.Parallel()
	for cpus, want := range map[int]int64{1: 4096, 2: 8192, 3: 16384, 4: 16384, 8: 32768, 9: 32768, 128: 32768} {
		testkit.Equal(t, fmt.Sprintf("commands of %d processors", cpus), mostInFlight(ringScale(cpus)), want-ringReserve)
	}
}

// A slot is free again once its command has a reply, or, if its caller has given up, once the
// connection must be dead.
func TestInFlight_IsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := inFlight{most: 100}
		fill := func() (n int) {
			for f.acquire() {
				n++
			}
			return n
		}
		testkit.Equal(t, "slots", fill(), 100)
		for _, err := range []error{nil, errors.New("the connection is closed"), nil} {
			f.release(err)
		}
		testkit.Equal(t, "slots after three replies", fill(), 3)
		f.release(context.DeadlineExceeded)
		f.release(fmt.Errorf("counting: %w", context.Canceled))
		time.Sleep(abandonedFor - 1)
		synctest.Wait()
		testkit.Equal(t, "slots while two commands may still be in the ring", fill(), 0)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		testkit.Equal(t, "slots after two commands were abandoned", fill(), 2)
	})
}
