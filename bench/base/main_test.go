package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// answers is a directory with one answer, loaded.
func answers(t *testing.T) map[string]answer {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "%2Fapi%2Fv1%2Ftools%3Flimit=2"), []byte(`{"data":[]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func get(t *testing.T, handler http.Handler, path string, header http.Header) (int, string) {
	t.Helper()
	s := httptest.NewServer(handler)
	defer s.Close()
	req, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestItWritesTheBytes(t *testing.T) {
	t.Parallel()
	h := bare(answers(t))
	if status, body := get(t, h, "/api/v1/tools?limit=2", http.Header{}); status != http.StatusOK || body != `{"data":[]}` {
		t.Errorf("%d: %s", status, body)
	}
	if status, _ := get(t, h, "/api/v1/tools", http.Header{}); status != http.StatusNotFound {
		t.Errorf("a path without an answer: %d", status)
	}
}

func TestItCountsByCaller(t *testing.T) {
	t.Parallel()
	client, err := connect(redistest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	caller := t.Name() + filepath.Base(t.TempDir())
	key := "base:" + caller
	defer client.Do(context.Background(), client.B().Del().Key(key).Build())
	client.Do(t.Context(), client.B().Del().Key(key).Build())
	h := counted(client, bare(answers(t)))
	for _, header := range []http.Header{
		{"X-Forwarded-For": {caller}},
		{"Authorization": {caller}, "X-Forwarded-For": {"another"}},
	} {
		if status, body := get(t, h, "/api/v1/tools?limit=2", header); status != http.StatusOK || body != `{"data":[]}` {
			t.Errorf("%d: %s", status, body)
		}
	}
	if n, err := client.Do(t.Context(), client.B().Get().Key(key).Build()).AsInt64(); err != nil || n != 2 {
		t.Errorf("counted %d: %v", n, err)
	}
}
