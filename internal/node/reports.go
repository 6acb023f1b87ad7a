package node

import (
	"context"

	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site"
)

// reportPool is that of forms which report errors. One is stored at a time, so one connection is enough, and
// a flood of them waits for no other request.
var reportPool = pool{"palmares reports", 1, requestPatience}

// reports take what readers say is wrong.
func (b *builder) reports(ctx context.Context) (site.Reports, error) {
	db, err := b.database(ctx, reportPool)
	if err != nil {
		return nil, err
	}
	redis, breaker, err := b.ownRedis()
	if err != nil {
		return nil, err
	}
	return report.NewService(report.Options{
		Store: db.Reports, Secrets: b.secrets.Ring,
		Limits: quota.NewHourly(quota.HourlyOptions{
			Redis: redis, Secret: b.secrets.Master, Logger: b.logger, Wait: b.cfg.QuotaWait, Breaker: breaker,
		}),
	}), nil
}

// countForms counts what became of forms.
func (b *builder) countForms() func(outcome string) {
	outcomes := metrics.NewCounters(b.registry, "palmares_reports_total",
		"Reports of errors, by what came of them: stored, faulty, limited, full, trapped (filled in by a program), failed.", "outcome", site.Outcomes()...)
	return func(outcome string) { outcomes.WithLabelValues(outcome).Inc() }
}
