package main

import (
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/logging"
)

// newLogger logs to out and never waits for it. Close the buffer at the end.
func newLogger(out io.Writer, c config.Log) (*slog.Logger, *logging.Buffer) {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	buffer := logging.NewBuffer(out)
	return slog.New(logging.NewHandler(buffer, c.LogFormat != "text", options)), buffer
}

// registerLog shows what the log lacks.
func registerLog(registry prometheus.Registerer, buffer *logging.Buffer) {
	registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "palmares_log_lines_dropped_total", Help: "Log lines that were lost because nobody read the log, or it could not be written.",
	}, func() float64 { return float64(buffer.Dropped()) }))
}
