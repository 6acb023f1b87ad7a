package node

import (
	"github.com/palmares-hq/palmares/internal/export"
)

// files keeps the files that can be downloaded, for all roles that need them.
func (b *builder) files(c export.Catalog) *export.Keeper {
	if b.keeper != nil {
		return b.keeper
	}
	b.keeper = export.NewKeeper(c, func(f export.File, err error) {
		b.logger.Error("file for download not made: that of an edition before is served, or none", "file", f.Name(), "error", err)
	})
	b.atEnd(b.keeper.Close)
	stats := b.keeper.Stats
	b.gauge("palmares_export_bytes", "Memory that files for download take, compressed.",
		func() float64 { return float64(stats().Bytes) })
	b.gauge("palmares_export_files", "Files for download that are kept.",
		func() float64 { return float64(stats().Files) })
	b.gauge("palmares_export_waiting", "Files for download that wait to be made.",
		func() float64 { return float64(stats().Waiting) })
	b.counter("palmares_export_made_total", "Files for download that were made.",
		func() float64 { return float64(stats().Made) })
	b.counter("palmares_export_failed_total", "Files for download that could not be made.",
		func() float64 { return float64(stats().Failed) })
	b.counter("palmares_export_seconds_total", "Time that it took to make files for download, pauses included.",
		func() float64 { return stats().Seconds })
	return b.keeper
}
