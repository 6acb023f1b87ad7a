package api_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
)

// slower is the chance that a sample of a takes longer than one of b: 0.5 when time
// says nothing, 0 or 1 when one look is enough. It is the Mann-Whitney statistic,
// which a few wild samples do not move.
func slower(a, b []time.Duration) float64 {
	type sample struct {
		d    time.Duration
		ofA  bool
		rank float64
	}
	var all []sample
	for _, d := range a {
		all = append(all, sample{d: d, ofA: true})
	}
	for _, d := range b {
		all = append(all, sample{d: d})
	}
	slices.SortFunc(all, func(x, y sample) int { return cmp.Compare(x.d, y.d) })
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].d == all[i].d {
			j++
		}
		for k := i; k < j; k++ { // ties share their ranks
			all[k].rank = float64(i+j+1) / 2
		}
		i = j
	}
	var sum float64
	for _, s := range all {
		if s.ofA {
			sum += s.rank
		}
	}
	n, m := float64(len(a)), float64(len(b))
	return (sum - n*(n+1)/2) / (n * m)
}

func quantile(samples []time.Duration, q float64) time.Duration {
	return slices.Sorted(slices.Values(samples))[int(q*float64(len(samples)-1))]
}

// figures are the quantiles of the samples, for the log.
func figures(samples []time.Duration) string {
	at := func(q float64) time.Duration { return quantile(samples, q).Round(100 * time.Nanosecond) }
	return fmt.Sprintf("p10 %v, p25 %v, median %v, p75 %v, p90 %v", at(.1), at(.25), at(.5), at(.75), at(.9))
}

// The time to an answer does not tell a key that was revoked from one that never was.
func TestTiming_RevokedIsLikeUnknown(t *testing.T) {
	// Not in parallel: other tests would add noise, and hide what there may be.
	n := 1500
	if *long {
		n = 10_000
	}
	s := newSite(t)
	h := handler(t, api.Options{Catalog: s.shelf, Callers: s.keyring}) // uncharged: it is about the look-up
	revoked := make([]string, n)
	hashes, ids := make([][]byte, n), make([]string, n)
	for i := range n {
		key := account.NewKey()
		hash := key.Hash()
		revoked[i], hashes[i], ids[i] = key.Reveal(), hash[:], fmt.Sprintf("key_%012d", i)
	}
	s.sql(t, `INSERT INTO accounts (email, plan) SELECT 'a' || i || '@example.org', 'developer' FROM generate_series(1, 2000) i`)
	s.sql(t, `INSERT INTO keys (id, account_id, slot, name, preview, hash, revoked_at)
		SELECT k.id, (SELECT id FROM accounts WHERE email = 'a' || (1 + k.i % 2000) || '@example.org'), 1, 'n', 'p', k.hash, now()
		FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY AS k (id, hash, i)`, ids, hashes)
	s.sql(t, `INSERT INTO keys (id, account_id, slot, name, preview, hash)
		SELECT substr(email, 1, 16), id, 1, 'n', 'p', sha256(email::bytea) FROM accounts`)
	s.sql(t, `VACUUM ANALYZE`)

	ask := func(key string) time.Duration {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, keyedRoute, http.NoBody)
		r.RemoteAddr = home + ":1"
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		started := time.Now()
		h.ServeHTTP(w, r)
		took := time.Since(started)
		if w.Code != http.StatusUnauthorized {
			t.Fatalf("status %d", w.Code)
		}
		return took
	}
	for range 200 {
		ask(account.NewKey().Reveal()) // connections and plans are made
	}
	var was, never, malformed []time.Duration
	for i, key := range revoked {
		fresh := account.NewKey().Reveal()
		// In turn first and second, so that what drifts does so for both.
		if i%2 == 0 {
			was, never = append(was, ask(key)), append(never, ask(fresh))
		} else {
			never, was = append(never, ask(fresh)), append(was, ask(key))
		}
		if i%10 == 0 {
			malformed = append(malformed, ask(fresh[:39]+"!"))
		}
	}
	if looks := s.looks.Load(); looks < int64(2*n+200) {
		t.Errorf("%d looks at the database for %d keys: not each had its own", looks, 2*n+200)
	}

	chance := slower(was, never)
	t.Logf("revoked: %s", figures(was))
	t.Logf("unknown: %s", figures(never))
	t.Logf("of two samples, %d of each kind, the revoked one is slower with a chance of %.4f", n, chance)
	// Neither is held, and no key is looked up by itself, so there should be nothing to see;
	// how far quantiles may be apart is for a quiet machine. An attacker has 100 samples a day from an
	// address, and a network that adds its own noise.
	for _, q := range []float64{.25, .5, .75} {
		shift, limit := quantile(was, q)-quantile(never, q), max(5*time.Microsecond, quantile(never, q)/10)
		if *long && (shift < -limit || shift > limit) {
			t.Errorf("the quantiles at %v differ by %v, more than %v", q, shift, limit)
		}
	}
	const bound = 0.1
	if chance < 0.5-bound || chance > 0.5+bound {
		t.Errorf("one answer tells: revoked keys are slower with a chance of %.4f", chance)
	}
	// The same measure does see what there is to see: malformed keys ask for no look.
	if seen := slower(malformed, never); seen > 0.05 {
		t.Errorf("malformed keys, which ask for no look, are slower with a chance of %.4f: the measure is blind", seen)
	}
}
