// A minimal receiver of webhooks: the standard library and nothing else.
//
//	WEBHOOK_SECRET=whsec_… PORT=8000 go run verify.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 5 * time.Minute
	mostBytes = 20_000
)

// verify reports whether one of the signatures is that of the body, made just now.
func verify(key []byte, h http.Header, body []byte, now time.Time) bool {
	id, timestamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Fields(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), want) {
			return true
		}
	}
	return false
}

type event struct {
	Type string `json:"type"`
	Data struct {
		Seq       int64           `json:"seq"`
		Slug      string          `json:"slug"`
		Object    json.RawMessage `json:"object"`
		Challenge string          `json:"challenge"`
	} `json:"data"`
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("WEBHOOK_SECRET is not a secret")
	}
	var seen sync.Map             // in production: a table with a unique webhook-id
	work := make(chan event, 100) // in production: a queue that survives a restart
	go func() {
		for e := range work {
			fmt.Println(e.Type, e.Data.Slug, e.Data.Seq)
		}
	}()

	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBytes))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		if !verify(key, r.Header, body, time.Now()) {
			http.Error(w, "not signed by the catalog", http.StatusUnauthorized)
			return
		}
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			http.Error(w, "not JSON", http.StatusBadRequest)
			return
		}
		if e.Type == "webhook.test" && e.Data.Challenge != "" {
			io.WriteString(w, e.Data.Challenge)
			return
		}
		if _, known := seen.LoadOrStore(r.Header.Get("webhook-id"), true); !known {
			work <- e
		}
		w.WriteHeader(http.StatusNoContent)
	})
	server := &http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: handler, ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
