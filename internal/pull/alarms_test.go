package pull_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// Alarms and dashboards ask for what a publisher shows.
func TestAlarms_AskForWhatIsShown(t *testing.T) {
	t.Parallel()
	p := newPressroom(t)
	p.start()
	p.edition(1)
	shown := testkit.Get(t, p.admin+"/metrics").Body
	asked := 0
	for _, file := range []string{"prometheus/rules.yaml", "grafana/service.json"} {
		text := testkit.ReadFile(t, "../../deploy/"+file)
		for _, m := range regexp.MustCompile(`by \((\w+)\) \((?:\w+\()?(palmares_publisher_\w+)`).FindAllStringSubmatch(text, -1) {
			asked++
			if !strings.Contains(shown, "\n"+m[2]+"{"+m[1]+`="`) {
				t.Errorf("%s asks for the %s of %s", file, m[1], m[2])
			}
		}
		for _, m := range regexp.MustCompile(`palmares_publisher_\w+(?:\{[^}]*(state|outcome)=\\?"(\w+)\\?"[^}]*\})?`).FindAllStringSubmatch(text, -1) {
			asked++
			name, _, _ := strings.Cut(m[0], "{")
			series := name + " "
			if m[1] != "" {
				series = fmt.Sprintf(`%s{%s="%s"} `, name, m[1], m[2])
			}
			if !strings.Contains(shown, "\n"+series) && !strings.Contains(shown, "\n"+name+"{") {
				t.Errorf("%s asks for %s", file, series)
			}
		}
	}
	if asked < 5 {
		t.Errorf("they ask for %d", asked)
	}
}
