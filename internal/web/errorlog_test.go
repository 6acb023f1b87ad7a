package web

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
)

// What a client of net/http has to say of a hostile server goes to our log, in one line,
// and so does what OpenTelemetry cannot export.
func TestCaptureLogs(t *testing.T) { //nolint:paralleltest // package log is the whole process's
	captured := &logRecorder{}
	CaptureLogs(captured.logger())
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		log.SetFlags(log.LstdFlags)
	})
	otel.Handle(errors.New("no collector"))
	// The client says something only if the connection is idle already.
	for began := time.Now(); !strings.Contains(captured.String(), "Unsolicited response"); {
		answerUnasked(t, "plm_"+strings.Repeat("k", 40))
		if time.Since(began) > 20*time.Second {
			t.Fatalf("the log holds: %s", captured)
		}
	}
	captured.lines(t, "") // all of it is JSON
	if text := captured.String(); strings.Contains(text, "kkk") || !strings.Contains(text, "no collector") {
		t.Errorf("a key is shown, or a failure is not: %s", text)
	}
}

// answerUnasked has a server send something on a connection after its answer.
func answerUnasked(t *testing.T, text string) {
	t.Helper()
	l, answered, over := listen(t), make(chan struct{}), make(chan struct{})
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
	transport := &http.Transport{DialContext: (&net.Dialer{}).DialContext}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Do(r)
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
