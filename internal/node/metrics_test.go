package node

import (
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var (
	documented = regexp.MustCompile("`(palmares_[a-z_]+[a-z])(\\{([a-z]+)=~?\"([^\"]+)\"\\})?`")
	counted    = regexp.MustCompile(`(?m)^# TYPE (palmares_[a-z_]+) counter$`)
)

// Whatever the docs have operators watch is there before anything has happened, with its labels: an
// alert on a counter that is not there yet never fires, and its first event makes no rate.
func TestNode_MetricsFromTheStart(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	till := newTill(t, db)
	n := startRoles(t, []string{API, Site, Worker}, db, till.settings("PALMARES_REDIS_URL="+redistest.NewServer(t).URL(),
		"PALMARES_SMTP_URL=smtp://"+testkit.FreeAddress(t), "PALMARES_MAIL_FROM=a@example.org", "PALMARES_PURGE_URL=http://"+testkit.FreeAddress(t),
		"PALMARES_SNAPSHOT_FILE="+t.TempDir()+"/copy")...)
	n.metrics(map[string]float64{ // gauges, which ask the database
		`palmares_webhook_endpoints{state="active"}`: 0, `palmares_signin_mails_waiting{address="known"}`: 0,
	})
	metrics := testkit.Get(t, n.admin+"/metrics").Body
	_, table, _ := strings.Cut(testkit.ReadFile(t, "../../docs/operations.md"), "## Metrics worth an alert\n")
	table, _, _ = strings.Cut(table, "\n## ")
	seen := 0
	for _, m := range documented.FindAllStringSubmatch(table+testkit.ReadFile(t, "../../docs/webhooks-operations.md"), -1) {
		name, label, values := m[1], m[3], m[4]
		if label == "code" { // one for each status that was sent
			label = ""
		}
		if strings.HasPrefix(name, "palmares_publisher_") {
			continue // those of a publisher that pulls, which is no node
		}
		seen++
		if absent := name == "palmares_wal_archived_age_seconds" || name == "palmares_backup_age_seconds"; absent == strings.Contains(metrics, "# TYPE "+name+" ") { // nothing is archived or dumped
			t.Errorf("%s is not there", name)
		}
		for value := range strings.SplitSeq(strings.ReplaceAll(values, `\|`, "|"), "|") {
			if series := name + `{` + label + `="` + value + `"}`; label != "" && !strings.Contains(metrics, "\n"+series+" 0\n") {
				t.Errorf("%s is not there, at 0", series)
			}
		}
	}
	if seen < 35 {
		t.Errorf("the docs name %d metrics", seen)
	}
	for name, label := range map[string]string{
		"palmares_signin_total": `outcome="asked"`, "palmares_webhook_attempts_total": `outcome="timeout"`,
		"palmares_usage_mails_total": `outcome="dropped"`, "palmares_http_requests_total": `route="unmatched"`,
	} {
		if !regexp.MustCompile(`(?m)^` + name + `\{[^}]*` + label + `[^}]*\} 0$`).MatchString(metrics) {
			t.Errorf("%s has no %s at 0", name, label)
		}
	}
	if families := counted.FindAllString(metrics, -1); len(families) < 15 {
		t.Errorf("%d counters: %s", len(families), families)
	}
}
