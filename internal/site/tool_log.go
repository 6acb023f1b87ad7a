package site

import "github.com/palmares-hq/palmares/internal/catalog"

// maxToolChanges is how many changes the page of a tool shows.
const maxToolChanges = 5

// A toolLog is what the change log says of a tool.
type toolLog struct {
	created catalog.Date        // "" when the log no longer has it
	last    []*catalog.LogEntry // that it was created or updated, newest first, few of them
}

// newToolLogs sorts the end of the change log by tool, so that no page has to look through it. The
// change of a price is left out: the update that it comes with has it too.
func newToolLogs(s *catalog.Snapshot, amended amendedLog, rest func()) map[string]toolLog {
	logs := make(map[string]toolLog)
	for e := range s.RecentChanges() {
		rest()
		if e.Type != catalog.ToolCreated && e.Type != catalog.ToolUpdated || amended.void(e) {
			continue
		}
		l := logs[e.Slug]
		if e.Type == catalog.ToolCreated && l.created == "" {
			l.created = catalog.DateOf(e.At)
		}
		if len(l.last) < maxToolChanges {
			l.last = append(l.last, e)
		}
		logs[e.Slug] = l
	}
	return logs
}
