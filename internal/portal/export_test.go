package portal

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A PageInfo describes a page for tests that go through all of them.
type PageInfo struct {
	Name         string
	Path         string // in French
	Open         bool
	OneClickPost bool // takes POSTs of programs
	Actions      []string
}

// AllPages lists every page.
func AllPages() (all []PageInfo) {
	for _, rt := range newSubjects(Options{}).routes() {
		if rt.Method == http.MethodGet {
			all = append(all, PageInfo{Name: rt.Page.Name, Path: rt.Page.French, Open: rt.Access == page.Open})
			continue
		}
		last := &all[len(all)-1]
		if rt.Access == page.OneClick {
			last.OneClickPost = true
		} else {
			last.Actions = append(last.Actions, rt.Action)
		}
	}
	return all
}
