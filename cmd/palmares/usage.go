package main

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/quota"
)

// newUsage wires the counting of what accounts and keys use, on a connection to Redis of
// its own: charges, which requests wait for, share none with it. Both are nil without
// Redis.
func newUsage(cfg config.Serve, logger *slog.Logger, registry prometheus.Registerer) (*quota.Usage, *quota.Redis, error) {
	if cfg.RedisURL == "" {
		return nil, nil, nil
	}
	store, err := quota.NewRedis(cfg.RedisURL.Reveal())
	if err != nil {
		return nil, nil, err
	}
	usage := quota.NewUsage(quota.UsageOptions{Store: store, Logger: logger})
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_usage_pending_requests", Help: "Requests counted for usage that waited on this node after the last attempt to add them to Redis.",
		}, func() float64 { return float64(usage.Pending()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "palmares_usage_lost_requests_total", Help: "Requests that are missing from usage, because Redis did not answer or too many waited.",
		}, func() float64 { return float64(usage.Lost()) }))
	return usage, store, nil
}

// readUsage reads what an account has used; nil without Redis.
func readUsage(ctx context.Context, a account.Account, keys []account.KeyInfo, now time.Time) (*quota.Report, error) {
	cfg, err := config.ReadRedis(os.Environ())
	if err != nil || cfg.RedisURL == "" {
		return nil, err
	}
	store, err := quota.NewRedis(cfg.RedisURL.Reveal())
	if err != nil {
		return nil, err
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	days, err := store.ReadUsage(ctx, a.ID, quota.UsageDays(now))
	if err != nil {
		return nil, err
	}
	r := quota.NewReport(a.Plan, now, days, keys)
	return &r, nil
}

// leastDays is how many days are shown even when nothing was used on them.
const leastDays = 7

// usageRows shows a report: a line a day and a column for each key, back to the first
// day that has anything.
func usageRows(r *quota.Report) [][]string {
	head := []string{"DAY", "REQUESTS"}
	for _, k := range r.Keys {
		head = append(head, k.ID)
	}
	rows := [][]string{head}
	last := leastDays
	for i, d := range r.Days {
		if d.Requests > 0 {
			last = max(last, i+1)
		}
	}
	for i, d := range r.Days[:last] {
		row := []string{d.Date, strconv.Itoa(d.Requests)}
		for _, k := range r.Keys {
			row = append(row, strconv.Itoa(k.Days[i].Requests))
		}
		rows = append(rows, row)
	}
	return rows
}
