package node

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A node speaks TLS to both engines, by an authority of the operator's own. With another it says what is wrong.
func TestTLS_ToEngines(t *testing.T) {
	t.Parallel()
	ours, other := testkit.NewAuthority(t), testkit.NewAuthority(t)
	certificate, key := ours.Issue(t, "127.0.0.1", time.Now().Add(time.Hour))
	db := pgtest.NewServer(t)
	publishDir(t, db.URL(), fixtureCatalog)
	db.WantTLS(certificate, key)
	port := strconv.Itoa(testkit.FreePort(t))
	redistest.NewServer(t, "--tls-port", port, "--tls-cert-file", certificate, "--tls-key-file", key,
		"--tls-ca-cert-file", ours.File, "--tls-auth-clients", "no")
	start := func(ca string) *running {
		url := strings.Replace(db.URL(), "sslmode=require", "sslmode=verify-full&sslrootcert="+ca, 1)
		return startRoles(t, []string{API, Site, Worker}, url,
			"PALMARES_REDIS_URL=rediss://127.0.0.1:"+port, "PALMARES_REDIS_CA_FILE="+ca, "PALMARES_QUOTA_WAIT=500ms")
	}
	n := start(ours.File)
	n.ready()
	n.metrics(map[string]float64{"palmares_quota_shared": 1})
	if a := n.get("/api/v1/tools/ame", ""); !a.OK() {
		t.Errorf("behind TLS: %v", a)
	}
	n = start(other.File)
	for _, said := range []string{
		"PostgreSQL has a certificate of an authority that is not trusted: sslrootcert in PALMARES_DATABASE_URL",
		"Redis at 127.0.0.1:" + port + " has a certificate of an authority that is not trusted: PALMARES_REDIS_CA_FILE",
	} {
		n.logs(said)
	}
}
