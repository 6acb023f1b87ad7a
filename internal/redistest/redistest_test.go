package redistest

import "testing"

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
