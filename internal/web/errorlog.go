package web

import (
	"context"
	"log"
	"log/slog"
	"net/netip"
	"strings"

	"go.opentelemetry.io/otel"
)

// newErrorLog passes on what http.Server has to say.
func newErrorLog(logger *slog.Logger) *log.Logger {
	return log.New(errorLog{logger}, "", 0)
}

// CaptureLogs sends to logger what libraries would print on standard error by themselves:
// net/http's clients, among others, through package log, and OpenTelemetry.
func CaptureLogs(logger *slog.Logger) {
	log.SetFlags(0)
	log.SetPrefix("")
	log.SetOutput(errorLog{logger})
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		logger.Warn("tracing failed", "error", clean(err.Error(), maxLoggedError))
	}))
}

type errorLog struct{ logger *slog.Logger }

// Write takes one message; log.Logger calls it once for each.
func (e errorLog) Write(p []byte) (int, error) {
	message, details, _ := strings.Cut(strings.TrimRight(string(p), "\n"), "\n")
	var attrs []slog.Attr
	if details != "" {
		attrs = append(attrs, slog.String("stack", details))
	}
	// It may quote what a peer sent.
	e.logger.LogAttrs(context.Background(), errorLevel(message), clean(hideAddrs(message), maxLoggedError), attrs...)
	return len(p), nil
}

// errorLevel puts what any port scanner causes at debug level.
func errorLevel(message string) slog.Level {
	switch {
	case strings.HasPrefix(message, "http: panic"):
		return slog.LevelError
	case strings.HasPrefix(message, "http: TLS handshake error"),
		strings.HasPrefix(message, "http: URL query contains semicolon"),
		strings.HasPrefix(message, "http2: server: error reading preface"),
		strings.HasPrefix(message, "http2: server connection error"):
		return slog.LevelDebug
	default:
		return slog.LevelWarn
	}
}

// hideAddrs truncates the client addresses that net/http writes into messages.
func hideAddrs(message string) string {
	words := strings.Split(message, " ")
	for i, word := range words {
		if ap, err := netip.ParseAddrPort(strings.TrimSuffix(word, ":")); err == nil {
			words[i] = Truncate(ap.Addr())
			if strings.HasSuffix(word, ":") {
				words[i] += ":"
			}
		}
	}
	return strings.Join(words, " ")
}
