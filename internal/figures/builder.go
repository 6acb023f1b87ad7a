package figures

import (
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// A builder computes the figures of a snapshot on a day.
type builder struct {
	snapshot *catalog.Snapshot
	today    catalog.Date
	throttle *throttle.Throttle
}

// pauseSometimes pauses after every 64th of many small steps: asking whether a pause is due takes
// longer than one of them.
func (b *builder) pauseSometimes(step int) {
	if step%64 == 0 {
		b.throttle.Pause()
	}
}
