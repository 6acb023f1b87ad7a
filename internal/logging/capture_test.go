package logging

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestNewStandard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ message, level, want string }{
		{"http: TLS handshake error from 203.0.113.77:5000: EOF", "DEBUG", "http: TLS handshake error from 203.0.113.0/24: EOF"},
		{"http: panic serving [2001:db8:1:2::3]:9: boom\ngoroutine 1", "ERROR", "http: panic serving 2001:db8:1::/48: boom"},
		{"http: superfluous response.WriteHeader call from main.f (f.go:1)", "WARN", "http: superfluous response.WriteHeader call from main.f (f.go:1)"},
		{"http: Accept error: too many open files; retrying in 5ms", "WARN", "http: Accept error: too many open files; retrying in 5ms"},
	} {
		captured := &testkit.Log{}
		NewStandard(captured.Logger()).Println(tt.message)
		if got := captured.Records(t, tt.want); len(got) != 1 || got[0]["level"] != tt.level {
			t.Errorf("%s: logged %s", tt.message, captured)
		}
	}
}

// What a client of net/http has to say of a hostile server goes to our log, in one line, and so
// does what OpenTelemetry cannot export.
func TestCapture(t *testing.T) { //nolint:paralleltest // package log is the whole process's
	captured := &testkit.Log{}
	Capture(captured.Logger())
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		log.SetFlags(log.LstdFlags)
	})
	otel.Handle(errors.New("no collector"))
	// The client says something only if the connection is idle already: it may take a few.
	testkit.EventuallyTrue(t, "the client logs what it was sent", func() bool {
		answerTwice(t, "plm_"+strings.Repeat("k", 40))
		return strings.Contains(captured.String(), "Unsolicited response")
	})
	captured.Records(t, "") // all of it is JSON
	if text := captured.String(); strings.Contains(text, "kkk") || !strings.Contains(text, "no collector") {
		t.Errorf("a key is shown, or a failure is not: %s", text)
	}
}

// answerTwice has a server answer a client, and then send text that nobody asked for.
func answerTwice(t *testing.T, text string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answered, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		<-answered
		time.Sleep(10 * time.Millisecond)
		_, _ = io.WriteString(conn, text)
		_, _ = io.Copy(io.Discard, conn) // until the client has seen it
		_ = conn.Close()
	}()
	transport := &http.Transport{}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	close(answered)
	<-over
	transport.CloseIdleConnections()
	_ = l.Close()
}
