package figures

import "github.com/palmares-hq/palmares/internal/catalog"

// maxToolChanges is how many changes the page of a tool shows.
const maxToolChanges = 5

// A ToolLog is what the change log says of a tool.
type ToolLog struct {
	Created catalog.Date        // "" when the log no longer has it
	Last    []*catalog.LogEntry // that it was created or updated, newest first, few of them
}

// toolLogs sorts the end of the change log by tool, so that no page has to look through it. The
// change of a price is left out: the update that it comes with has it too.
func (b *builder) toolLogs(amended AmendedLog) map[string]ToolLog {
	logs := make(map[string]ToolLog)
	for e := range b.snapshot.RecentChanges() {
		b.throttle.Pause()
		if e.Type != catalog.ToolCreated && e.Type != catalog.ToolUpdated || amended.Void(e) {
			continue
		}
		l := logs[e.Slug]
		if e.Type == catalog.ToolCreated && l.Created == "" {
			l.Created = catalog.DateOf(e.At)
		}
		if len(l.Last) < maxToolChanges {
			l.Last = append(l.Last, e)
		}
		logs[e.Slug] = l
	}
	return logs
}
