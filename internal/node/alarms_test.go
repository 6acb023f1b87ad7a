package node

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A query is one of rules.yaml or of a dashboard.
type query struct{ where, text string }

// queries are all of them, and the names of what rules record.
func queries(t *testing.T) (all []query, recorded []string) {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Record, Expr string }
		}
	}
	must(t, yaml.Unmarshal([]byte(testkit.ReadFile(t, "../../deploy/prometheus/rules.yaml")), &rules))
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			all = append(all, query{r.Alert + r.Record, r.Expr})
			recorded = append(recorded, r.Record)
		}
	}
	paths, err := filepath.Glob("../../deploy/grafana/*.json")
	must(t, err)
	for _, path := range paths {
		var board struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		must(t, json.Unmarshal([]byte(testkit.ReadFile(t, path)), &board))
		for _, p := range board.Panels {
			for _, target := range p.Targets {
				all = append(all, query{p.Title, target.Expr})
			}
		}
	}
	if len(all) < 100 {
		t.Fatalf("%d queries", len(all))
	}
	return all, recorded
}

var (
	selector = regexp.MustCompile(`\b((?:palmares|process|go)[a-z_:0-9]+|up)\b(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`([a-z]+)(=~|!=|!~|=)"([^"]*)"`)
	grouping = regexp.MustCompile(`\bby \(([^)]*)\)\s*\(`)
)

// Every metric that alarms and dashboards ask for is shown by a node, with these labels: a name that is misspelt
// makes an alarm that never fires.
func TestAlarms_AskForWhatIsShown(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, fixtureCatalog)
	till := newTill(t, db)
	n := startRoles(t, []string{API, Site, Worker}, db, till.settings("PALMARES_REDIS_URL="+redistest.NewServer(t).URL(),
		"PALMARES_SMTP_URL=smtp://"+testkit.FreeAddress(t), "PALMARES_MAIL_FROM=a@example.org", "PALMARES_PURGE_URL=http://"+testkit.FreeAddress(t),
		"PALMARES_SNAPSHOT_FILE="+t.TempDir()+"/copy")...)
	n.ready()
	n.metrics(map[string]float64{
		`palmares_webhook_endpoints{state="active"}`: 0, `palmares_signin_mails_waiting{address="known"}`: 0,
	})
	n.get("/api/v1/tools", "")
	shown := testkit.Get(t, n.admin+"/metrics").Body
	for _, misspelt := range []string{`state="stale"`, `state=~"fresh|stale"`, `age="fresh"`} {
		if shows(shown, "palmares_facts", misspelt) {
			t.Errorf("%s passes", misspelt)
		}
	}
	all, recorded := queries(t)
	for _, q := range all {
		for _, m := range selector.FindAllStringSubmatch(q.text, -1) {
			name, labels := m[1], m[2]
			switch {
			case name == "up", slices.Contains(recorded, name): // Prometheus's own
			case strings.HasPrefix(name, "palmares_publisher_"): // a publisher's, for whose test see package pull
			case name == "palmares_wal_archived_age_seconds", name == "palmares_backup_age_seconds": // nothing is archived or dumped here
			case !shows(shown, name, labels):
				t.Errorf("%s: no node shows %s{%s}", q.where, name, labels)
			}
		}
		for _, by := range grouping.FindAllStringSubmatch(q.text, -1) {
			name := selector.FindStringSubmatch(q.text)[1]
			if strings.HasPrefix(name, "palmares_publisher_") {
				continue
			}
			for label := range strings.SplitSeq(by[1], ", ") {
				if label != "instance" && label != "job" && !regexp.MustCompile(`(?m)^`+name+`\{.*\b`+label+`="`).MatchString(shown) && label != "code" {
					t.Errorf("%s: %s has no label %s", q.where, name, label)
				}
			}
		}
	}
}

// shows reports whether there is a series of the name with the labels; where a label may have several values, one
// for each of them.
func shows(metrics, name, labels string) bool {
	wanted := [][]string{nil} // each a list of patterns that one series matches
	for _, m := range matcher.FindAllStringSubmatch(labels, -1) {
		label, operator, value := m[1], m[2], m[3]
		var values []string
		switch {
		case label == "code", label == "job": // one for each status that was sent; Prometheus's own
			continue
		case operator == "=":
			values = []string{regexp.QuoteMeta(value)}
		case operator == "=~" && !strings.Contains(value, "."):
			values = strings.Split(value, "|")
		case operator == "=~":
			values = []string{value}
		default: // it is a label, whatever its value
			values = []string{`[^"]*`}
		}
		var more [][]string
		for _, w := range wanted {
			for _, v := range values {
				more = append(more, append(slices.Clone(w), `[{,]`+label+`="`+v+`"`))
			}
		}
		wanted = more
	}
	lines := regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? `).FindAllString(metrics, -1)
	for _, patterns := range wanted {
		if !slices.ContainsFunc(lines, func(series string) bool {
			return !slices.ContainsFunc(patterns, func(p string) bool { return !regexp.MustCompile(p).MatchString(series) })
		}) {
			return false
		}
	}
	return true
}
