package node

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The page about the status shows what all nodes answered, those that have ended included, and how many hours nobody
// noted.
func TestStatus_ShowsWhatNodesAnswered(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	publishDir(t, url, fixtureCatalog)
	db := open(t, url)
	long := time.Now().Truncate(time.Hour).Add(-5 * time.Hour)
	must(t, db.Answers.WriteHours(t.Context(), "one of before", []availability.Hour{{At: long, Answered: 1000, Failed: 1}}, long))
	for range 2 {
		n := startRoles(t, []string{API}, url)
		n.ready()
		for range 10 {
			n.wantStatus("", 200)
		}
		n.stop()
	}
	n := startRoles(t, []string{API, Site}, url)
	n.ready()
	page := testkit.EventuallyGet(t, n.public+"/en/status", func(r testkit.Response) bool { return strings.Contains(r.Body, "recorded by no server") })
	for _, want := range []string{"<dd>99.90%</dd></div></dl>", "1,020 responses counted, of which 1 failed"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page does not say %q:\n%s", want, page.Body)
		}
	}
	if !regexp.MustCompile("4\u00a0hours out of [56] ").MatchString(page.Body) { // six, if one has just begun
		t.Errorf("the page does not say how many hours are missing:\n%s", page.Body)
	}
	testkit.Equal(t, "unwritten", n.metric("palmares_answers_unwritten_seconds"), 0.0)
}
