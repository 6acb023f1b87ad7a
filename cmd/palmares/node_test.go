package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A node is a running palmares serve.
type node struct {
	*process
	public, admin string // base URLs
}

// database is the environment of a command that needs nothing else.
func database(url string) []string { return []string{"PALMARES_DATABASE_URL=" + url} }

// serve starts a node on free ports. Later settings win over earlier ones.
func serve(t *testing.T, url string, settings ...string) *node {
	t.Helper()
	environ := append(database(url),
		"PALMARES_SECRET="+secret, "PALMARES_LISTEN=127.0.0.1:0", "PALMARES_ADMIN_LISTEN=127.0.0.1:0",
		"PALMARES_DRAIN_DELAY=0s")
	return serving(start(t, append(environ, settings...), "serve"))
}

// serving is a node that has been started.
func serving(p *process) *node {
	p.t.Helper()
	n := &node{process: p}
	n.public, n.admin = n.address("public"), n.address("admin")
	return n
}

// address reads from the log where a server listens.
func (n *node) address(server string) string {
	n.t.Helper()
	marker := fmt.Sprintf(`"msg":"listening","server":%q,"address":"`, server)
	_, rest, _ := strings.Cut(n.await(0, marker, 20*time.Second), marker)
	address, _, _ := strings.Cut(rest, `"`)
	return "http://" + address
}

// ready waits for the node to be ready and tells how long after its start it was.
func (n *node) ready(most time.Duration) time.Duration {
	n.t.Helper()
	eventually(n.t, n.admin+"/readyz", most, ok)
	return time.Since(n.started)
}

// metric reads the sum of a metric over its labels.
func (n *node) metric(name string) float64 {
	n.t.Helper()
	lines := regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(get(n.t, n.admin+"/metrics").body, -1)
	if len(lines) == 0 {
		n.t.Fatalf("no metric %s", name)
	}
	sum := 0.0
	for _, line := range lines {
		v, err := strconv.ParseFloat(line[1], 64)
		if err != nil {
			n.t.Fatal(err)
		}
		sum += v
	}
	return sum
}

// logLines decodes the log of a node that has ended: JSON to the last line.
func (n *node) logLines() []map[string]any {
	n.t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(n.stderr.from(0)) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			n.t.Fatalf("a log line is not JSON: %v: %s", err, line)
		}
		lines = append(lines, fields)
	}
	return lines
}
