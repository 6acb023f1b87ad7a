package node

import (
	"testing"
)

// startPreview runs a preview of a directory, which has been loaded once.
func startPreview(t *testing.T, dir string) *running {
	t.Helper()
	r := &running{t: t}
	p, err := NewPreview(t.Context(), PreviewOptions{Dir: dir, Listen: "127.0.0.1:0", Log: &r.log})
	must(t, err)
	_, err = p.Load(t.Context())
	must(t, err)
	r.run(p.Node)
	return r
}
