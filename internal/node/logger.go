package node

import (
	"io"
	"log/slog"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/logging"
)

// openLog opens the node's log on out, and never waits for it.
func (b *builder) openLog(out io.Writer) {
	var buffer *logging.Buffer
	b.logger, buffer = newLogger(out, b.cfg.Log)
	b.atEnd(buffer.Close)
	b.counter("palmares_log_lines_dropped_total",
		"Log lines that were lost because nobody read the log, or it could not be written.",
		func() float64 { return float64(buffer.Dropped()) })
}

func newLogger(out io.Writer, c config.Log) (*slog.Logger, *logging.Buffer) {
	buffer := logging.NewBuffer(out)
	return slog.New(logging.NewHandler(buffer, c.LogFormat != "text", &slog.HandlerOptions{Level: c.LogLevel})), buffer
}
