package redistest

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestServersAndClusters(t *testing.T) {
	t.Parallel()
	s := NewServer(t)
	s.Kill()
	if ping(s.URL()) == nil {
		t.Error("a killed server answers")
	}
	s.Start()
	if err := ping(s.URL()); err != nil {
		t.Error(err)
	}
	if err := ping(Cluster(t)); err != nil {
		t.Error(err)
	}
}

// A server whose second port somebody else has ends at once, says why, and is not waited for.
func TestAServerThatEnds(t *testing.T) {
	t.Parallel()
	s := NewServer(t)
	s.Kill()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	defer l.Close()
	s.args = []string{"--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(l.Addr().(*net.TCPAddr).Port)}
	if err := s.start(); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("it says %v", err)
	}
}
