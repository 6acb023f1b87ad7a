package main

import (
	"io"
	"log/slog"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/web"
)

// newLogger logs to out; access lines are buffered, warnings and errors are not.
// Close the buffer at the end.
func newLogger(out io.Writer, c config.Log) (*slog.Logger, *web.LogBuffer) {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	buffer := web.NewLogBuffer(out)
	return slog.New(web.NewLogHandler(buffer, c.LogFormat != "text", options)), buffer
}
