package node

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/workers"
)

// The lag is known exactly when webhooks are behind, that is, when there are very many deliveries: it is
// found without reading any.
func TestWebhookLag_ReadsNoDeliveries(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	db := open(t, url)
	subscribe(t, openServices(t, url), newReceiver(t))
	publishDir(t, url, fixtureCatalog) // nobody delivers
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	_, err = conn.Exec(t.Context(), `BEGIN; LOCK TABLE deliveries, attempts`)
	must(t, err)
	if _, err = db.Webhooks.Pending(soon(t, 100*time.Millisecond)); err == nil {
		t.Fatal("deliveries can be read: this test proves nothing")
	}
	now := time.Now().Add(time.Hour)
	lag, err := workers.DeliveryLag(soon(t, time.Minute), db.Webhooks, now)
	must(t, err)
	if lag < time.Hour || lag > 2*time.Hour {
		t.Errorf("the lag is %v an hour after a publication", lag)
	}
}

func soon(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
