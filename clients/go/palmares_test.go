package palmares_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	palmares "github.com/palmares-hq/palmares/clients/go"
)

// A file of the store that was damaged is asked for again, and replaced.
func TestDirectory_Damaged(t *testing.T) {
	conditional := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			conditional++
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"one"`)
		fmt.Fprint(w, `{"tools_total": 7}`)
	}))
	defer server.Close()
	dir := t.TempDir()
	client, err := palmares.New(server.URL, palmares.Options{Store: palmares.Directory(dir)})
	if err != nil {
		t.Fatal(err)
	}
	for n, damage := range []func(text []byte) []byte{
		func(text []byte) []byte { return text },
		func(text []byte) []byte { return text[:len(text)-1] },
		func(text []byte) []byte { return []byte(strings.Replace(string(text), "7}", "8}", 1)) },
		func([]byte) []byte { return nil },
		func(text []byte) []byte { return text },
	} {
		stats, err := client.GetStats(context.Background())
		if err != nil || stats.ToolsTotal != 7 {
			t.Fatalf("call %d: %v, %v", n, stats, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the store has %v: %v", files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[0], damage(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if conditional != 1 {
		t.Errorf("%d of the responses were asked for conditionally; one had a whole file before it", conditional)
	}
}

// A service that falls silent, before or within a response, is an error in the end.
func TestClient_Silence(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stats") {
			fmt.Fprint(w, `{"tools_total":`)
			_ = http.NewResponseController(w).Flush()
		}
		<-release
	}))
	defer server.Close()
	defer close(release)
	client, err := palmares.New(server.URL, palmares.Options{Timeout: 50 * time.Millisecond, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	var network *palmares.NetworkError
	if _, err := client.GetStats(context.Background()); !errors.As(err, &network) {
		t.Errorf("within a response: %v", err)
	}
	if _, err := client.GetTool(context.Background(), "alpha"); !errors.As(err, &network) {
		t.Errorf("before it: %v", err)
	}
}

// A call ends with its context, also while it waits for another attempt.
func TestClient_Canceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "50")
		w.WriteHeader(http.StatusServiceUnavailable)
		time.AfterFunc(50*time.Millisecond, cancel)
	}))
	defer server.Close()
	client, err := palmares.New(server.URL, palmares.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var refused *palmares.Error
	if _, err := client.GetStats(ctx); !errors.Is(err, context.Canceled) || !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}

// Nothing that a client prints has its key.
func TestClient_HidesItsKey(t *testing.T) {
	const key = "plm_secret"
	client, err := palmares.New("http://127.0.0.1:1", palmares.Options{Key: key, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	_, failed := client.GetStats(context.Background())
	_, refused := palmares.New("http://127.0.0.1:1", palmares.Options{Key: key + "\n"})
	printed := fmt.Sprintf("%v %+v %#v %s", client, client, client, client)
	for _, text := range []string{printed, fmt.Sprint(failed), fmt.Sprint(refused)} {
		if strings.Contains(text, key) || text == "<nil>" {
			t.Error(text)
		}
	}
}
