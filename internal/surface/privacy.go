package surface

import (
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Privacy is what the page about privacy says of this program: the terms that the code holds itself
// to, and who else is involved as it is configured.
func Privacy(cfg config.Serve) about.PrivacyFacts {
	p := about.PrivacyFacts{
		Retention: []about.Retention{
			{What: "sign-ins", For: account.KeepSignIns},
			{What: "email-changes", For: account.ChangeFor},
			{What: "sessions", For: portal.SessionLifetime},
			{What: "activity", For: account.ActivityFor},
			{What: "usage", For: quota.KeepUsage},
			{What: "notices", For: account.KeepNotices},
			{What: "addresses", For: quota.KeepAddress},
			{What: "deliveries", For: webhook.ReplayFor},
			{What: "reports", For: report.KeepOpen},
			{What: "closed-reports", For: report.KeepClosed},
			{What: "report-networks", For: report.BoundFor + time.Hour},
			{What: "farewells", For: account.DeletionNoticeFor + time.Hour}, // what is old is deleted every hour
		},
		Mail: cfg.SMTPURL != "",
	}
	if cfg.Sells() {
		p.Retention = append(p.Retention, about.Retention{What: "payments", For: billing.KeepEvents},
			about.Retention{What: "orders", For: billing.KeepOrderYears * 365 * 24 * time.Hour}, about.Retention{What: "unpaid-orders", For: billing.KeepUnpaidOrders})
		p.Payment = "Stripe"
	}
	return p
}
