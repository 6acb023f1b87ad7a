package api_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
)

// Header names have no case, but the interface writes X-RateLimit-Tier, and so
// does the wire.
func TestRateLimitHeadersAreWrittenAsInTheInterface(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /api/v1/stats HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n",
		sign(t, s.db, account.Developer).key.Reveal())
	var lines []string
	for scan := bufio.NewScanner(conn); scan.Scan(); {
		lines = append(lines, scan.Text())
	}
	head := strings.Join(lines, "\n")
	for _, name := range []string{"\nX-RateLimit-Tier: free", "\nX-RateLimit-Remaining: ", "\nX-RateLimit-Reset: "} {
		if !strings.Contains(head, name) {
			t.Errorf("no %q in\n%s", name, head)
		}
	}
}
