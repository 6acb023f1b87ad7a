package logging

import (
	"context"
	"log"
	"log/slog"
	"net/netip"
	"strings"

	"go.opentelemetry.io/otel"
)

// maxMessage is how many characters of a library's message are logged. It is limited because a message may quote a
// peer.
const maxMessage = 2000

// Capture redirects to logger what libraries would print on standard error, through package log (as
// net/http clients do) or OpenTelemetry. It changes the whole process.
func Capture(logger *slog.Logger) {
	log.SetFlags(0)
	log.SetPrefix("")
	log.SetOutput(messages{logger})
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		logger.Warn("tracing failed", "error", Clean(err.Error(), maxMessage))
	}))
}

// NewStandard returns a log.Logger that writes to logger, for http.Server and the like.
func NewStandard(logger *slog.Logger) *log.Logger { return log.New(messages{logger}, "", 0) }

// messages writes the messages of a log.Logger, one per Write, to a slog.Logger.
type messages struct{ logger *slog.Logger }

func (m messages) Write(p []byte) (int, error) {
	message, details, _ := strings.Cut(strings.TrimRight(string(p), "\n"), "\n")
	var attrs []slog.Attr
	if details != "" {
		attrs = append(attrs, slog.String("stack", details))
	}
	m.logger.LogAttrs(context.Background(), levelOf(message), Clean(hideAddrs(message), maxMessage), attrs...)
	return len(p), nil
}

// levelOf returns the level of a message of net/http: debug for messages that any port scanner can cause, error for
// panics, and else warning.
func levelOf(message string) slog.Level {
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

// hideAddrs replaces the client addresses that net/http writes into messages by their networks.
func hideAddrs(message string) string {
	words := strings.Split(message, " ")
	for i, word := range words {
		if ap, err := netip.ParseAddrPort(strings.TrimSuffix(word, ":")); err == nil {
			words[i] = Network(ap.Addr())
			if strings.HasSuffix(word, ":") {
				words[i] += ":"
			}
		}
	}
	return strings.Join(words, " ")
}
