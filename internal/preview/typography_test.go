package preview

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/layouttest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// leads finds where the pages of the site lead, without what is selected there.
var leads = regexp.MustCompile(`href="(/[^"?#]*)`)

// Every page of the example that can be reached from the first ones is set as its language is set. Neither they nor
// the feeds, calendars and Markdown that they lead to have a raw format.
func TestPages_AreSetAsTheirLanguage(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("one reader looks at every page")
	}
	r := startPreview(t, exampleCatalog)
	queue := []string{"/", "/en", "/nulle-part", "/en/nowhere", "/outils?categorie=nulle", "/en/tools?category=none"}
	known := make(map[string]bool)
	read := 0
	for ; len(queue) > 0; queue = queue[1:] {
		page := r.get(queue[0], "")
		testkit.CheckRendered(t, queue[0], page)
		if !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
			continue
		}
		read++
		for _, fault := range layouttest.Typography(page.Body) {
			t.Errorf("%s: %s", queue[0], fault)
		}
		if page.Status != http.StatusOK {
			continue
		}
		for _, link := range leads.FindAllStringSubmatch(page.Body, -1) {
			if to := link[1]; !known[to] {
				known[to] = true
				queue = append(queue, to)
			}
		}
	}
	if read < 300 {
		t.Errorf("only %d pages were read", read)
	}
}
