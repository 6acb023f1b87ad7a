package web

import (
	"context"
	"log"
	"log/slog"
	"net/netip"
	"strings"
)

// newErrorLog passes on what http.Server has to say.
func newErrorLog(logger *slog.Logger) *log.Logger {
	return log.New(errorLog{logger}, "", 0)
}

type errorLog struct{ logger *slog.Logger }

// Write takes one message; log.Logger calls it once for each.
func (e errorLog) Write(p []byte) (int, error) {
	message, details, _ := strings.Cut(strings.TrimRight(string(p), "\n"), "\n")
	var attrs []slog.Attr
	if details != "" {
		attrs = append(attrs, slog.String("stack", details))
	}
	e.logger.LogAttrs(context.Background(), errorLevel(message), hideAddrs(message), attrs...)
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
